"""Valid names, texts and folders of a new package."""

import builtins
import getpass
import importlib.util
import keyword
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from openbench.errors import UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import canonical, unprintable

# Longer ones would make the scaffold's lines longer than its own formatter leaves them.
MOST_IN_NAME = 40
MOST_IN_DISTRIBUTION = 50

_OWNER = re.compile(r"[:/]([^:/]+)/[^:/]+$")
_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])?")
_DISTRIBUTION = re.compile(r"[A-Za-z]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def function_of(name: str) -> str:
    """Return the name of the task function of a benchmark."""
    return name.replace("-", "_").lower()


def package_of(distribution_name: str) -> str:
    """Return the import package of a distribution."""
    return canonical(distribution_name).replace("-", "_")


def dashed(name: str) -> str:
    """Return the name of a benchmark in the form of distribution names."""
    return name.replace("_", "-").lower()


def team() -> str:
    """Return the prefix for the distributions of this user's team.

    It is the owner of the git repository's `origin` (`acme` of `git@github.com:acme/evals.git`), else the user's name:
    `openbench-` is for distributions of this project.
    """
    git = shutil.which("git")
    command = [git or "git", "config", "--get", "remote.origin.url"]
    remote = subprocess.run(command, capture_output=True, text=True, check=False).stdout if git else ""  # noqa: S603
    owner = _OWNER.search(remote.strip())
    try:
        name = owner[1] if owner else getpass.getuser()
    except OSError:  # a user without a name, as in some containers
        name = ""
    name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return name if _NAME.fullmatch(name) and name not in {"openbench", "root"} else "my-team"


def check_name(name: str) -> str:
    """Return the key of a new benchmark, if it is valid.

    Raises:
        UsageError: It cannot be typed, or the task function cannot have its name.
    """
    if not _NAME.fullmatch(name) or len(name) > MOST_IN_NAME:
        raise UsageError(
            f"NAME {name!r}: a benchmark's name holds letters, digits, '-' and '_', starts with a letter, ends with a "
            f"letter or digit, and has at most {MOST_IN_NAME} characters. Choose one such as fact-recall."
        )
    if taken := _taken(function_of(name)):
        raise UsageError(
            f"NAME {name!r}: {function_of(name)} is {taken}, and the task function has the benchmark's name. "
            f"Choose another, such as {name[: MOST_IN_NAME - 6]}-bench."
        )
    return name


def check_distribution(name: str) -> str:
    """Return the name of a new distribution, if it and its import package are free.

    Raises:
        UsageError: It is not a valid distribution name, its import package cannot be imported, or either name is taken.
    """
    package = package_of(name)
    one_name = "The import package has the distribution's name with '_': only then does inspect-ai know its tasks."
    if not _DISTRIBUTION.fullmatch(name) or len(name) > MOST_IN_DISTRIBUTION:
        raise UsageError(
            f"--distribution {name!r}: a distribution's name holds letters, digits, '-', '_' and '.', starts with a "
            f"letter, ends with a letter or digit, and has at most {MOST_IN_DISTRIBUTION} characters. {one_name} "
            "Choose one such as acme-fact-recall."
        )
    if taken := _taken(package) or _installed(name, package):
        raise UsageError(
            f"--distribution {name!r}: {package} is {taken}. {one_name} Choose another distribution, such as "
            f"acme-{canonical(name)}."
        )
    return name


def check_text(text: str, *, option: str) -> str:
    """Return a text in one line.

    Raises:
        UsageError: It is blank or not printable.
    """
    line = " ".join(text.split())
    try:
        line.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{option} {line!r}: it is not UTF-8. Check the encoding of the terminal.") from error
    if not line or unprintable(line):
        raise UsageError(f"{option} {line!r}: expected a line of text that is not blank, without control characters.")
    return line


def check_overrides(overrides: str, *, name: str, distribution_name: str) -> str:
    """Return the distribution whose benchmark is overridden, empty for none, if no conflict remains.

    Raises:
        UsageError: It is not a valid distribution name, or another distribution would still provide the name.
    """
    if overrides and (not _DISTRIBUTION.fullmatch(overrides) or canonical(overrides) == canonical(distribution_name)):
        raise UsageError(
            f"--overrides {overrides!r}: expected the name of another distribution, such as openbench-simpleqa."
        )
    rivals = [
        candidate.distribution
        for candidate in Catalog.installed().candidates(name)
        if not candidate.value.builtin and canonical(candidate.distribution) != canonical(overrides)
    ]
    if rivals:
        raise UsageError(
            f"NAME {name!r}: {' and '.join(rivals)} provides it already, and neither would win. "
            f"Choose another name, or take its place with --overrides {rivals[0]}."
        )
    return overrides


def check_directory(directory: str) -> str:
    """Return the folder to write, if it does not exist or is empty.

    Raises:
        UsageError: It exists and is not an empty folder, or its parent is not a folder.
    """
    path = Path(directory)
    if os.path.lexists(path) and not (path.is_dir() and not any(path.iterdir())):
        raise UsageError(
            f"--directory {directory}: it exists and is not an empty folder, and nothing is ever overwritten. "
            "Choose another, or remove it."
        )
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--directory {directory}: there is no folder {path.absolute().parent}. Make it first.")
    return directory


def _taken(identifier: str) -> str:
    """Say what has a name already; nothing if it is free."""
    if keyword.iskeyword(identifier):
        return "a keyword of Python"
    if identifier in dir(builtins):
        return "a built-in name of Python"
    if identifier in sys.stdlib_module_names:
        return "a module of the standard library"
    return "the kernel's own package" if identifier == "openbench" else ""


def _installed(name: str, package: str) -> str:
    """Say where a distribution or its import package is installed; nothing if neither is."""
    try:
        return f"installed already, by {distribution(name).name}"
    except PackageNotFoundError:
        pass
    spec = importlib.util.find_spec(package)
    where = spec and (spec.origin or ", ".join(spec.submodule_search_locations or []))
    return f"installed already, in {where}" if spec else ""
