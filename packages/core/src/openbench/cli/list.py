"""`bench list`."""

import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from openbench.cli import options as opt
from openbench.cli.layout import GAP, columns, cut, terminal_width
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
        shown = _of_category(catalog, shown, category)
    shown = [resolution for resolution in shown if not search or _matches(resolution, search)]
    groups = [
        group
        for _, group in sorted(catalog.groups.items())
        if (not category or group.value.category.lower() == category.lower())
        and search.lower() in f"{group.key}\n{group.value.name}\n{group.value.description}".lower()
    ]
    if as_json:
        opt.echo_json([_plain(resolution) for resolution in shown])
    elif sys.stdout.isatty() and (shown or groups):
        _write_sections(shown, groups, tags=tags)
    elif shown:
        typer.echo("\n".join(columns([_row(resolution, tags=tags) for resolution in shown])))
    elif catalog.resolutions:
        typer.echo("No benchmark matches.", err=True)
    else:
        limited = "" if chosen_plugins() is None else f" among those that {PLUGINS_VARIABLE} names"
        typer.echo(f"No benchmark package is installed{limited}.", err=True)


def _metadata(resolution: Resolution) -> BenchmarkMetadata:
    return (resolution.winner or resolution.candidates[0]).value


def _of_category(catalog: Catalog, shown: Sequence[Resolution], category: str) -> list[Resolution]:
    def within(resolutions: Sequence[Resolution]) -> list[Resolution]:
        return [each for each in resolutions if _metadata(each).category.lower() == category.lower()]

    if found := within(shown):
        return found
    known = sorted({_metadata(resolution).category for resolution in shown})
    hidden = within([*catalog.resolutions.values()])
    reason = "its benchmarks show only with --alpha or --all" if hidden else "no such category"
    raise UsageError(f"{category}: {reason}. Categories: {', '.join(known) or 'none'}.")


def _matches(resolution: Resolution, search: str) -> bool:
    meta = _metadata(resolution)
    text = "\n".join([resolution.key, meta.name, meta.description, *meta.tags]).lower()
    return search.lower() in text or search.lower().replace("-", "_") in resolution.key.lower()


def _row(resolution: Resolution, *, tags: bool) -> list[str]:
    meta = _metadata(resolution)
    cells = [meta.name, ", ".join(meta.tags)] if tags else [meta.name]
    return [resolution.key, *(" ".join(cell.split()) for cell in cells), _described(resolution)]


def _described(resolution: Resolution) -> str:
    meta = _metadata(resolution)
    if resolution.winner is None:
        if resolution.rule == "chosen":
            return " ".join(f"not available: {resolution.why}".split())
        return f"conflict: provided by {', '.join(c.distribution for c in resolution.candidates)}"
    notes = ["experimental"] if meta.is_alpha else []
    if resolution.overridden:
        others = ", ".join(candidate.distribution for candidate in resolution.overridden)
        notes.append(f"{resolution.winner.distribution} in place of {others}")
    note = f"[{'; '.join(notes)}] " if notes else ""
    return note + " ".join(meta.description.split())


def _write_sections(shown: Sequence[Resolution], groups: Sequence[Group], *, tags: bool) -> None:
    """Write benchmarks by category, then the groups; each line is cut to the terminal's width."""
    sections: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for resolution in sorted(shown, key=lambda each: _metadata(each).category):
        rows = sections[_metadata(resolution).category]
        rows.append((resolution.key, _described(resolution)))
        if tags:
            rows.append(("", ", ".join(_metadata(resolution).tags)))
    for group in groups:
        members = counted(len(group.value.benchmarks), "benchmark")
        sections["groups"].append((group.key, " ".join(f"{group.value.description} ({members})".split())))
    lines = iter(columns([row for rows in sections.values() for row in rows]))
    for title, rows in sections.items():
        typer.secho(cut(title, terminal_width()), bold=True, color=True)
        for line in islice(lines, len(rows)):
            typer.echo(cut(GAP + line, terminal_width()))


def _plain(resolution: Resolution) -> dict[str, Any]:
    meta, winner = _metadata(resolution), resolution.winner
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
        "candidates": [candidate.distribution for candidate in resolution.candidates],
    }
