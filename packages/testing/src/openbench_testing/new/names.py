"""Checks the names, texts and folder of a new package."""

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

# Longer names would make lines of the scaffold exceed its formatter's limit.
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
    """Return the name of a benchmark in the format of distribution names."""
    return name.replace("_", "-").lower()


def team() -> str:
    """Return the prefix for distributions of the user's team.

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
    """Check the key of a new benchmark, and return it.

    Raises:
        UsageError: The name is invalid, or cannot be the name of the task function.
    """
    if not _NAME.fullmatch(name) or len(name) > MOST_IN_NAME:
        raise UsageError(
            f"NAME {name!r}: a benchmark's name consists of letters, digits, '-' and '_', starts with a letter, ends "
            f"with a letter or digit, and has at most {MOST_IN_NAME} characters. Choose one such as fact-recall."
        )
    if taken := _taken(function_of(name)):
        raise UsageError(
            f"NAME {name!r}: the task function has the benchmark's name, but {function_of(name)} is {taken}. "
            f"Choose another, such as {name[: MOST_IN_NAME - 6]}-bench."
        )
    return name


def check_distribution(name: str) -> str:
    """Check that the name of a new distribution and its import package are free, and return it.

    Raises:
        UsageError: The name is not valid for a distribution or an import package, or either name is taken.
    """
    package = package_of(name)
    one_name = "The import package has the distribution's name with '_': otherwise inspect-ai does not find its tasks."
    if not _DISTRIBUTION.fullmatch(name) or len(name) > MOST_IN_DISTRIBUTION:
        raise UsageError(
            f"--distribution {name!r}: a distribution's name consists of letters, digits, '-', '_' and '.', starts "
            f"with a letter, ends with a letter or digit, and has at most {MOST_IN_DISTRIBUTION} characters. "
            f"{one_name} Choose one such as acme-fact-recall."
        )
    if taken := _taken(package) or _installed(name, package):
        raise UsageError(
            f"--distribution {name!r}: {package} is {taken}. {one_name} Choose another distribution, such as "
            f"acme-{canonical(name)}."
        )
    return name


def check_text(text: str, *, option: str) -> str:
    """Return a text on one line.

    Raises:
        UsageError: The text is blank or not printable.
    """
    line = " ".join(text.split())
    try:
        line.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{option} {line!r}: not valid UTF-8. Check the encoding of the terminal.") from error
    if not line or unprintable(line):
        raise UsageError(f"{option} {line!r}: expected a non-blank line of text without control characters.")
    return line


def check_overrides(overrides: str, *, name: str, distribution_name: str) -> str:
    """Check that no conflict remains, and return the distribution whose benchmark is overridden, empty for none.

    Raises:
        UsageError: The distribution's name is invalid, or another distribution would still provide the benchmark.
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
            f"NAME {name!r}: already provided by {' and '.join(rivals)}, and neither would take precedence. "
            f"Choose another name, or override it with --overrides {rivals[0]}."
        )
    return overrides


def check_directory(directory: str) -> str:
    """Check that the folder to write does not exist or is empty, and return it.

    Raises:
        UsageError: The path exists and is not an empty folder, or its parent is not a folder.
    """
    path = Path(directory)
    if os.path.lexists(path) and not (path.is_dir() and not any(path.iterdir())):
        raise UsageError(
            f"--directory {directory}: it exists and is not an empty folder; files are never overwritten. "
            "Choose another, or remove it."
        )
    if not path.absolute().parent.is_dir():
        raise UsageError(
            f"--directory {directory}: the folder {path.absolute().parent} does not exist. Create it first."
        )
    return directory


def _taken(identifier: str) -> str:
    """Describe what already has a name; empty if it is free."""
    if keyword.iskeyword(identifier):
        return "a keyword of Python"
    if identifier in dir(builtins):
        return "a built-in name of Python"
    if identifier in sys.stdlib_module_names:
        return "a module of the standard library"
    return "the package of openbench-core" if identifier == "openbench" else ""


def _installed(name: str, package: str) -> str:
    """Describe where a distribution or its import package is installed; empty if neither is."""
    try:
        return f"already installed by {distribution(name).name}"
    except PackageNotFoundError:
        pass
    spec = importlib.util.find_spec(package)
    where = spec and (spec.origin or ", ".join(spec.submodule_search_locations or []))
    return f"already installed in {where}" if spec else ""
