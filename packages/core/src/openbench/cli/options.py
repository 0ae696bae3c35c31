"""The options that `bench eval` and `bench eval-retry` share, under headings; each has its `BENCH_*` variable."""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from openbench.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_TRUE = {"1", "true", "yes", "on"}


class SectionOption(click.Option):
    """An option that stands under a heading in the help."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class SectionCommand(click.Command):
    """A command whose help lists its options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, those of plain options last."""
        sections: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record:
                sections[getattr(param, "section", "Other")].append(record)
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)


def option(section: str, *names: str, help: str, variable: str = "", **kwargs: Any) -> Callable[[F], F]:  # noqa: A002 - click's name
    """Declare an option with a heading; its variable is `BENCH_` and its name unless another is given."""
    long = next((name for name in names if name.startswith("--")), names[0])
    envvar = f"BENCH_{variable or long.strip('-').upper().replace('-', '_')}"
    return click.option(*names, cls=SectionOption, section=section, envvar=envvar, help=f"{help}  [{envvar}]", **kwargs)


def switch(section: str, name: str, *, help: str, default: bool | None = None) -> Callable[[F], F]:  # noqa: A002 - click's name
    """Declare `--name/--no-name`, with the variables `BENCH_NAME` and `BENCH_NO_NAME`."""
    variable = name.upper().replace("-", "_")

    def value_or_variable(ctx: click.Context, param: click.Parameter, value: bool | None) -> bool | None:
        source = ctx.get_parameter_source(param.name or "")
        typed = source is click.core.ParameterSource.COMMANDLINE
        return False if not typed and os.environ.get(f"BENCH_NO_{variable}", "").lower() in _TRUE else value

    return option(
        section,
        f"--{name}/--no-{name}",
        help=help,
        variable=variable,
        default=default,
        callback=value_or_variable,
    )


def parse_location(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """Take a path, or an address without a secret in it."""
    from openbench.run.locations import plain

    return plain(value) if value else value


def parse_existing(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Take one path or several that exist; addresses are looked at later."""
    for path in (value,) if isinstance(value, str) else value or ():
        location = parse_location(ctx, param, path) or path
        if "://" not in location and not Path(location).exists():
            raise UsageError(f"{path} does not exist.")
    return value


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several, in the order of the help."""

    def decorate(function: F) -> F:
        for declare in reversed(options):
            function = declare(function)
        return function

    return decorate


def parse_limit(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | tuple[int, int] | None:
    """Parse `--limit`: a count, or the first sample and the one after the last, counting from 0."""
    if value is None:
        return None
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


REQUESTS = together(
    option("Requests", "--max-connections", type=click.IntRange(1), help="Most requests to a model at once."),
    option("Requests", "--timeout", type=click.IntRange(1), help="Seconds for one request, its retries included."),
    option(
        "Requests",
        "--max-retries",
        type=click.IntRange(0),
        help="Most retries of a request that failed for a reason that may pass; unlimited if not given.",
    ),
)

LIMITS = together(
    option(
        "Tasks",
        "--message-limit",
        type=click.IntRange(1),
        help="Most messages of a sample. One that reaches this or another limit ends there, and is scored as it is.",
    ),
    option("Tasks", "--turn-limit", type=click.IntRange(1), help="Most answers of the model in a sample."),
    option("Tasks", "--token-limit", type=click.IntRange(1), help="Most tokens of a sample, read and written."),
    option("Tasks", "--time-limit", type=click.IntRange(1), help="Most seconds of a sample."),
    option(
        "Tasks",
        "--working-limit",
        type=click.IntRange(1),
        help="Most seconds of a sample, without those in which it waits for a connection or to send a request again.",
    ),
    option(
        "Tasks",
        "--cost-limit",
        type=click.FloatRange(0, min_open=True),
        help="Most that a sample may cost, by --price, [tool.openbench.prices] or what inspect knows.",
    ),
)
LIMIT_NAMES = ("message_limit", "turn_limit", "token_limit", "time_limit", "working_limit", "cost_limit")

ERRORS = together(
    option(
        "Errors",
        "--fail-on-error",
        type=click.FloatRange(0),
        help="Fail the run when this share (below 1) or count of samples has failed.",
    ),
    option("Errors", "--no-fail-on-error", is_flag=True, help="Never fail the run for samples that failed."),
    option(
        "Errors",
        "--retry-on-error",
        type=click.IntRange(0),
        is_flag=False,
        flag_value=1,
        help="Run a failed sample again, once or this often; 0 never.",
    ),
    option("Errors", "--debug-errors", is_flag=True, help="Stop at the first error of a sample and raise it."),
    option("Errors", "--debug", is_flag=True, help="Show where an error of the command itself comes from."),
)

LOGS = together(
    option(
        "Logs",
        "--log-dir",
        callback=parse_location,
        help="Directory of the logs, here or at an address such as s3://bucket/folder; by default logs, or that of the "
        "log which is continued.",
    ),
    switch("Logs", "log-samples", help="Keep samples in the log."),
    switch("Logs", "log-images", help="Keep images in the log."),
    option("Logs", "--log-buffer", type=click.IntRange(1), help="Samples that may wait before they are written."),
    switch("Logs", "score", default=True, help="Score the samples, or leave that to bench score."),
    option(
        "Logs",
        "--display",
        type=click.Choice(["line", "full", "conversation", "rich", "plain", "none"], case_sensitive=False),
        default="line",
        show_default=True,
        help="How to show progress: a line of ours, or one of inspect's displays.",
    ),
    option("Logs", "--trace", is_flag=True, help="Show the messages to and from the model."),
    option(
        "Logs",
        "--json",
        "as_json",
        is_flag=True,
        help="Write the results as JSON to stdout, and nothing else.",
    ),
)

PROCESSES = together(
    option("Processes", "--max-subprocesses", type=click.IntRange(1), help="Most subprocesses at once."),
    switch("Processes", "sandbox-cleanup", help="Remove sandboxes when a task is done."),
)


RERUN_CHANGED = option(
    "Resuming",
    "--rerun-changed",
    is_flag=True,
    help="Run again what has changed since it was recorded, instead of refusing.",
)

TRUST = option(
    "Resuming",
    "--trust",
    is_flag=True,
    help="Use the addresses, arguments of providers, executors and files that the log or run names, though no command "
    "of yours has named them on this machine.",
)

NO_OVERRIDES = option(
    "Tasks",
    "--no-overrides",
    is_flag=True,
    help="Use the originals: set aside benchmarks that take another's place unless the project says so.",
)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


_WHILE_CONTINUED = (
    "log_dir",
    "log_samples",
    "log_images",
    "log_buffer",
    "score",
    "max_connections",
    "timeout",
    "max_retries",
    "max_subprocesses",
    "sandbox_cleanup",
    "retry_on_error",
)


def while_continued(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that may differ while a run is continued, of those that were given.

    Raises:
        UsageError: Two of them exclude each other.
    """
    return given(
        fail_on_error=fail_on_error(options["fail_on_error"], options["no_fail_on_error"]),
        debug_errors=options["debug_errors"] or None,
        trace=options["trace"] or None,
        attempt_timeout=options["timeout"],  # as in bench eval
        **{name: options[name] for name in _WHILE_CONTINUED},
    )


def fail_on_error(threshold: float | None, never: bool) -> bool | float | None:
    """Join `--fail-on-error` and `--no-fail-on-error`.

    Raises:
        UsageError: Both are given.
    """
    if never and threshold is not None:
        raise UsageError("--fail-on-error and --no-fail-on-error exclude each other.")
    return False if never else threshold
