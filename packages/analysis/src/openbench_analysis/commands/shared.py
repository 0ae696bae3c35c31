"""Options of several commands, and their warnings about files that could not be read."""

from collections.abc import Iterable
from typing import Annotated, Literal

import typer

Places = Annotated[
    list[str],
    typer.Argument(
        metavar="[LABEL=]LOGS...", help="Logs, directories, addresses or patterns; the baseline comes first."
    ),
]
Suites = Annotated[
    list[str] | None,
    typer.Option("--suite", metavar="NAME", help="Suite to average over; all benchmarks together by default."),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="Key of the samples' metadata that names clusters; the benchmark's by default."),
]
Match = Annotated[Literal["content", "id"], typer.Option(help="What samples are matched by.")]
Force = Annotated[bool, typer.Option("--force", help="Compare runs whose scores are not comparable.")]


def warn(problems: Iterable[str]) -> None:
    """Print problems that do not end the command."""
    for problem in problems:
        typer.echo(f"Warning: {problem}", err=True)
