"""`bench describe NAME --why`: the candidates for a name, and which one wins by which rule."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from openbench.cli.layout import columns
from openbench.cli.options import echo_json
from openbench.errors import UnknownNameError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import is_path
from openbench.registry.resolution import ONLY, RULES, Candidate, Resolution, overriders, replaces


def write_why(catalog: Catalog, reference: str, *, as_json: bool) -> None:
    """Write how a name is resolved, or how its providers conflict.

    Raises:
        UsageError: There is no such benchmark, or it is a group or a path.
    """
    group = catalog.group(reference)
    if group:
        raise UsageError(
            f"{group.key} is a group of {group}. --why needs a benchmark: {', '.join(group.value.benchmarks)}."
        )
    if is_path(reference) or (Path(reference).exists() and not catalog.candidates(reference)):
        raise UsageError(f"{reference} is a path. --why needs the name of an installed benchmark.")
    try:
        resolution = catalog.explain(reference)
    except UnknownNameError as unknown:
        resolution = catalog.explain(catalog.key_shown_as(reference, unknown))
    problems = [str(problem) for problem in catalog.not_loaded(resolution.key)]
    outcomes = outcomes_of(resolution, overrides=catalog.overrides)
    if as_json:
        echo_json({**_as_data(resolution, outcomes), "not_loaded": problems})
    else:
        typer.echo("\n".join(_text(resolution, outcomes, problems)))


def outcomes_of(resolution: Resolution, *, overrides: bool) -> list[str]:
    """Return the outcome for each candidate of a resolution, in words; `overrides` is what it was resolved with."""
    candidates = resolution.candidates
    replaced = [[] if overrides else replaces(candidate, candidates) for candidate in candidates]
    used = [candidate for candidate, others in zip(candidates, replaced, strict=True) if not others]
    return [
        _outcome(candidate, resolution, overriders(candidate, used), others)
        for candidate, others in zip(candidates, replaced, strict=True)
    ]


def _outcome(
    candidate: Candidate, resolution: Resolution, overriders: Sequence[Candidate], replaced: Sequence[Candidate]
) -> str:
    if candidate is resolution.winner:
        return "wins: the only one" if resolution.rule == ONLY else f"wins: {resolution.why}"
    if resolution.rule == "chosen":
        return "not chosen"
    if replaced:
        return f"ignored, since it replaces {_named(replaced)}"
    if overriders:
        return f"overridden by {_named(overriders)}"
    if resolution.rule == "builtin" and resolution.winner:
        return f"built in, so {resolution.winner.distribution} replaces it"
    return "in conflict"


def _named(candidates: Sequence[Candidate]) -> str:
    return " and ".join(candidate.distribution for candidate in candidates)


def _text(resolution: Resolution, outcomes: Sequence[str], problems: Sequence[str]) -> list[str]:
    winner = str(resolution.winner) if resolution.winner else "no distribution"
    rules = [
        f"{'>' if rule == resolution.rule else ' '} {number}. {text}"
        for number, (rule, text) in enumerate(RULES.items(), start=1)
    ]
    return [
        f"{resolution.key} is provided by {winner}",
        f"because {resolution.why}.",
        "",
        "candidates",
        *columns([[f"  {candidate}", out] for candidate, out in zip(resolution.candidates, outcomes, strict=True)]),
        *(f"  not loaded, and left out: {problem}" for problem in problems),
        "",
        "rules, highest first" + ("" if resolution.rule == ONLY else "; > marks the deciding one"),
        *rules,
    ]


def _as_data(resolution: Resolution, outcomes: Sequence[str]) -> dict[str, Any]:
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
            for candidate, outcome in zip(resolution.candidates, outcomes, strict=True)
        ],
    }
