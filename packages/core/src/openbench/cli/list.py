"""`bench list`."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from openbench.cli import options as opt
from openbench.cli.table import GAP, columns, cut, display_width, padded, terminal_width
from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.catalog import Catalog, Group
from openbench.registry.discovery import PLUGINS_VARIABLE, chosen_plugins
from openbench.registry.names import counted
from openbench.registry.resolution import Resolution


def command(
    category: Annotated[str, typer.Option("--category", "-c", help="Only benchmarks of this category.")] = "",
    search: Annotated[
        str, typer.Option("--search", "-s", help="Only benchmarks with this text in key, name, description or tags.")
    ] = "",
    tags: Annotated[bool, typer.Option("--tags", "-t", help="Show the tags.")] = False,
    alpha: Annotated[bool, typer.Option("--alpha", help="Include experimental benchmarks.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Include benchmarks that are parts of others (subtasks).")
    ] = False,
    no_overrides: opt.NoOverrides = False,
    as_json: opt.Json = False,
) -> None:
    """List the installed benchmarks.

    On a terminal they are grouped by category; elsewhere each is one line.
    """
    catalog = Catalog.installed(overrides=not no_overrides)
    for problem in catalog.problems:
        typer.echo(f"bench: {problem.line}", err=True)
    shown = [
        resolution
        for resolution in catalog.resolutions.values()
        if (alpha or not _metadata(resolution).is_alpha) and (everything or not _metadata(resolution).subtask)
    ]
    if category:
        shown = _of_category(shown, category, all_=catalog.resolutions.values())
    if search:
        shown = [resolution for resolution in shown if _matches(resolution, search)]
    suites = _suites(catalog, category, search)
    if as_json:
        typer.echo(json.dumps([_plain(resolution) for resolution in shown], indent=2))
    elif sys.stdout.isatty() and (shown or suites):
        widest = max(map(display_width, [*(resolution.key for resolution in shown), *(suite.key for suite in suites)]))
        keys = min(widest, terminal_width() // 2)
        _write_categories(shown, keys, tags=tags)
        _write_suites(suites, keys)
    elif shown:
        typer.echo("\n".join(columns([_row(resolution, tags=tags) for resolution in shown])))
    else:
        typer.echo(_nothing(catalog), err=True)


def _suites(catalog: Catalog, category: str, search: str) -> list[Group]:
    """Return the groups that match, sorted."""
    return [
        group
        for _, group in sorted(catalog.groups.items())
        if (not category or group.value.category.lower() == category.lower())
        and (not search or search.lower() in f"{group.key}\n{group.value.name}\n{group.value.description}".lower())
    ]


def _nothing(catalog: Catalog) -> str:
    if catalog.resolutions:
        return "No benchmark matches."
    limited = "" if chosen_plugins() is None else f" among those that {PLUGINS_VARIABLE} names"
    return f"No benchmark package is installed{limited}."


def _metadata(resolution: Resolution) -> BenchmarkMetadata:
    return (resolution.winner or resolution.candidates[0]).value


def _of_category(shown: Sequence[Resolution], category: str, all_: Iterable[Resolution]) -> list[Resolution]:
    found = [r for r in shown if _metadata(r).category.lower() == category.lower()]
    if not found:
        known = sorted({_metadata(resolution).category for resolution in shown})
        hidden = any(_metadata(r).category.lower() == category.lower() for r in all_)
        reason = "its benchmarks show only with --alpha or --all" if hidden else "no such category"
        raise UsageError(f"{category}: {reason}. Categories: {', '.join(known) or 'none'}.")
    return found


def _matches(resolution: Resolution, search: str) -> bool:
    meta = _metadata(resolution)
    text = "\n".join([resolution.key, meta.name, meta.description, *meta.tags]).lower()
    return search.lower() in text or search.lower().replace("-", "_") in resolution.key.lower()


def _row(resolution: Resolution, *, tags: bool) -> list[str]:
    meta = _metadata(resolution)
    cells = [resolution.key, meta.name, *([", ".join(meta.tags)] if tags else []), _described(resolution)]
    return [" ".join(cell.split()) for cell in cells]


def _described(resolution: Resolution) -> str:
    meta = _metadata(resolution)
    if resolution.winner is None:
        if resolution.rule == "chosen":
            return f"not available: {resolution.why}"
        return f"conflict: provided by {', '.join(c.distribution for c in resolution.candidates)}"
    notes = ["experimental"] if meta.is_alpha else []
    if resolution.overridden:
        others = ", ".join(candidate.distribution for candidate in resolution.overridden)
        notes.append(f"{resolution.winner.distribution} in place of {others}")
    note = f"[{'; '.join(notes)}] " if notes else ""
    return note + " ".join(meta.description.split())


def _write_categories(shown: Iterable[Resolution], keys: int, *, tags: bool) -> None:
    by_category: defaultdict[str, list[Resolution]] = defaultdict(list)
    for resolution in shown:
        by_category[_metadata(resolution).category].append(resolution)
    width = terminal_width()
    for category in sorted(by_category):
        typer.secho(cut(category, width), bold=True, color=sys.stdout.isatty())
        for resolution in by_category[category]:
            typer.echo(GAP + cut(f"{padded(resolution.key, keys)}{GAP}{_described(resolution)}", width - len(GAP)))
            if tags:
                meta = _metadata(resolution)
                typer.echo(GAP + cut(f"{'':<{keys}}{GAP}{', '.join(meta.tags)}", width - len(GAP)))


def _write_suites(suites: Sequence[Group], keys: int) -> None:
    if suites:
        typer.secho("groups", bold=True, color=sys.stdout.isatty())
    for group in suites:
        members = counted(len(group.value.benchmarks), "benchmark")
        text = f"{padded(group.key, keys)}{GAP}{group.value.description} ({members})"
        typer.echo(GAP + cut(text, terminal_width() - len(GAP)))


def _plain(resolution: Resolution) -> dict[str, Any]:
    meta = _metadata(resolution)
    winner = resolution.winner
    return {
        "key": resolution.key,
        "name": meta.name,
        "description": meta.description,
        "category": meta.category,
        "tags": list(meta.tags),
        "is_alpha": meta.is_alpha,
        "subtask": meta.subtask,
        "distribution": winner.distribution if winner else None,
        "version": winner.version if winner else None,
        "rule": resolution.rule,
        "why": resolution.why,
        "candidates": [c.distribution for c in resolution.candidates],
    }
