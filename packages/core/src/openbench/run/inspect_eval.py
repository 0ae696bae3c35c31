"""Calls Inspect's `eval` with the settings and errors of `bench eval`."""

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar

from inspect_ai import Epochs, Task, eval, task  # noqa: A004 - inspect's name
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from platformdirs import user_data_path

from openbench.errors import OpenbenchError, UsageError
from openbench.metrics import pass_hat  # noqa: F401 - registers the reducer
from openbench.redaction import redacted_text
from openbench.registry.discovery import HOOKS, registered
from openbench.registry.plugin_loader import load_function
from openbench.run.messages import plain_message
from openbench.run.plan import Plan
from openbench.run.process import drawing
from openbench.run.progress import display_of_inspect

# The journal has every sample, and moves with the log directory. Inspect's buffer is in the user's data directory;
# with the live display, it would double the time of a sample.
_QUIET: dict[str, Any] = {"log_realtime": False, "score_display": False, "ctl_server": False}
_REDUCER_OF = re.compile(r"_(\d+)$")  # at_least_2, pass_at_5, pass_hat_5

T = TypeVar("T")


def run_inspect(
    tasks: Task | list[Task], *, display: str, call: Callable[..., Any] = eval, **kwargs: Any
) -> list[EvalLog]:
    """Call Inspect's `eval`, or an `eval_set` that returns the logs alone, with the settings of `bench eval`."""
    _load_hooks()
    _protect_traces()
    display = display_of_inspect(display)
    try:
        with contextlib.nullcontext() if display in {"none", "plain"} else drawing():
            logs: list[EvalLog] = call(tasks, **{**_QUIET, "display": display, **kwargs})
            return logs
    except OpenbenchError:
        raise
    except Exception as error:
        if kwargs.get("debug_errors"):
            sys.stderr.write(redacted_text(traceback.format_exc()))
        names = ", ".join(f"{task.name} on {task.model}" for task in (tasks if isinstance(tasks, list) else [tasks]))
        raise OpenbenchError(f"{names}: could not run: {type(error).__name__}: {plain_message(error)}") from error


@cache
def _load_hooks() -> None:
    """Import our hooks, and those in the entry-point group `openbench.hooks`.

    They are imported late: Inspect announces all hooks that exist when the first model is made, and these are of no
    interest to users.
    """
    import openbench.run.hooks  # noqa: F401, PLC0415

    for found in registered(HOOKS):
        load_function(f"the hooks {found.name}", [found])


def _protect_traces() -> None:
    """Make Inspect's traces of requests readable by their owner alone: the URLs in them may contain passwords."""
    folder = user_data_path("inspect_ai") / "traces"
    with contextlib.suppress(OSError):  # without a home directory there are no traces either
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        (folder / f"trace-{os.getpid()}.log").touch()
        for path in folder.glob("trace-*"):
            path.chmod(0o600)


def inspect_options(plan: Plan) -> dict[str, Any]:
    """Return a plan's options as Inspect's `eval` takes them."""
    options: dict[str, Any] = {name: value for name, value in plan.options.items() if name != "model_cost_config"}
    reducers: list[str] | None = options.pop("epochs_reducer", None)
    if count := options.pop("epochs", None):
        options["epochs"] = epochs = Epochs(count, reducers)
        try:
            made = epochs.reducer  # made on first access
        except (LookupError, TypeError) as error:
            known = "mean, median, mode, max, at_least_N, pass_at_N or pass_hat_N"
            raise UsageError(f"--epochs-reducer {','.join(reducers or ())}: expected {known}.") from error
        for name in reducers if made and reducers else ():
            needed = int(digits[1]) if (digits := _REDUCER_OF.search(name)) else 1
            if needed > count:
                raise UsageError(f"--epochs-reducer {name} needs --epochs {needed} or more.")
    return options


def given_settings(config: GenerateConfig) -> dict[str, Any]:
    """Return the settings of a `GenerateConfig` that are not None; unlike `model_dump`, it keeps nested objects."""
    given = {name: getattr(config, name) for name in type(config).model_fields}
    return {name: value for name, value in given.items() if value is not None}


class _BuiltError(Exception):
    """Leaves `eval` once the task function was called."""


def with_models(
    build: Callable[[], T],
    model: Model | None = None,
    roles: Mapping[str, Model | list[Model]] | None = None,
    config: GenerateConfig | None = None,
    display: Literal["log", "none"] = "none",
) -> T:
    """Call a function as `eval()` calls task functions: `get_model()` returns the model, or that of a role.

    Without a model it returns Inspect's `none`.
    """
    built: list[T] = []
    failures: list[BaseException] = []

    def called() -> Task:
        try:
            built.append(build())
        except BaseException as failure:  # noqa: BLE001 - raised again below, without the frames of `eval`
            failures.append(failure)
        raise _BuiltError

    try:
        eval(
            task(name="openbench")(called),
            model=model or get_model("none"),
            model_roles={**roles} if roles else None,
            display=display,
            **_QUIET,
            **given_settings(config or GenerateConfig()),
        )
    except Exception as error:
        # Inspect raises the innermost context of an exception, which may be one that the caller is handling.
        if not (built or failures):
            raise OpenbenchError(f"Inspect cannot start: {type(error).__name__}: {plain_message(error)}") from error
    if failures:
        raise failures[0]
    return built[0]


def stdout_to_stderr() -> contextlib.AbstractContextManager[object]:
    """Return a context that redirects stdout to stderr: stdout is for results, which may be JSON."""
    return contextlib.redirect_stdout(sys.stderr)
