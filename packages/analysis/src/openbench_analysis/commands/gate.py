"""`bench gate`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench_analysis.commands import shared

_INCONCLUSIVE = 3


def command(
    rules: Annotated[Path, typer.Argument(metavar="GATE.toml", help="TOML file with rules for each benchmark.")],
    candidate: Annotated[
        list[str],
        typer.Argument(metavar="[LABEL=]LOGS...", help="The candidate's logs, directories, addresses or patterns."),
    ],
    *,
    baseline: Annotated[
        list[str] | None,
        typer.Option(metavar="[LABEL=]LOGS", help="Logs that the candidate is compared with; may be repeated."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML as well.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a summary in Markdown as well.")] = None,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> int:
    """Check a candidate's logs against rules: no worse than a baseline, above a floor, answered, within cost and time.

    The exit code is 0 if all rules pass, 1 if one fails, and 3 if none fails and one is inconclusive.
    """
    from openbench.errors import FAILED, SUCCESS
    from openbench_analysis.gate import rendering
    from openbench_analysis.gate.config import needs_baseline, read_gate
    from openbench_analysis.gate.judge import judge
    from openbench_analysis.gate.places import read_system
    from openbench_analysis.rendering.files import write_text
    from openbench_dryrun.prices import read_prices

    settings, prices = read_gate(rules), read_prices(Path.cwd())
    places = needs_baseline(settings, baseline)
    judged, problems = read_system(candidate, "candidate", prices)
    before, others = read_system(places, "baseline", prices) if places else (None, [])
    problems = [*problems, *others]
    shared.warn(problems)
    decision = judge(settings, judged, before)
    if junit:
        write_text(junit, rendering.as_junit(decision))
    if markdown:
        write_text(markdown, rendering.as_markdown(decision))
    if as_json:
        opt.echo_json(rendering.as_data(decision, problems))
    else:
        typer.echo("\n".join(rendering.as_lines(decision)))
    return {"pass": SUCCESS, "fail": FAILED, "inconclusive": _INCONCLUSIVE}[decision.outcome]
