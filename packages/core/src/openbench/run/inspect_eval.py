"""Calls inspect's `eval` with our settings and our errors."""

import contextlib
import sys
import traceback
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.log import EvalLog

from openbench.errors import OpenbenchError
from openbench.redaction import redacted_text
from openbench.run.engines.untraced import private_traces
from openbench.run.messages import plain_message
from openbench.run.terminal import drawing

LINE = "line"

# inspect's bookkeeping that serves its own live display: without it a sample takes half the time.
_QUIET: dict[str, Any] = {"log_realtime": False, "score_display": False, "ctl_server": False}


def run_inspect(tasks: Task | list[Task], *, display: str, **kwargs: Any) -> list[EvalLog]:
    """Call inspect's `eval` with our settings.

    Args:
        tasks: The tasks, each with its model.
        display: As `LocalExecutor` has it.
        **kwargs: Further arguments of `eval`.

    Raises:
        OpenbenchError: inspect refused to start.
    """
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
    import openbench.run.attempt_hooks  # noqa: PLC0415
    import openbench.run.progress_hooks  # noqa: F401, PLC0415

    private_traces()
    try:
        with contextlib.nullcontext() if display in {LINE, "none", "plain"} else drawing():
            return eval(tasks, **_QUIET, **{"display": "none" if display == LINE else display, **kwargs})
    except OpenbenchError:
        raise
    except Exception as error:
        if kwargs.get("debug_errors"):
            sys.stderr.write(redacted_text(traceback.format_exc()))
        names = ", ".join(f"{task.name} on {task.model}" for task in (tasks if isinstance(tasks, list) else [tasks]))
        raise OpenbenchError(f"{names}: could not run: {type(error).__name__}: {plain_message(error)}") from error


def stdout_to_stderr() -> contextlib.AbstractContextManager[object]:
    """Return a context in which what is printed goes to stderr: stdout is for results, which may be JSON."""
    return contextlib.redirect_stdout(sys.stderr)
