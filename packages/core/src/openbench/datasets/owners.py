"""The benchmarks that an entry belongs to: it was pulled for them, or their metadata have its source and pin."""

from collections.abc import Iterable, Mapping, Sequence

from openbench.datasets.store import DamagedError, Entry
from openbench.errors import UnknownNameError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import normalized

_LEAST_DIGITS = 4


def known_benchmarks(catalog: Catalog) -> Mapping[str, Sequence[BenchmarkMetadata]]:
    """Return the metadata of every benchmark in the catalog, by key, from all distributions that provide it."""
    return {key: [each.value for each in found.candidates] for key, found in catalog.resolutions.items()}


def owners(entry: Entry, known: Mapping[str, Iterable[BenchmarkMetadata]]) -> Sequence[str]:
    """Return the keys of the benchmarks that an entry belongs to; none if its manifest is damaged."""
    try:
        manifest = entry.manifest
    except DamagedError:
        return []
    named = {key for key, each in known.items() if any(m.dataset and manifest.pin.fits(m.dataset) for m in each)}
    return sorted({*named, *manifest.benchmarks})


def named_benchmarks(catalog: Catalog, names: Sequence[str]) -> Sequence[Benchmark]:
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


def named_entries(catalog: Catalog, entries: Sequence[Entry], names: Sequence[str]) -> Sequence[Entry]:
    """Return the entries of benchmarks, or whose keys begin with the names, each once."""
    known = known_benchmarks(catalog)
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
        meant = {benchmark.key: [benchmark.metadata] for benchmark in named_benchmarks(catalog, [name])}
    except UnknownNameError:
        meant = {}
    wanted = {normalized(key) for key in meant} or {normalized(name.partition("@")[0])}
    return [entry for entry in entries if wanted & {normalized(key) for key in owners(entry, {**known, **meant})}]


def _with_key(entries: Sequence[Entry], digits: str) -> list[Entry]:
    found = [entry for entry in entries if len(digits) >= _LEAST_DIGITS and entry.key.startswith(digits)]
    if len(found) > 1:
        raise UsageError(f"{digits}: several keys begin with it: {', '.join(entry.key for entry in found)}.")
    return found
