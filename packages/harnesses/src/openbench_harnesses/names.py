"""Errors about task names, shared by all harnesses."""

from collections.abc import Collection
from difflib import get_close_matches

from openbench.errors import UnknownNameError, UsageError

_MAX_CHARACTERS = 500


def unknown_task(prefix: str, task: str, known: Collection[str]) -> UnknownNameError:
    """Return the error for an unknown task, with similar names."""
    close = get_close_matches(task, known, n=5)
    hint = f" Did you mean {', '.join(f'{prefix}:{name}' for name in close)}?" if close else ""
    return UnknownNameError(f"{prefix}:{task}: {prefix} has no such task (it has {len(known):,}).{hint}")


def not_installed(prefix: str, task: str) -> UsageError:
    """Return the error for a harness that is not installed in this environment."""
    return UsageError(
        f"{prefix}:{task}: {prefix} is not installed. 'bench eval {prefix}:{task}' runs it in a separate "
        f"environment; to install it here: pip install 'openbench-harnesses[{prefix}]'."
    )


def one_line(text: str) -> str:
    """Return a description on one line, truncated if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARACTERS else line[:_MAX_CHARACTERS].rstrip() + "…"
