"""Wheels of packages that are installed here from a path, built once and cached by content."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from platformdirs import user_cache_path
from uv import find_uv_bin

from openbench.errors import OpenbenchError
from openbench_isolated.children import installer_variables
from openbench_isolated.requirements import Requirement

WHEEL = ".whl"


def wheel_of(requirement: Requirement) -> Path:
    """Return a wheel of a requirement that is installed from a path.

    Raises:
        OpenbenchError: It cannot be built.
    """
    path = requirement.path
    assert path is not None, "requirements without a path need no wheel"  # noqa: S101 - for the type checker
    if path.suffix == WHEEL:
        return path
    digest = hashlib.sha256(f"{sys.version}\n{requirement.content()}".encode()).hexdigest()[:16]
    kept = user_cache_path("openbench") / "wheels" / f"{requirement.name}-{digest}"
    if not kept.is_dir():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _build(requirement.label, path, Path(folder, "made"))
            try:
                Path(folder, "made").rename(kept)
            except OSError:  # another process has built it
                if not kept.is_dir():
                    raise
    return next(kept.glob(f"*{WHEEL}"))


def _build(label: str, path: Path, out: Path) -> None:
    done = subprocess.run(  # noqa: S603 - uv, from its own package
        [find_uv_bin(), "build", "--quiet", "--wheel", "--no-create-gitignore", "--out-dir", out, path],
        env=installer_variables(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode or not any(out.glob(f"*{WHEEL}")):
        shutil.rmtree(out, ignore_errors=True)
        reason = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise OpenbenchError(
            f"{label} is installed from {path}, but no wheel for the workers can be built from it: {reason}"
        )
