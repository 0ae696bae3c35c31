"""The options that several commands share: dataclasses whose fields `with_fields` makes options, one class a panel."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from openbench.cli.app import escape
from openbench.errors import UsageError

_TRUE = {"1", "true", "yes", "on"}


def option(panel: str, *names: str, help: str, variable: str = "", **kwargs: Any) -> Any:  # noqa: A002 - Typer's name
    """Declare an option in a panel; its variable is `BENCH_` and its first long name, unless another is given."""
    if "min" in kwargs:
        kwargs.setdefault("metavar", "N")
    long = next((name for name in names if name.startswith("--")), names[0]).partition("/")[0]
    envvar = f"BENCH_{variable or long.strip('-').upper().replace('-', '_')}"
    return typer.Option(*names, help=escape(help), envvar=envvar, show_envvar=False, rich_help_panel=panel, **kwargs)


def switch(panel: str, name: str, *, help: str) -> Any:  # noqa: A002 - likewise
    """Declare `--name/--no-name`, with the variables `BENCH_NAME` and `BENCH_NO_NAME`."""
    off = f"BENCH_NO_{name.upper().replace('-', '_')}"

    def value_or_variable(ctx: typer.Context, param: typer.CallbackParam, value: bool | None) -> bool | None:
        return False if not typed(ctx, param.name) and os.environ.get(off, "").lower() in _TRUE else value

    return option(panel, f"--{name}/--no-{name}", help=help, callback=value_or_variable)


def typed(ctx: typer.Context, name: str | None) -> bool:
    """Return whether a parameter was given on the command line, not by a variable or its default."""
    source = ctx.get_parameter_source(name or "")
    return source is not None and source.name == "COMMANDLINE"


def parse_location(value: str | None) -> str | None:
    """Accept a path, or an address without credentials."""
    from openbench.run.locations import plain

    return plain(value) if value else value


def parse_existing(value: Any) -> Any:
    """Accept one path or several that exist; addresses are checked later."""
    for path in (value,) if isinstance(value, str) else value or ():
        location = parse_location(path) or path
        if "://" not in location and not Path(location).exists():
            raise UsageError(f"{path} does not exist.")
    return value


def parse_limit(value: str) -> Any:
    """Parse `--limit`: a count, or the first sample and the one after the last, counting from 0."""
    try:
        numbers = [int(part) for part in value.split(",")]
    except ValueError:
        numbers = []
    match numbers:
        case [count] if count > 0:
            return count
        case [start, end] if 0 <= start < end:
            return start, end
    raise UsageError(f"--limit {value!r}: expected a count from 1, or START,END with START below END.")


def parse_cost(value: str) -> Any:
    """Parse `--cost-limit`: a number above 0."""
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not number > 0:
        raise UsageError(f"--cost-limit {value!r}: expected a number above 0.")
    return number


LogArgument = Annotated[str, typer.Argument(metavar="LOG", callback=parse_existing, help="Path or address of the log.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout, and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error of the command itself.")]
Trust = Annotated[
    bool,
    option(
        "Resuming",
        "--trust",
        help="Use the addresses, provider arguments, executors and files that the log or run names, even if no command "
        "of yours has named them on this machine.",
    ),
]
NoOverrides = Annotated[
    bool,
    option(
        "Tasks",
        "--no-overrides",
        help="Use the originals: ignore benchmarks that override others unless the project chooses them.",
    ),
]


@dataclass(frozen=True)
class Limits:
    """Limits of a sample."""

    message_limit: Annotated[
        int | None,
        option(
            "Tasks",
            "--message-limit",
            min=1,
            help="Maximum messages per sample. A sample that reaches this or another limit ends there and is scored as "
            "it is.",
        ),
    ] = None
    turn_limit: Annotated[
        int | None, option("Tasks", "--turn-limit", min=1, help="Maximum answers of the model per sample.")
    ] = None
    token_limit: Annotated[
        int | None, option("Tasks", "--token-limit", min=1, help="Maximum tokens per sample, input and output.")
    ] = None
    time_limit: Annotated[int | None, option("Tasks", "--time-limit", min=1, help="Maximum seconds per sample.")] = None
    working_limit: Annotated[
        int | None,
        option(
            "Tasks",
            "--working-limit",
            min=1,
            help="Maximum seconds per sample, not counting those in which it waits for a connection or to retry a "
            "request.",
        ),
    ] = None
    cost_limit: Annotated[
        Any,
        option(
            "Tasks",
            "--cost-limit",
            parser=parse_cost,
            metavar="N",
            help="Maximum cost per sample, by --price, [tool.openbench.prices] or Inspect's own prices.",
        ),
    ] = None


@dataclass(frozen=True)
class Resuming:
    """How a run is resumed."""

    rerun_changed: Annotated[
        bool,
        option(
            "Resuming", "--rerun-changed", help="Rerun what has changed since it was recorded, instead of refusing."
        ),
    ] = False
    trust: Trust = False


@dataclass(frozen=True)
class Requests:
    """How requests are sent."""

    max_connections: Annotated[
        int | None, option("Requests", "--max-connections", min=1, help="Maximum concurrent requests to a model.")
    ] = None
    timeout: Annotated[
        int | None, option("Requests", "--timeout", min=1, help="Seconds for one request, including its retries.")
    ] = None
    max_retries: Annotated[
        int | None,
        option(
            "Requests",
            "--max-retries",
            min=0,
            help="Maximum retries of a request that failed for a transient reason; unlimited by default.",
        ),
    ] = None


@dataclass(frozen=True)
class Processes:
    """How subprocesses and sandboxes are managed."""

    max_subprocesses: Annotated[
        int | None, option("Processes", "--max-subprocesses", min=1, help="Maximum concurrent subprocesses.")
    ] = None
    sandbox_cleanup: Annotated[
        bool | None, switch("Processes", "sandbox-cleanup", help="Remove sandboxes when a task is done.")
    ] = None


@dataclass(frozen=True)
class Errors:
    """What an error does."""

    fail_on_error: Annotated[
        float | None,
        option(
            "Errors", "--fail-on-error", min=0, help="Fail the run at this share (below 1) or count of failed samples."
        ),
    ] = None
    no_fail_on_error: Annotated[
        bool, option("Errors", "--no-fail-on-error", help="Never fail the run because of failed samples.")
    ] = False
    retry_on_error: Annotated[
        int | None,
        option(
            "Errors",
            "--retry-on-error",
            min=0,
            metavar="[N]",
            help="Rerun a failed sample up to N times, once if N is left out; 0 disables it.",
        ),
    ] = None
    debug_errors: Annotated[
        bool, option("Errors", "--debug-errors", help="Stop at the first error of a sample and raise it.")
    ] = False
    debug: Annotated[
        bool, option("Errors", "--debug", help="Show the traceback of an error of the command itself.")
    ] = False


@dataclass(frozen=True)
class Logs:
    """What is logged and printed."""

    log_dir: Annotated[
        str | None,
        option(
            "Logs",
            "--log-dir",
            callback=parse_location,
            metavar="DIR",
            help="Directory of the logs, local or an address such as s3://bucket/folder; by default logs, or the "
            "directory of the log that is resumed.",
        ),
    ] = None
    log_samples: Annotated[bool | None, switch("Logs", "log-samples", help="Keep samples in the log.")] = None
    log_images: Annotated[bool | None, switch("Logs", "log-images", help="Keep images in the log.")] = None
    log_buffer: Annotated[
        int | None, option("Logs", "--log-buffer", min=1, help="Samples to buffer before they are written.")
    ] = None
    score: Annotated[bool, switch("Logs", "score", help="Score the samples now, or later with bench score.")] = True
    display: Annotated[
        Literal["line", "full", "conversation", "rich", "plain", "none"],
        option(
            "Logs",
            "--display",
            case_sensitive=False,
            metavar="NAME",
            help="Progress display: line, or one of Inspect's: full, conversation, rich, plain, none.",
        ),
    ] = "line"
    trace: Annotated[bool, option("Logs", "--trace", help="Show the messages to and from the model.")] = False
    as_json: Annotated[
        bool, option("Logs", "--json", help="Write the results as JSON to stdout, and nothing else.")
    ] = False


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def while_resumed(requests: Requests, processes: Processes, errors: Errors, logs: Logs) -> dict[str, Any]:
    """Return the settings that may differ when a run is resumed, of those that were given.

    Raises:
        UsageError: Two of them exclude each other.
    """
    return given(
        fail_on_error=fail_on_error(errors),
        retry_on_error=errors.retry_on_error,
        debug_errors=errors.debug_errors or None,
        trace=logs.trace or None,
        max_connections=requests.max_connections,
        timeout=requests.timeout,
        attempt_timeout=requests.timeout,  # as in bench eval
        max_retries=requests.max_retries,
        max_subprocesses=processes.max_subprocesses,
        sandbox_cleanup=processes.sandbox_cleanup,
        **log_settings(logs),
    )


def log_settings(logs: Logs) -> dict[str, Any]:
    """Return the settings of a plan that say what is logged."""
    return {name: getattr(logs, name) for name in ("log_dir", "log_samples", "log_images", "log_buffer", "score")}


def fail_on_error(errors: Errors) -> bool | float | None:
    """Join `--fail-on-error` and `--no-fail-on-error`.

    Raises:
        UsageError: Both are given.
    """
    if errors.no_fail_on_error and errors.fail_on_error is not None:
        raise UsageError("--fail-on-error and --no-fail-on-error exclude each other.")
    return False if errors.no_fail_on_error else errors.fail_on_error
