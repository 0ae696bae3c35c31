"""`bench score`."""

import os
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from openbench.cli import options as opt
from openbench.errors import UsageError
from openbench.registry.names import normalized

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer

    from openbench_components.components import Component


def command(
    log: opt.LogArgument,
    scorer: Annotated[
        str | None, typer.Option(metavar="NAME|FILE.py[@NAME]", help="Scorer; by default the log's own.")
    ] = None,
    scorer_args: Annotated[
        list[str] | None, typer.Option("-S", metavar="KEY=VALUE", help="Argument of the scorer; may be repeated.")
    ] = None,
    action: Annotated[
        Literal["append", "overwrite"] | None,
        typer.Option(
            case_sensitive=False,
            help="Append the new scores or overwrite the old ones; by default append if --scorer is given.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Overwrite the log; by default, write NAME-scored, NAME-scored-1 and so on beside it.",
        ),
    ] = False,
    output: Annotated[str | None, typer.Option(callback=opt.parse_location, help="Write the scored log here.")] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option("--model-role", metavar="ROLE=MODEL", help="Model of a role, such as grader; may be repeated."),
    ] = None,
    trust: opt.Trust = False,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it off the command line
) -> int:
    """Score a log again.

    The evaluated model is not called, so its API key is not needed unless it grades itself.
    """
    if output and overwrite:
        raise UsageError("--output and --overwrite cannot be combined.")
    from openbench.cli.results_table import report
    from openbench.registry.catalog import Catalog
    from openbench.run.arguments import parse_pairs, parse_value
    from openbench.run.inspect_eval import stdout_to_stderr
    from openbench.run.logs import read_log, write_log
    from openbench.run.models import make_model
    from openbench.run.paths import absolute
    from openbench.run.plan import ModelSpec
    from openbench.run.summary import summarize
    from openbench.tasks.provenance import Provenance
    from openbench_components.components import find_component
    from openbench_logs.rescore import rescore

    read = read_log(log)
    with stdout_to_stderr():
        component = find_component("scorer", scorer) if scorer else None
        models = {
            role: make_model(ModelSpec(name=name)) for role, name in parse_pairs(roles or [], "--model-role").items()
        }
    if component:
        _announce(component, Provenance.of(read).scorers)
    scored = rescore(
        Catalog.installed(),
        read,
        scorer=component,
        scorer_args={k: parse_value(v) for k, v in parse_pairs(scorer_args or [], "-S").items()},
        action=action or ("append" if scorer else "overwrite"),
        roles=models,
        trust=trust,
    )
    path = absolute(log if overwrite else output or _beside(log))
    write_log(scored, path)
    scored.location = path
    return report([summarize(scored)], as_json=as_json)


def _beside(log: str) -> str:
    """Return the name of the next scored log, numbered as in Inspect, to never overwrite paid-for grades."""
    from openbench.run.logs import exists
    from openbench.run.paths import absolute

    stem, suffix = os.path.splitext(absolute(log))  # noqa: PTH122 - it may be an address
    names = (f"{stem}-scored{f'-{number}' if number else ''}{suffix}" for number in count())
    return next(name for name in names if not exists(name))


def _announce(scorer: "Component[Scorer]", before: Sequence[Mapping[str, Any]]) -> None:
    """Report which scorers a scorer overrides, and which of the log's own scorers has the same name."""
    origin = f"{scorer.distribution} {scorer.version}"
    if scorer.overrides:
        typer.echo(f"{scorer.name}: {origin} in place of {', '.join(scorer.overrides)}", err=True)
    for own in before:
        name, distribution = own["name"].rpartition("/")[2], own["distribution"]
        if normalized(name) == normalized(scorer.name) and distribution != scorer.distribution:
            whose = f"{distribution} {own['version']}" if distribution else "a file of its benchmark"
            typer.echo(
                f"{scorer.name}: {origin} is used, while the log's own {name} is from {whose}; "
                "without --scorer the log's own are used",
                err=True,
            )
