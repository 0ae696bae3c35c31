"""`bench data`: the store of datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer
from rich.filesize import decimal as readable_size

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.cli.table import columns
from openbench.datasets import Rows, rows_read
from openbench.datasets.fetch import chain, is_remote
from openbench.datasets.store import DamagedError, Entry, Store
from openbench.errors import FAILED, SUCCESS, OpenbenchError, UnknownNameError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import counted, normalized

_KEY_DIGITS = 8  # enough to tell entries apart, and to name one
_LEAST_DIGITS = 4  # of a key that is typed

Everything = Annotated[bool, typer.Option("--all", help="All benchmarks or entries, instead of names.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME|KEY]...", autocompletion=complete_names, help="Benchmarks, groups or keys of entries."
    ),
]

command = typer.Typer(
    help="Fetch, list, verify, remove and move the datasets of benchmarks.\n\n"
    "A pinned dataset is fetched once, by the first run or by bench data pull, and is then read from the store without "
    "a network. OPENBENCH_DATA_DIR sets the directory of the store."
)


@command.command("pull")
def pull(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", autocompletion=complete_names, help="Benchmarks, groups, or paths of local evals."
        ),
    ] = None,
    everything: Everything = False,
    task_args: Annotated[
        list[str] | None, typer.Option("-T", metavar="KEY=VALUE", help="Task argument, as for bench eval.")
    ] = None,
) -> int:
    """Store the datasets of benchmarks.

    The datasets may depend on the task's arguments: few-shot examples, for instance, often come from another split.
    """
    from openbench.run.arguments import parse_pairs, task_arguments

    _check_names(names, everything)
    if everything and task_args:
        raise UsageError("-T requires names of benchmarks and cannot be combined with --all.")
    catalog = Catalog.installed()
    if everything:
        jobs = _all_jobs(catalog)
    else:
        benchmarks = _named_benchmarks(catalog, names or [])
        arguments = task_arguments(benchmarks, parse_pairs(task_args or [], "-T"))
        jobs = list(zip(benchmarks, arguments, strict=True))
    Store.here().clean()
    failed = False
    for benchmark, args in jobs:
        if isinstance(args, UsageError):
            typer.echo(f"bench: {args}", err=True)
            failed = True
            continue
        read, repaired, error = _pull(benchmark, args)
        for rows in read:
            typer.echo(_pulled(benchmark.key, rows, repaired))
        if error:
            typer.echo(f"bench: {error}", err=True)
        elif not read:
            typer.echo(f"{benchmark.key}: reads no rows through openbench; nothing to store")
        failed = failed or error is not None or any(rows.kept and not rows.kept.entry for rows in read)
    return FAILED if failed else SUCCESS


def _all_jobs(catalog: Catalog) -> Sequence[tuple[Benchmark, Mapping[str, Any] | UsageError]]:
    """Return every benchmark with its default arguments, or with the error that they cause."""
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


def _pull(
    benchmark: Benchmark, task_args: Mapping[str, Any]
) -> tuple[Sequence[Rows], Sequence[str], OpenbenchError | None]:
    """Build a benchmark's task, which stores the pinned rows that it reads, and record the benchmark in them.

    Damaged entries are removed and fetched again.

    Returns:
        The rows, each source once; the keys of entries that were damaged; and why the task could not be built, possibly
        after some of its rows were stored.
    """
    from openbench.run.inspect_eval import stdout_to_stderr, with_models
    from openbench.tasks.build import build_task

    store = Store.here()
    repaired: list[str] = []
    while True:
        error: OpenbenchError | None = None
        with stdout_to_stderr(), rows_read() as read:
            try:
                with_models(partial(build_task, benchmark, task_args))
            except OpenbenchError as failure:
                error = failure
        folders = (each.folder for each in chain(error) if isinstance(each, DamagedError))
        damaged = next((Entry(folder) for folder in folders if folder), None)
        if damaged is None or damaged.key in repaired:
            break
        store.remove(damaged)
        repaired.append(damaged.key)
    once: dict[object, Rows] = {}
    dataset = benchmark.metadata.dataset
    for rows in read:
        entry = rows.kept.entry if rows.kept else None
        once[entry.key if entry else rows.source] = rows
        if entry:
            licence = dataset.licence if dataset and entry.manifest.pin.fits(dataset) else None
            store.note(entry, benchmark.key, licence=licence)
    return list(once.values()), repaired, error


def _pulled(key: str, rows: Rows, repaired: Sequence[str]) -> str:
    """Return how rows were stored, or why not, in one line."""
    source, kept = rows.source, rows.kept
    if kept and kept.entry and not kept.reason:
        how = "fetched again: the stored copy was damaged" if kept.entry.key in repaired else "fetched"
        return f"{key}: {described(kept.entry)}, {how if kept.fetched else 'already stored'}"
    if kept:
        reason = kept.reason
    elif source is None or (source.type == "hf" and source.pinned):
        reason = "its options cannot be recorded"
    elif source.type != "hf" and not is_remote(source.source):
        reason = "it is a local file, which each run reads again"
    else:
        reason = "it is not pinned, so each run reads it again"
    return f"{key}: {rows.label}: not stored: {reason}"


@command.command("ls")
def ls(as_json: opt.Json = False) -> None:
    """List stored datasets, and check the size and digest of each."""
    store, known = Store.here(), _known_benchmarks(Catalog.installed())
    entries = [(entry, _owners(entry, known)) for entry in store.entries()]
    if as_json:
        opt.echo_json([_described(entry, names) for entry, names in entries])
        return
    head = ("KEY", "BENCHMARKS", "DATASET", "ROWS", "SIZE", "PIN", "LICENCE", "STATE")
    if lines := [_line(entry, names) for entry, names in entries]:
        typer.echo("\n".join(columns([head, *lines], right=(3, 4))))
    size = readable_size(sum(entry.size for entry, _ in entries))
    typer.echo(f"{counted(len(entries), 'dataset')} in {store.root}: {size}")


def _line(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    key, size = entry.key[:_KEY_DIGITS], readable_size(entry.size)
    try:
        manifest = entry.manifest
    except DamagedError:
        return key, "?", "?", "?", size, "?", "?", "damaged"
    pin, rows, licence = manifest.pin, f"{manifest.rows:,}", manifest.licence or "unknown"
    return key, ", ".join(names) or "-", pin.label, rows, size, pin.short, licence, "damaged" if _fault(entry) else "ok"


def _described(entry: Entry, names: Sequence[str]) -> dict[str, Any]:
    from openbench.redaction import redacted_text

    fault = _fault(entry)
    base = {"key": entry.key, "benchmarks": list(names), "bytes": entry.size, "verified": not fault, "fault": fault}
    try:
        manifest = entry.manifest
    except DamagedError:
        return base
    kept = {name: getattr(manifest, name) for name in ("rows", "digest", "licence", "fetched_at", "versions")}
    return {**base, **asdict(manifest.pin), "source": redacted_text(manifest.pin.source), **kept}


def _fault(entry: Entry) -> str | None:
    """Return what is wrong with the file of an entry, or None."""
    try:
        entry.data()
    except DamagedError as error:
        return error.fault
    return None


@command.command("verify")
def verify() -> int:
    """Verify all stored datasets.

    Checks manifests, files and the digest of all rows. Exits with 1 and names what is damaged, if anything is.
    """
    store = Store.here()
    entries, damaged = store.entries(), 0
    for entry in entries:
        try:
            entry.verify()
        except DamagedError as error:
            damaged += 1
            typer.echo(f"bench: {error}", err=True)
    state = f"{damaged} damaged" if damaged else "all verified"
    typer.echo(f"{counted(len(entries), 'dataset')} in {store.root}: {state if entries else 'nothing to check'}")
    return FAILED if damaged else SUCCESS


@command.command("rm")
def rm(names: Names = None, everything: Everything = False) -> None:
    """Remove the stored datasets of a benchmark, or one entry by its key."""
    store = Store.here()
    entries = chosen_entries(store, names, everything=everything)
    freed = 0
    for entry in entries:
        what = described(entry)
        freed += store.remove(entry)
        typer.echo(f"removed {what}")
    freed += store.clean()
    typer.echo(f"{counted(len(entries), 'dataset')} removed: {readable_size(freed)} freed")


def chosen_entries(store: Store, names: Sequence[str] | None, *, everything: bool) -> Sequence[Entry]:
    """Return the entries that a command line names, or all."""
    _check_names(names, everything)
    entries = store.entries()
    return entries if everything else _named_entries(Catalog.installed(), entries, names or [])


def _check_names(names: Sequence[str] | None, everything: bool) -> None:
    if bool(names) is everything:
        raise UsageError("Give either names or --all.")


def described(entry: Entry) -> str:
    """Return an entry's dataset, pin, rows and size in one line."""
    size = readable_size(entry.size)
    try:
        manifest = entry.manifest
    except DamagedError:
        return f"{entry.key} (damaged): {size}"
    return f"{manifest.pin.label} ({manifest.pin.short}): {counted(manifest.rows, 'row')}, {size}"


def _known_benchmarks(catalog: Catalog) -> Mapping[str, Sequence[BenchmarkMetadata]]:
    """Return the metadata of every benchmark in the catalog, by key, from all distributions that provide it."""
    return {key: [each.value for each in found.candidates] for key, found in catalog.resolutions.items()}


def _owners(entry: Entry, known: Mapping[str, Iterable[BenchmarkMetadata]]) -> Sequence[str]:
    """Return the keys of the benchmarks that an entry belongs to; none if its manifest is damaged."""
    try:
        manifest = entry.manifest
    except DamagedError:
        return []
    named = {key for key, each in known.items() if any(m.dataset and manifest.pin.fits(m.dataset) for m in each)}
    return sorted({*named, *manifest.benchmarks})


def _named_benchmarks(catalog: Catalog, names: Sequence[str]) -> Sequence[Benchmark]:
    """Return the benchmarks of names, groups and paths, each once; of a group those that are installed."""
    found: dict[str, Benchmark] = {}
    for name in names:
        group = catalog.group(name)
        missing = catalog.missing(group) if group else []
        members = [member for member in group.value.benchmarks if member not in missing] if group else [name]
        for member in members:
            benchmark = find_benchmark(catalog, member)
            found[benchmark.reference] = benchmark
    return list(found.values())


def _named_entries(catalog: Catalog, entries: Sequence[Entry], names: Sequence[str]) -> Sequence[Entry]:
    """Return the entries of benchmarks, or whose keys begin with the names, each once."""
    known = _known_benchmarks(catalog)
    found: dict[str, Entry] = {}
    for name in names:
        meant = _for_benchmark(catalog, entries, known, name) or _with_key(entries, name)
        if not meant:
            raise UsageError(
                f"{name}: no dataset of a benchmark with this name, and none with this key, is stored. "
                "'bench data ls' lists stored datasets; 'bench data pull NAME' stores those of a benchmark."
            )
        found |= {entry.key: entry for entry in meant}
    return list(found.values())


def _for_benchmark(
    catalog: Catalog, entries: Sequence[Entry], known: Mapping[str, Sequence[BenchmarkMetadata]], name: str
) -> list[Entry]:
    """Find entries by the name of a benchmark, which need not be installed if they were pulled for it."""
    try:
        meant = {benchmark.key: [benchmark.metadata] for benchmark in _named_benchmarks(catalog, [name])}
    except UnknownNameError:
        meant = {}
    wanted = {normalized(key) for key in meant} or {normalized(name.partition("@")[0])}
    return [entry for entry in entries if wanted & {normalized(key) for key in _owners(entry, {**known, **meant})}]


def _with_key(entries: Sequence[Entry], digits: str) -> list[Entry]:
    found = [entry for entry in entries if len(digits) >= _LEAST_DIGITS and entry.key.startswith(digits)]
    if len(found) > 1:
        raise UsageError(f"{digits}: several keys begin with it: {', '.join(entry.key for entry in found)}.")
    return found
