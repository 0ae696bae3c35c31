"""`bench data ls`, `bench data verify` and `bench data rm`: the stored datasets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.filesize import decimal as readable_size

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.cli.layout import columns
from openbench.datasets.pin import Pin
from openbench.datasets.store import DamagedError, Entry, Store
from openbench.errors import FAILED, SUCCESS, UnknownNameError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.redaction import redacted_text
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import counted, normalized
from openbench_bundles.maintenance import clean, entries_of, fits, remove, size_of
from openbench_bundles.maintenance import verify as verify_entry

_KEY_DIGITS = 8  # enough to identify an entry
_LEAST_DIGITS = 4  # minimum length of a key on the command line

Everything = Annotated[bool, typer.Option("--all", help="All benchmarks or entries, instead of names.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME|KEY]...", autocompletion=complete_names, help="Benchmarks, groups or keys of entries."
    ),
]


def ls(as_json: opt.Json = False) -> None:
    """List stored datasets, and check the size and digest of each."""
    store, known = Store.here(), _known_benchmarks(Catalog.installed())
    entries = [(entry, _owners(entry, known)) for entry in entries_of(store)]
    if as_json:
        opt.echo_json([_described(entry, names) for entry, names in entries])
        return
    head = ("KEY", "BENCHMARKS", "DATASET", "ROWS", "SIZE", "PIN", "LICENCE", "STATE")
    if lines := [_line(entry, names) for entry, names in entries]:
        typer.echo("\n".join(columns([head, *lines], right=(3, 4))))
    size = readable_size(sum(size_of(entry) for entry, _ in entries))
    typer.echo(f"{counted(len(entries), 'dataset')} in {store.root}: {size}")


def _line(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    key, size = entry.key[:_KEY_DIGITS], readable_size(size_of(entry))
    try:
        manifest = entry.manifest
    except DamagedError:
        return key, "?", "?", "?", size, "?", "?", "damaged"
    pin, rows, licence = manifest.pin, f"{manifest.rows:,}", manifest.licence or "unknown"
    return (
        key,
        ", ".join(names) or "-",
        pin.label,
        rows,
        size,
        _short(pin),
        licence,
        "damaged" if _fault(entry) else "ok",
    )


def _short(pin: Pin) -> str:
    """Return the first digits of the commit or digest of a pin."""
    return (pin.revision or pin.sha256 or pin.md5 or "")[:7]


def _described(entry: Entry, names: Sequence[str]) -> dict[str, Any]:
    fault = _fault(entry)
    base = {"key": entry.key, "benchmarks": list(names), "bytes": size_of(entry), "verified": not fault, "fault": fault}
    try:
        manifest = entry.manifest
    except DamagedError:
        return base
    kept = {name: getattr(manifest, name) for name in ("rows", "digest", "licence", "fetched_at", "versions")}
    return {**base, **asdict(manifest.pin), "source": redacted_text(manifest.pin.source), **kept}


def _fault(entry: Entry) -> str | None:
    """Return the fault of an entry's file, or None."""
    try:
        entry.data()
    except DamagedError as error:
        return error.fault
    return None


def verify() -> int:
    """Verify all stored datasets.

    Checks manifests, files and the digest of all rows. Exits with 1 if an entry is damaged, and names it.
    """
    store = Store.here()
    entries, damaged = entries_of(store), 0
    for entry in entries:
        try:
            verify_entry(entry)
        except DamagedError as error:
            damaged += 1
            typer.echo(f"bench: {error}", err=True)
    state = f"{damaged} damaged" if damaged else "all verified"
    typer.echo(f"{counted(len(entries), 'dataset')} in {store.root}: {state if entries else 'nothing to check'}")
    return FAILED if damaged else SUCCESS


def rm(names: Names = None, everything: Everything = False) -> None:
    """Remove the stored datasets of a benchmark, or one entry by its key."""
    store = Store.here()
    entries = chosen_entries(store, names, everything=everything)
    freed = 0
    for entry in entries:
        what = described(entry)
        freed += remove(store, entry)
        typer.echo(f"removed {what}")
    freed += clean(store)
    typer.echo(f"{counted(len(entries), 'dataset')} removed: {readable_size(freed)} freed")


def chosen_entries(store: Store, names: Sequence[str] | None, *, everything: bool) -> Sequence[Entry]:
    """Return the entries that a command line names, or all."""
    check_names(names, everything)
    entries = entries_of(store)
    return entries if everything else _named_entries(Catalog.installed(), entries, names or [])


def _known_benchmarks(catalog: Catalog) -> Mapping[str, Sequence[BenchmarkMetadata]]:
    """Return the metadata of every benchmark in the catalog, by key, from all distributions that provide it."""
    return {key: [each.value for each in found.candidates] for key, found in catalog.resolutions.items()}


def _owners(entry: Entry, known: Mapping[str, Iterable[BenchmarkMetadata]]) -> Sequence[str]:
    """Return the keys of the benchmarks that an entry belongs to; none if its manifest is damaged."""
    try:
        manifest = entry.manifest
    except DamagedError:
        return []
    named = {key for key, each in known.items() if any(m.dataset and fits(manifest.pin, m.dataset) for m in each)}
    return sorted({*named, *manifest.benchmarks})


def _named_entries(catalog: Catalog, entries: Sequence[Entry], names: Sequence[str]) -> Sequence[Entry]:
    """Return the distinct entries of benchmarks, or with keys that begin with the names."""
    known = _known_benchmarks(catalog)
    found: dict[str, Entry] = {}
    for name in names:
        matches = _for_benchmark(catalog, entries, known, name) or _with_key(entries, name)
        if not matches:
            raise UsageError(
                f"{name}: no stored dataset has this key or belongs to a benchmark of this name. "
                "'bench data ls' lists stored datasets; 'bench data pull NAME' stores those of a benchmark."
            )
        found |= {entry.key: entry for entry in matches}
    return list(found.values())


def _for_benchmark(
    catalog: Catalog, entries: Sequence[Entry], known: Mapping[str, Sequence[BenchmarkMetadata]], name: str
) -> list[Entry]:
    """Find entries by the name of a benchmark, which need not be installed if they were pulled for it."""
    try:
        matches = {benchmark.key: [benchmark.metadata] for benchmark in named_benchmarks(catalog, [name])}
    except UnknownNameError:
        matches = {}
    wanted = {normalized(key) for key in matches} or {normalized(name.partition("@")[0])}
    return [entry for entry in entries if wanted & {normalized(key) for key in _owners(entry, {**known, **matches})}]


def _with_key(entries: Sequence[Entry], digits: str) -> list[Entry]:
    found = [entry for entry in entries if len(digits) >= _LEAST_DIGITS and entry.key.startswith(digits)]
    if len(found) > 1:
        raise UsageError(f"{digits}: several keys begin with these digits: {', '.join(entry.key for entry in found)}.")
    return found


def check_names(names: Sequence[str] | None, everything: bool) -> None:
    """Check that a command line has either names or --all."""
    if bool(names) is everything:
        raise UsageError("Give either names or --all.")


def described(entry: Entry) -> str:
    """Return an entry's dataset, pin, rows and size in one line."""
    size = readable_size(size_of(entry))
    try:
        manifest = entry.manifest
    except DamagedError:
        return f"{entry.key} (damaged): {size}"
    return f"{manifest.pin.label} ({_short(manifest.pin)}): {counted(manifest.rows, 'row')}, {size}"


def named_benchmarks(catalog: Catalog, names: Sequence[str]) -> Sequence[Benchmark]:
    """Return the distinct benchmarks of names, groups and paths; of a group, only the installed ones."""
    found: dict[str, Benchmark] = {}
    for name in names:
        group = catalog.group(name)
        missing = catalog.missing(group) if group else []
        members = [member for member in group.value.benchmarks if member not in missing] if group else [name]
        for member in members:
            benchmark = find_benchmark(catalog, member)
            found[benchmark.reference] = benchmark
    return list(found.values())
