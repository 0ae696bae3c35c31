"""Makes a job's log of its journal: the one that an undisturbed run would have written."""

from collections.abc import Sequence

from inspect_ai.log import EvalLog, EvalSample, EvalSpec, EvalStats, EvalStatus

from openbench.errors import LogError
from openbench.run.attempts import used_by_model, used_by_role
from openbench.run.failures import error_of
from openbench.run.journal.directory import RunDirectory
from openbench.run.journal.journal import read_journal
from openbench.run.journal.results import Scoring, add_results
from openbench.run.logs import SECONDS, said_by
from openbench.run.planned import Key, epoch_by_epoch
from openbench.run.tolerance import too_many
from openbench.run.usage import running_seconds


def assemble(
    directory: RunDirectory, job_id: str, *, outcome: EvalLog | None = None, scoring: Scoring | None = None
) -> EvalLog:
    """Make the log of a job, in memory.

    Its samples are in the dataset's order, epoch by epoch; metrics are computed anew; tokens are those of all attempts
    at these samples, of such that failed and were run again by a later command, too; and the time is that from the
    first sample's start to the last one's end. If several commands ran samples, the log says how long these ran.

    Args:
        directory: The run.
        job_id: The job.
        outcome: What the last command's engine says of it, whose status and error it takes; without one it is
            `started` if samples are missing, else `success`, or `error` if too many samples ended in an error.
        scoring: What makes results of its scores; see `add_results`.

    Raises:
        LogError: The journal cannot be read, or was never begun.
    """
    journal = read_journal(directory, job_id)
    log = journal.header
    if log is None:
        raise LogError(f"{directory.path} holds no header of {job_id}: it ended before its first sample.")
    planned = planned_keys(log.eval)
    log.samples = [journal.samples[key] for key in planned if key in journal.samples]
    log.status = outcome.status if outcome else _status(log.eval, log.samples, len(planned))
    log.error = outcome.error if outcome else None
    wanted = set(planned)
    ran = [*log.samples, *(sample for sample in journal.superseded if (sample.id, sample.epoch) in wanted)]
    log.stats = _stats(log.eval, ran)
    if len(directory.journals(job_id)) > 1:
        said_by(log)[SECONDS] = running_seconds(ran)
    if journal.damage and log.status == "success" and len(log.samples) < len(planned):
        log.status, log.error = "error", error_of(LogError(" ".join(journal.damage)))
    add_results(log, len(planned), scoring)
    return log


def planned_keys(spec: EvalSpec) -> list[Key]:
    """Return the ids and epochs that a header plans, in the order of its dataset, epoch by epoch."""
    return epoch_by_epoch(spec.dataset.sample_ids or (), None, spec.config.epochs)  # the ids that the limit left


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
        model_usage=used_by_model(samples),
        role_usage=used_by_role(samples),
    )
