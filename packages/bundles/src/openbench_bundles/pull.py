"""`bench data pull`: stores the datasets of benchmarks before a run needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from openbench.cli.completion import complete_names
from openbench.datasets import Rows, rows_read
from openbench.datasets.fetch import chain, is_remote
from openbench.datasets.store import DamagedError, Entry, Store
from openbench.errors import FAILED, SUCCESS, OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.catalog import Catalog
from openbench_bundles.maintenance import clean, fits, record_benchmark, remove
from openbench_bundles.stored import Everything, check_names, described, named_benchmarks


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

    check_names(names, everything)
    if everything and task_args:
        raise UsageError("-T requires names of benchmarks and cannot be combined with --all.")
    catalog = Catalog.installed()
    if everything:
        jobs = _all_jobs(catalog)
    else:
        benchmarks = named_benchmarks(catalog, names or [])
        arguments = task_arguments(benchmarks, parse_pairs(task_args or [], "-T"))
        jobs = list(zip(benchmarks, arguments, strict=True))
    clean(Store.here())
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
    """Return every benchmark with its default arguments, or with the error that occurs."""
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
    """Build a benchmark's task, which stores the pinned rows that it reads, and record the benchmark in their entries.

    Damaged entries are removed and fetched again.

    Returns:
        The rows, each source once; the keys of damaged entries; and the error if the task could not be built, possibly
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
        remove(store, damaged)
        repaired.append(damaged.key)
    once: dict[object, Rows] = {}
    dataset = benchmark.metadata.dataset
    for rows in read:
        entry = rows.kept.entry if rows.kept else None
        once[entry.key if entry else rows.source] = rows
        if entry:
            licence = dataset.licence if dataset and fits(entry.manifest.pin, dataset) else None
            record_benchmark(store, entry, benchmark.key, licence=licence)
    return list(once.values()), repaired, error


def _pulled(key: str, rows: Rows, repaired: Sequence[str]) -> str:
    """Return one line that says how rows were stored, or why they were not."""
    source, kept = rows.source, rows.kept
    if kept and kept.entry and not kept.reason:
        how = "fetched again: the stored copy was damaged" if kept.entry.key in repaired else "fetched"
        return f"{key}: {described(kept.entry)}, {how if kept.fetched else 'already stored'}"
    if kept:
        reason = kept.reason
    elif source is None or (source.type == "hf" and source.pinned):
        reason = "its options cannot be recorded"
    elif source.type != "hf" and not is_remote(source.source):
        reason = "a local file, which each run reads again"
    else:
        reason = "not pinned, so each run reads it again"
    return f"{key}: {rows.label}: not stored: {reason}"
