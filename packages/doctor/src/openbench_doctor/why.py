"""`bench describe NAME --why`: the candidates for a name, and which one wins by which rule."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from openbench.cli.options import echo_json
from openbench.cli.table import columns
from openbench.errors import UnknownNameError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import is_path
from openbench.registry.resolution import ONLY, RULES, Resolution


def write_why(catalog: Catalog, reference: str, *, as_json: bool) -> None:
    """Write how a name is resolved; a conflict is an answer, too.

    Raises:
        UsageError: There is no such benchmark, or it is a group or a path.
    """
    group = catalog.group(reference)
    if group:
        raise UsageError(
            f"{group.key} is a group of {group}. --why is about benchmarks: {', '.join(group.value.benchmarks)}."
        )
    if is_path(reference) or (Path(reference).exists() and not catalog.candidates(reference)):
        raise UsageError(f"{reference} is a path. --why is about names that distributions provide.")
    try:
        resolution = catalog.explain(reference)
    except UnknownNameError as unknown:
        resolution = catalog.explain(catalog.key_shown_as(reference, unknown))
    problems = [str(problem) for problem in catalog.not_loaded(resolution.key)]
    if as_json:
        echo_json({**_as_data(resolution), "not_loaded": problems})
    else:
        typer.echo("\n".join(_text(resolution, problems)))


def _text(resolution: Resolution, problems: Sequence[str]) -> list[str]:
    winner = str(resolution.winner) if resolution.winner else "no one"
    fates = zip(resolution.candidates, resolution.outcomes, strict=True)
    rules = [
        f"{'>' if rule == resolution.rule else ' '} {number}. {text}"
        for number, (rule, text) in enumerate(RULES.items(), start=1)
    ]
    return [
        f"{resolution.key} is provided by {winner}",
        f"because {resolution.why}.",
        "",
        "candidates",
        *columns([[f"  {candidate}", outcome] for candidate, outcome in fates]),
        *(f"  not loaded, so it takes no part: {problem}" for problem in problems),
        "",
        "rules, highest first" + ("" if resolution.rule == ONLY else "; > marks the one that decided"),
        *rules,
    ]


def _as_data(resolution: Resolution) -> dict[str, Any]:
    return {
        "key": resolution.key,
        "winner": resolution.winner and resolution.winner.distribution,
        "rule": resolution.rule,
        "why": resolution.why,
        "candidates": [
            {
                "distribution": candidate.distribution,
                "version": candidate.version,
                "overrides": candidate.value.overrides,
                "builtin": candidate.value.builtin,
                "fate": outcome,
            }
            for candidate, outcome in zip(resolution.candidates, resolution.outcomes, strict=True)
        ],
    }
