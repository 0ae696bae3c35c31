"""Downloads the datasets of a benchmark into the store, by building its task as for a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from openbench.datasets import Rows, rows_read
from openbench.datasets.fetch import chain, is_remote
from openbench.datasets.store import DamagedError, Entry, Store
from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench.run.inspect_eval import stdout_to_stderr, with_models
from openbench.tasks.build import build_task


@dataclass(frozen=True)
class Pulled:
    """The result of pulling a benchmark.

    Attributes:
        rows: The rows that it read, each source once.
        repaired: The keys of entries that were damaged and fetched again.
        error: Why its task could not be built, possibly after some of its rows were stored.
    """

    rows: Sequence[Rows]
    repaired: Sequence[str] = ()
    error: OpenbenchError | None = None


def pull(benchmark: Benchmark, task_args: Mapping[str, Any]) -> Pulled:
    """Build a benchmark's task, which stores the pinned rows that it reads, and record the benchmark in them.

    Damaged entries are removed and fetched again.
    """
    store = Store.here()
    repaired: list[str] = []
    while True:
        read, error = _build(benchmark, task_args)
        damaged = _damaged(error)
        if damaged is None or damaged.key in repaired:
            break
        store.remove(damaged)
        repaired.append(damaged.key)
    once = {_identity(rows): rows for rows in read}
    dataset = benchmark.metadata.dataset
    for rows in once.values():
        entry = rows.kept.entry if rows.kept else None
        if entry:
            licence = dataset.licence if dataset and entry.manifest.pin.fits(dataset) else None
            store.note(entry, benchmark.key, licence=licence)
    return Pulled(list(once.values()), repaired, error)


def _identity(rows: Rows) -> object:
    return rows.kept.entry.key if rows.kept and rows.kept.entry else rows.source


def why_not_stored(rows: Rows) -> str:
    """Return why rows are not in the store; empty if they are."""
    if rows.kept:
        return rows.kept.reason
    source = rows.source
    if source is None or (source.type == "hf" and source.pinned):
        return "its options cannot be recorded"
    if source.type != "hf" and not is_remote(source.source):
        return "it is a local file, which each run reads again"
    return "it is not pinned, so each run reads it again"


def _build(benchmark: Benchmark, task_args: Mapping[str, Any]) -> tuple[Sequence[Rows], OpenbenchError | None]:
    with stdout_to_stderr(), rows_read() as read:
        try:
            with_models(partial(build_task, benchmark, task_args))
        except OpenbenchError as error:
            return read, error
    return read, None


def _damaged(error: OpenbenchError | None) -> Entry | None:
    found = next((each for each in chain(error) if isinstance(each, DamagedError) and each.folder), None)
    return Entry(found.folder) if found and found.folder else None
