"""The options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from openbench.errors import UsageError


def typed(ctx: typer.Context, name: str) -> bool:
    """Return whether a parameter was given on the command line, not by a variable or default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def parse_location(value: str | None) -> str | None:
    """Accept a path, or an address without credentials."""
    from openbench.run.paths import normalize_location

    return normalize_location(value) if value else value


def parse_existing(value: Any) -> Any:
    """Accept one path or several that exist; addresses are checked later."""
    for path in (value,) if isinstance(value, str) else value or ():
        location = parse_location(path) or path
        if "://" not in location and not Path(location).exists():
            raise UsageError(f"{path} does not exist.")
    return value


def echo_json(value: Any) -> None:
    """Write a value as JSON, in which NaN and infinities are null."""
    import json  # most commands write none

    plain = json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)
    typer.echo(json.dumps(plain, indent=2))


LogArgument = Annotated[str, typer.Argument(metavar="LOG", callback=parse_existing, help="Path or address of the log.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout, and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback if the command itself fails.")]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Use addresses, provider arguments, executors and files that the log or run names, even if no command of "
        "yours on this machine has.",
    ),
]
NoOverrides = Annotated[
    bool,
    typer.Option(
        "--no-overrides",
        envvar="BENCH_NO_OVERRIDES",
        show_envvar=False,
        help="Ignore benchmarks that override others, unless the project chooses them.",
    ),
]
