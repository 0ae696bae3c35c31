"""`bench data`: the store of datasets."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openbench.cli.completion import complete_benchmarks
from openbench.cli.table import columns
from openbench.errors import FAILED, SUCCESS, DataError, UsageError
from openbench.registry.names import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from openbench.datasets import Rows
    from openbench.datasets.store import Entry
    from openbench.registry.benchmark import Benchmark
    from openbench.registry.catalog import Catalog

_KEY_DIGITS = 8  # enough to tell entries apart, and to name one
_UNIT = 1000
_OK = "ok"

_EVERYTHING = click.option("--all", "everything", is_flag=True, help="Everything there is, in place of names.")


@click.group("data")
def command() -> None:
    """Fetch, show, check and move the datasets of benchmarks.

    What is pinned is fetched once, by the first run or by bench data pull, and read from the store from then on,
    without a network. OPENBENCH_DATA_DIR says where the store is.
    """


@command.command("pull")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_benchmarks)
@_EVERYTHING
@click.option(
    "-T", "task_args", multiple=True, metavar="KEY=VALUE", help="Argument of the benchmarks, as of bench eval."
)
def pull(names: Sequence[str], everything: bool, task_args: Sequence[str]) -> int:
    """Store what benchmarks read.

    NAME is a benchmark, a group, or the path of a local eval. What it reads depends on its arguments: worked examples,
    for one, may come from another split.
    """
    from openbench.datasets.store import Store
    from openbench.registry.catalog import Catalog
    from openbench.run.values import parse_pairs

    _check_names(names, everything)
    if everything and task_args:
        raise UsageError("-T goes with the names of benchmarks, not with --all.")
    catalog = Catalog.installed()
    jobs = _all_jobs(catalog) if everything else _jobs(catalog, names, parse_pairs(task_args, "-T"))
    from openbench.run.pulling import pull as pull_one

    Store.here().clean()
    failed = False
    for benchmark, args in jobs:
        if isinstance(args, UsageError):
            click.echo(f"bench: {args}", err=True)
            failed = True
            continue
        pulled = pull_one(benchmark, args)
        told = [_pulled(benchmark.key, rows, pulled.repaired) for rows in pulled.rows]
        if not told and not pulled.error:
            told = [f"{benchmark.key}: reads no rows through openbench, so there is nothing to store"]
        for line in told:
            click.echo(line)
        if pulled.error:
            click.echo(f"bench: {pulled.error}", err=True)
        failed = failed or pulled.error is not None or any(rows.kept and not rows.kept.entry for rows in pulled.rows)
    return FAILED if failed else SUCCESS


def _jobs(
    catalog: Catalog, names: Sequence[str], given: Mapping[str, str]
) -> Sequence[tuple[Benchmark, Mapping[str, Any]]]:
    from openbench.datasets.store.owners import named_benchmarks
    from openbench.run.arguments import task_arguments

    benchmarks = named_benchmarks(catalog, names)
    return list(zip(benchmarks, task_arguments(benchmarks, given), strict=True))


def _all_jobs(catalog: Catalog) -> Sequence[tuple[Benchmark, Mapping[str, Any] | UsageError]]:
    """Give every benchmark its default arguments, or say why it cannot do with them."""
    from openbench.registry.benchmark import Benchmark
    from openbench.run.arguments import task_arguments

    jobs: list[tuple[Benchmark, Mapping[str, Any] | UsageError]] = []
    for key, found in catalog.resolutions.items():
        benchmark = Benchmark(key, (found.winner or found.candidates[0]).value, found)
        try:
            catalog.find(key)
            jobs.append((benchmark, task_arguments([benchmark], {})[0]))
        except UsageError as error:
            jobs.append((benchmark, error))
    return jobs


def _pulled(key: str, rows: Rows, repaired: Sequence[str]) -> str:
    from openbench.run.pulling import why_not_stored

    reason = why_not_stored(rows)
    entry = rows.kept.entry if rows.kept else None
    if reason or entry is None or rows.kept is None:
        return f"{key}: {rows.label}: not stored: {reason}"
    how = "fetched, since what was stored was damaged" if entry.key in repaired else "fetched"
    return f"{key}: {_what(entry)}, {how if rows.kept.fetched else 'stored already'}"


@command.command("ls")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def ls(as_json: bool) -> int:
    """List what is stored, and whether its bytes are as they were."""
    from openbench.datasets.store import Store
    from openbench.datasets.store.owners import known_benchmarks, owners
    from openbench.registry.catalog import Catalog

    store, known = Store.here(), known_benchmarks(Catalog.installed())
    entries = [(entry, owners(entry, known)) for entry in store.entries()]
    if as_json:
        click.echo(json.dumps([_described(entry, names) for entry, names in entries], indent=2))
        return SUCCESS
    head = ("KEY", "BENCHMARKS", "DATASET", "ROWS", "SIZE", "PIN", "LICENCE", "STATE")
    lines = [_line(entry, names) for entry, names in entries]
    for line in columns([head, *lines], right=(3, 4)) if lines else ():
        click.echo(line)
    click.echo(f"{_count(entries)} in {store.root}: {_size(sum(entry.size for entry, _ in entries))}")
    return SUCCESS


def _line(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    from openbench.datasets.store import DamagedError

    key, size, state = entry.key[:_KEY_DIGITS], _size(entry.size), _state(entry)
    try:
        said = entry.manifest
    except DamagedError:
        return key, "?", "?", "?", size, "?", "?", "damaged"
    licence = said.licence or "unknown"
    state = "damaged" if state else _OK
    return key, ", ".join(names) or "-", said.pin.label, f"{said.rows:,}", size, said.pin.short, licence, state


def _described(entry: Entry, names: Sequence[str]) -> dict[str, Any]:
    from openbench.datasets.store import DamagedError
    from openbench.redaction import redacted_text

    fault = _state(entry)
    base = {"key": entry.key, "benchmarks": list(names), "bytes": entry.size, "verified": not fault, "fault": fault}
    try:
        said = entry.manifest
    except DamagedError:
        return base
    kept = {name: getattr(said, name) for name in ("rows", "digest", "licence", "fetched_at", "versions")}
    return {**base, **asdict(said.pin), "source": redacted_text(said.pin.source), **kept}


def _state(entry: Entry) -> str | None:
    """Return what is wrong with the bytes of an entry; None if nothing is."""
    from openbench.datasets.store import DamagedError

    try:
        entry.data()
    except DamagedError as error:
        return error.fault
    return None


@command.command("verify")
def verify() -> int:
    """Check everything that is stored.

    Manifests, files and the digest of all rows. Exits with 1 if anything is not as it was stored, and names it.
    """
    from openbench.datasets.store import DamagedError, Store

    store = Store.here()
    entries, damaged = store.entries(), 0
    for entry in entries:
        try:
            entry.verify()
        except DamagedError as error:
            damaged += 1
            click.echo(f"bench: {error}", err=True)
    state = f"{damaged} damaged" if damaged else "all as they were stored"
    click.echo(f"{_count(entries)} in {store.root}: {state if entries else 'nothing to check'}")
    return FAILED if damaged else SUCCESS


@command.command("rm")
@click.argument("names", nargs=-1, metavar="[NAME|KEY]...", shell_complete=complete_benchmarks)
@_EVERYTHING
def rm(names: Sequence[str], everything: bool) -> int:
    """Remove what is stored for a benchmark, or one entry by its key."""
    from openbench.datasets.store import Store

    store = Store.here()
    entries = _entries(store, names, everything)
    freed = 0
    for entry in entries:
        what = _what(entry)
        freed += store.remove(entry)
        click.echo(f"removed {what}")
    freed += store.clean()
    click.echo(f"{_count(entries)} removed: {_size(freed)} are free")
    return SUCCESS


@command.command("export")
@click.argument("target", metavar="FILE.tar|DIR", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME|KEY]...", shell_complete=complete_benchmarks)
@_EVERYTHING
def export(target: Path, names: Sequence[str], everything: bool) -> int:
    """Write what is stored to a file or a folder.

    On a machine without a network, bench data import makes the benchmarks run with it.
    """
    from openbench.datasets.store import Store, bundle_digest, export_entries

    entries = _entries(Store.here(), names, everything)
    with _told(f"the export to {target} failed"):
        size = export_entries(entries, target)
    for entry in entries:
        click.echo(_what(entry))
    way_in = f"bench data import {target.name} --digest {bundle_digest(entries)}"
    click.echo(f"{_count(entries)} in {target}: {_size(size)}. Bring them in with: {way_in}")
    return SUCCESS


@command.command("import")
@click.argument("bundle", metavar="FILE.tar|DIR", type=click.Path(path_type=Path, exists=True))
@click.option("--digest", help="What bench data export printed: bundles with other rows are refused.")
def import_(bundle: Path, digest: str | None) -> int:
    """Store what bench data export wrote.

    Everything in it is checked before anything is changed. A pinned file is checked against its pin; a commit of a
    repository says nothing of rows that someone else put under it, so give the digest too unless you made the bundle.
    """
    from openbench.datasets.store import Store, import_entries

    store = Store.here()
    with _told(f"the import of {bundle} to {store.root} failed"):
        store.clean()
        imported = import_entries(store, bundle, digest=digest)
    for entry in imported.new:
        click.echo(_what(entry))
    known = f"; {len(imported.known)} were stored already" if imported.known else ""
    unknown = not digest and any(not entry.manifest.pin.sha256 for entry in imported.new)
    trust = "; without --digest, their rows are as whoever made the bundle has them" if unknown else ""
    click.echo(f"{_count(imported.new)} imported to {store.root}{known}{trust}")
    return SUCCESS


def _entries(store: Any, names: Sequence[str], everything: bool) -> Sequence[Entry]:
    from openbench.datasets.store.owners import named_entries
    from openbench.registry.catalog import Catalog

    _check_names(names, everything)
    entries: Sequence[Entry] = store.entries()
    return entries if everything else named_entries(Catalog.installed(), entries, names)


def _check_names(names: Sequence[str], everything: bool) -> None:
    if bool(names) is everything:
        raise UsageError("Give names, or --all; one of the two.")


@contextlib.contextmanager
def _told(failed: str) -> Iterator[None]:
    """Say what failed when the disk does: a system's error of writing names no file."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise DataError(f"{failed}: {error.strerror or error}{where}") from error


def _what(entry: Entry) -> str:
    from openbench.datasets.store import DamagedError

    try:
        said = entry.manifest
    except DamagedError:
        return f"{entry.key} (damaged): {_size(entry.size)}"
    return f"{said.pin.label} ({said.pin.short}): {counted(said.rows, 'row')}, {_size(entry.size)}"


def _count(entries: Sequence[object]) -> str:
    return f"{len(entries)} dataset{'' if len(entries) == 1 else 's'}"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < _UNIT:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= _UNIT
    return f"{count:.1f} GB"
