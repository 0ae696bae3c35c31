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
    return Pulled(list(once.values()), repaired, error)


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
