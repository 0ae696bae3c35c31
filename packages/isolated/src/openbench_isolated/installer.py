"""Calls uv, and makes one sentence of what it says when it fails."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from uv import find_uv_bin

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import secret_variables
from openbench_isolated.children import installer_variables
from openbench_isolated.requirements import Requirement

# uv labels the lines of an error, or draws it as a tree.
_CROSS = "\N{MULTIPLICATION SIGN}"
_FRAME = f" \t│├╰─▶{_CROSS}"
_LABELS = ("error:", "cause:", _CROSS, "├─▶", "╰─▶")
_CONTRADICTIONS = ("No solution found", "conflicting URLs")


def make_venv(folder: Path, python: str) -> None:
    """Make an empty virtual environment of an interpreter.

    Raises:
        OpenbenchError: uv could not.
    """
    said = _uv("venv", "--no-project", "--python", python, str(folder))
    if said is not None:
        raise OpenbenchError(f"{folder}: no environment could be made here: {_reason(said)}.")


def install(requirements: Sequence[Requirement], *where: str) -> None:
    """Install requirements.

    Args:
        requirements: The requirements, whose labels tell what fails.
        *where: Options of `uv pip install` that say where to.

    Raises:
        UsageError: They contradict each other; the message has uv's explanation.
        OpenbenchError: Something cannot be downloaded or built.
    """
    # uv takes a folder for unchanged as long as its pyproject.toml is, and would install what it built before.
    folders = [each.name for each in requirements if each.path and each.path.is_dir() and not each.editable]
    fresh = [argument for name in folders for argument in ("--refresh-package", name)]
    arguments = [argument for each in requirements for argument in each.arguments]
    said = _uv("pip", "install", "--no-progress", *where, *fresh, *arguments)
    if said is None:
        return
    labels = ", ".join(each.label for each in requirements)
    if any(sign in said for sign in _CONTRADICTIONS):
        raise UsageError(
            f"no environment can hold all of {labels}. {_explanation(said)} Change a requirement (--with)."
        )
    raise OpenbenchError(f"the environment of {labels} cannot be made: {_reason(said)}.")


def _uv(*arguments: str) -> str | None:
    """Run uv; return None, or what it said when it failed."""
    done = subprocess.run(  # noqa: S603 - uv, from its own package
        [find_uv_bin(), *arguments, "--color", "never"],
        env=installer_variables(without=secret_variables()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return done.stderr if done.returncode else None


def _explanation(said: str) -> str:
    """Return uv's account of a contradiction, which names each requirement and who has it, in one line."""
    told = said.partition("\nhint:")[0]
    start = told.find("Because")
    if start < 0:
        return f"{_reason(said)}."
    return " ".join(" ".join(line.strip(_FRAME) for line in told[start:].splitlines()).split())


def _reason(said: str) -> str:
    """Return what uv labels as an error and its causes, in one line."""
    lines = [line.strip() for line in said.splitlines()]
    labelled = [line for line in lines if line.startswith(_LABELS)] or lines[-1:]
    parts = [line.removeprefix("error:").removeprefix("cause:").strip(_FRAME) for line in labelled]
    return ": ".join(part.rstrip(".:") for part in parts if part)
