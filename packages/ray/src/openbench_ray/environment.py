"""The workers' packages, as a Ray runtime environment with the versions that are installed here.

Released packages are listed with their versions. Packages installed from a path are built into wheels, which are sent
in the working directory that Ray copies to workers.
"""

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from openbench.registry.names import canonical
from openbench.registry.versions import CORE, needed_versions
from openbench_isolated.requirements import Requirement, installed, parse
from openbench_ray.variables import pip_options
from openbench_ray.wheels import wheel_of

_SECONDS = 1_800  # for a node to install everything
_OWN = ("openbench-ray", "openbench-bundles", "openbench-fast", "openbench-isolated", "openbench-retries")
# The directory in which a node unpacks the working directory, https://docs.ray.io/en/latest/ray-core/handling-dependencies.html
_WORKING_DIR = "${RAY_RUNTIME_ENV_CREATE_WORKING_DIR}"


def needed(distributions: Iterable[str], given: Sequence[str]) -> list[Requirement]:
    """Return the workers' requirements for a run: packages of this installation with all dependencies.

    Ray is excluded, since workers use the cluster's.

    Args:
        distributions: The packages that the run imports.
        given: The requirements of `--with`, which replace installed packages of the same name. They come first, so
            that pip reports an unavailable one before it has installed a hundred others.

    Raises:
        UsageError: A requirement is malformed.
    """
    asked = [parse(text) for text in dict.fromkeys(given)]
    names = {each.name for each in asked}
    found = [*needed_versions([CORE, *distributions]), *_OWN]
    return [*asked, *(installed(name) for name in dict.fromkeys(map(canonical, found)) if name not in names)]


def runtime_environment(requirements: Sequence[Requirement], folder: Path) -> dict[str, Any]:
    """Return a runtime environment with requirements; it contains no secrets.

    Args:
        requirements: The requirements.
        folder: An empty folder from which Ray reads wheels; it must exist until they are sent.

    Raises:
        UsageError: One of pip's variables contains a password.
        OpenbenchError: A wheel cannot be built.
    """
    options = pip_options()
    wheels = [wheel_of(each) for each in requirements if each.path]
    # Ray identifies an environment by its text, so the folder's name is a digest of the wheels.
    place = folder / _digest(wheels)
    place.mkdir()
    for wheel in wheels:
        shutil.copyfile(wheel, place / wheel.name)
    here = [f"{_WORKING_DIR}/{place.name}/{wheel.name}" for wheel in wheels]
    released = [each.arguments[-1] for each in requirements if not each.path]
    return {
        "working_dir": str(folder),
        "pip": {
            "packages": [*released, *here],
            "pip_check": False,
            "pip_install_options": ["--disable-pip-version-check", *options],
        },
        "config": {"setup_timeout_seconds": _SECONDS},
    }


def _digest(wheels: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for wheel in wheels:
        digest.update(wheel.name.encode() + wheel.read_bytes())
    return digest.hexdigest()[:16]
