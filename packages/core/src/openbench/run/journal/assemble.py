"""Makes a job's log of its journal: the one that an undisturbed run would have written."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from inspect_ai.log import EvalLog, EvalResults, EvalSample, EvalSpec, EvalStats, EvalStatus, recompute_metrics

from openbench.errors import LogError
from openbench.run.journal.directory import RunDirectory
from openbench.run.journal.journal import Key, read_journal
from openbench.run.tolerance import too_many
from openbench.run.usage import total


def assemble(directory: RunDirectory, job_id: str, *, outcome: EvalLog | None = None) -> EvalLog:
    """Make the log of a job, in memory.

    Its samples are in the dataset's order, epoch by epoch; metrics are computed anew; tokens are the sum over the
    samples, without those of attempts that were tried again; and the time is that from the first sample's start to
    the last one's end.

    Args:
        directory: The run.
        job_id: The job.
        outcome: What the last command's engine says of it, whose status and error it takes; without one it is
            `started` if samples are missing, else `success`, or `error` if too many samples ended in an error.

    Raises:
        LogError: The journal is damaged, or was never begun.
    """
    with _uncollected():
        return _assembled(directory, job_id, outcome)


def _assembled(directory: RunDirectory, job_id: str, outcome: EvalLog | None) -> EvalLog:
    journal = read_journal(directory, job_id)
    log = journal.header
    if log is None:
        raise LogError(f"{directory.path} holds no header of {job_id}: it ended before its first sample.")
    planned = planned_keys(log.eval)
    log.samples = [journal.samples[key] for key in planned if key in journal.samples]
    log.status = outcome.status if outcome else _status(log.eval, log.samples, len(planned))
    log.error = outcome.error if outcome else None
    log.stats = _stats(log.eval, log.samples)
    _compute_results(log, len(planned))
    return log


def planned_keys(spec: EvalSpec) -> list[Key]:
    """Return the ids and epochs that a header plans, in the order of its dataset, epoch by epoch."""
    return [(id_, epoch) for epoch in range(1, (spec.config.epochs or 1) + 1) for id_ in spec.dataset.sample_ids or ()]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector still: all that is read stays, and going through it again takes half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compute_results(log: EvalLog, planned: int) -> None:
    if log.error or not any(sample.error is None or sample.scores for sample in log.samples or ()):
        return  # as inspect has it: a run that failed, and one of which no sample came to its end, have no results
    completed = sum(sample.error is None for sample in log.samples or ())
    if any(sample.scores for sample in log.samples or ()):
        recompute_metrics(log)
    log.results = log.results or EvalResults()
    log.results.total_samples, log.results.completed_samples = planned, completed


def _status(spec: EvalSpec, samples: Sequence[EvalSample], planned: int) -> EvalStatus:
    if len(samples) < planned:
        return "started"
    errors = sum(sample.error is not None for sample in samples)
    return "error" if too_many(errors, planned, spec.config.fail_on_error) else "success"


def _stats(spec: EvalSpec, samples: Sequence[EvalSample]) -> EvalStats:
    starts = [sample.started_at for sample in samples if sample.started_at]
    ends = [sample.completed_at for sample in samples if sample.completed_at]
    return EvalStats(
        started_at=min(starts, default=spec.created),
        completed_at=max(ends, default=spec.created),
        model_usage=total(sample.model_usage for sample in samples),
        role_usage=total(sample.role_usage for sample in samples),
    )
