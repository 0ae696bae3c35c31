"""Runs uv, and turns its errors into one sentence."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from uv import find_uv_bin

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import secret_variables
from openbench_isolated.children import installer_variables
from openbench_isolated.requirements import Requirement

# uv labels the lines of an error, or draws them as a tree.
_CROSS = "\N{MULTIPLICATION SIGN}"
_FRAME = f" \t│├╰─▶{_CROSS}"
_LABELS = ("error:", "cause:", _CROSS, "├─▶", "╰─▶")
_CONFLICTS = ("No solution found", "conflicting URLs")


def make_venv(folder: Path, python: str) -> None:
    """Create an empty virtual environment with an interpreter.

    Raises:
        OpenbenchError: uv failed.
    """
    failure = _uv("venv", "--no-project", "--python", python, str(folder))
    if failure is not None:
        raise OpenbenchError(f"{folder}: cannot create an environment: {_reason(failure)}.")


def install(requirements: Sequence[Requirement], *where: str) -> None:
    """Install requirements.

    Args:
        requirements: The requirements; errors show their labels.
        *where: Options of `uv pip install` for the target.

    Raises:
        UsageError: The requirements conflict; the message includes uv's explanation.
        OpenbenchError: A package cannot be downloaded or built.
    """
    # uv regards a folder as unchanged as long as its pyproject.toml is, and would install an old build.
    folders = [each.name for each in requirements if each.path and each.path.is_dir() and not each.editable]
    fresh = [argument for name in folders for argument in ("--refresh-package", name)]
    arguments = [argument for each in requirements for argument in each.arguments]
    failure = _uv("pip", "install", "--no-progress", *where, *fresh, *arguments)
    if failure is None:
        return
    labels = ", ".join(each.label for each in requirements)
    if any(sign in failure for sign in _CONFLICTS):
        raise UsageError(f"the requirements {labels} conflict. {_explanation(failure)} Change a requirement (--with).")
    raise OpenbenchError(f"cannot create the environment of {labels}: {_reason(failure)}.")


def _uv(*arguments: str) -> str | None:
    """Run uv; return None, or its output if it failed."""
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


def _explanation(output: str) -> str:
    """Return uv's explanation of a conflict in one line; it names the requirements and the packages that have them."""
    text = output.partition("\nhint:")[0]
    start = text.find("Because")
    if start < 0:
        return f"{_reason(output)}."
    return " ".join(" ".join(line.strip(_FRAME) for line in text[start:].splitlines()).split())


def _reason(output: str) -> str:
    """Return uv's error with its causes, in one line."""
    lines = [line.strip() for line in output.splitlines()]
    labelled = [line for line in lines if line.startswith(_LABELS)] or lines[-1:]
    parts = [line.removeprefix("error:").removeprefix("cause:").strip(_FRAME) for line in labelled]
    return ": ".join(part.rstrip(".:") for part in parts if part)
