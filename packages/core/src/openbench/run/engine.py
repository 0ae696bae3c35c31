"""Calls inspect's `eval` and `eval_retry` with our settings, our progress line and our errors."""

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from inspect_ai.log import EvalLog

from openbench.errors import OpenbenchError
from openbench.run.messages import plain_message
from openbench.run.progress import progress_line

LINE = "line"

# inspect's bookkeeping that serves its own live display: without it a sample takes half the time.
_QUIET: dict[str, Any] = {"log_realtime": False, "score_display": False, "ctl_server": False}


def run_inspect(
    run: Callable[..., list[EvalLog]], *args: Any, display: str, reused: int = 0, **kwargs: Any
) -> list[EvalLog]:
    """Call inspect's `eval` or `eval_retry` with our settings.

    Args:
        run: The function.
        *args: Its arguments.
        display: As `LocalExecutor` has it.
        reused: How many samples are taken from an earlier log.
        **kwargs: Its keyword arguments.

    Raises:
        OpenbenchError: inspect refused to start.
    """
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours is no news.
    import openbench.run.progress_hooks  # noqa: F401, PLC0415

    shown = progress_line(reused) if display == LINE else contextlib.nullcontext()
    try:
        with shown:
            return run(*args, display="none" if display == LINE else display, **_QUIET, **kwargs)
    except OpenbenchError:
        raise
    except Exception as error:
        raise OpenbenchError(f"the evaluation could not run: {type(error).__name__}: {plain_message(error)}") from error


def stdout_to_stderr() -> contextlib.AbstractContextManager[object]:
    """Return a context in which what is printed goes to stderr: stdout is for results, which may be JSON."""
    return contextlib.redirect_stdout(sys.stderr)
