"""Audits a benchmark: its rows, its scorer, and logs of it."""

from collections.abc import Iterator, Sequence
from functools import partial

from inspect_ai import Task
from inspect_ai.model import get_model

from openbench.datasets import stored_rows
from openbench.errors import DataError, NotStoredError, OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench.registry.names import normalized
from openbench.run.inspect_eval import stdout_to_stderr, with_models
from openbench.tasks.build import build_task
from openbench_analysis.audit.answer_key import answer_key
from openbench_analysis.audit.bounds import NAME as FAULTS
from openbench_analysis.audit.bounds import bounds
from openbench_analysis.audit.duplicates import duplicates
from openbench_analysis.audit.findings import Check, skipped
from openbench_analysis.audit.items import items_of
from openbench_analysis.audit.labels import NAME as LABELS
from openbench_analysis.audit.labels import labels
from openbench_analysis.audit.option_order import NAME as OPTION_ORDER
from openbench_analysis.audit.option_order import option_order
from openbench_analysis.audit.scorer import NAME as SCORER
from openbench_analysis.audit.scorer import scorer
from openbench_analysis.runs import Run
from openbench_analysis.systems import System

_SHUFFLES = ("shuffle_choices", "shuffle_options")


def audit(benchmark: Benchmark, systems: Sequence[System] = (), *, sample: bool = False) -> list[Check]:
    """Run all checks.

    Args:
        benchmark: The benchmark.
        systems: Systems that were run on it, and perhaps on others.
        sample: Whether to read the sample rows of its package in place of all rows.

    Raises:
        DataError: Its rows are not on this machine.
        OpenbenchError: Its task cannot be built or run.
    """
    make = partial(_task, benchmark, sample=sample)
    with stdout_to_stderr():
        items = items_of(list(make().dataset))
        checks = [answer_key(items), duplicates(items), _scorer(benchmark, make)]
    runs = [
        (system.label, run)
        for system in systems
        for run in system.runs.values()
        if normalized(run.benchmark) == normalized(benchmark.key)
    ]
    return [*checks, *_of_logs(benchmark, runs)]


def _task(benchmark: Benchmark, *, sample: bool) -> Task:
    build = partial(build_task, benchmark, {}, sample=sample)
    try:
        with stored_rows():
            return with_models(build, get_model("none"), {"grader": get_model("baseline/grader")})
    except NotStoredError as error:
        raise DataError(
            f"{benchmark.key}: its rows are not on this machine. 'bench data pull {benchmark.key}' stores them; "
            "--sample audits the sample rows of its package."
        ) from error


def _scorer(benchmark: Benchmark, make: partial[Task]) -> Check:
    needs = [need for need in benchmark.metadata.needs if need in {"grader", "sandbox"}]
    if needs:
        return skipped(SCORER, f"the scorer needs a {' and a '.join(needs)}, which an audit does not run.")
    try:
        return scorer(make, higher_is_better=benchmark.metadata.higher_is_better)
    except OpenbenchError as error:
        return skipped(SCORER, f"the phrasings could not be run: {error}")


def _of_logs(benchmark: Benchmark, runs: Sequence[tuple[str, Run]]) -> Iterator[Check]:
    if not runs:
        logs = "no logs were given."
        yield skipped(OPTION_ORDER, f"{logs} {_how_to_shuffle(benchmark)}")
        yield skipped(LABELS, f"{logs} Give those of three systems or more.")
        yield skipped(FAULTS, logs)
        return
    yield option_order(runs)
    yield labels(_one_each(runs))
    yield bounds(runs)


def _how_to_shuffle(benchmark: Benchmark) -> str:
    """Return how to run a benchmark with its options in another order."""
    signature = benchmark.signature()
    known = [name for name in _SHUFFLES if signature and name in signature.parameters]
    if known:
        return f"Run it once more with -T {known[0]}=SEED, and give both logs."
    return "Its task has no argument that shuffles options; a log of any model shows a bias to positions."


def _one_each(runs: Sequence[tuple[str, Run]]) -> list[tuple[str, Run]]:
    """Return the first run of each system: runs of one system are not independent."""
    return list({label: (label, run) for label, run in reversed(runs)}.values())[::-1]
