"""Builds a job's log from its journal: the log that an uninterrupted run would have written."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import cast

from inspect_ai.log import EvalLog, EvalSample, EvalSpec, EvalStats, EvalStatus

from openbench.errors import LogError
from openbench.run.identity import spec_keys
from openbench.run.journal import Samples, read_journal
from openbench.run.log_redaction import redacted_error
from openbench.run.run_directory import RunDirectory
from openbench.run.usage import running_seconds, used_by
from openbench.tasks.provenance import record
from openbench_fast.failure import error_of
from openbench_fast.recording import too_many
from openbench_fast.results import Scoring, add_results

IN_MEMORY = 75_000_000
"""Maximum size of samples in the journal, in bytes, to hold them in memory, where they take up to twelve times that."""


class HeldSamples(Samples):
    """Recorded samples that are read once, and then held in memory."""

    def __iter__(self) -> Iterator[EvalSample]:
        return iter(self._held)

    @cached_property
    def _held(self) -> list[EvalSample]:
        return list(super().__iter__())


def assemble(
    directory: RunDirectory, job_id: str, *, outcome: EvalLog | None = None, scoring: Scoring | None = None
) -> EvalLog:
    """Build the log of a job.

    Its samples, in the dataset's order, epoch by epoch, are read from the journal: once, or on each pass if they take
    more than `IN_MEMORY`. Metrics are recomputed. Token counts include all attempts at these samples, also those that
    failed and were rerun by a later command. The time runs from the first sample's start to the last sample's end. If
    several commands ran samples, the log records how long they ran in total.

    Args:
        directory: The run.
        job_id: The job.
        outcome: The last command's log of the job, whose status and error are used. If None, the status is `started`
            if samples are missing, `error` if too many samples failed, else `success`.
        scoring: How results are computed from its scores; see `add_results`.

    Raises:
        LogError: The journal cannot be read, or has no header.
    """
    journal = read_journal(directory, job_id)
    log = journal.header
    if log is None:
        raise LogError(f"{directory.path} has no header for {job_id}: the run ended before its first sample.")
    planned = spec_keys(log.eval)
    wanted = set(planned)
    spans = [journal.samples[key] for key in planned if key in journal.samples]
    samples = (HeldSamples if sum(span.length for span in spans) <= IN_MEMORY else Samples)(spans)
    log.samples = cast("list[EvalSample]", samples)
    errors = len(wanted & journal.failed)
    log.status = outcome.status if outcome else _status(log.eval, len(samples), errors, len(planned))
    log.error = redacted_error(outcome.error) if outcome and outcome.error else None
    superseded = Samples([place for key, place in journal.superseded if key in wanted])
    log.stats = _stats(log.eval, chain(log.samples, superseded))
    if len(directory.journals(job_id)) > 1:
        record(log, seconds=running_seconds(chain(log.samples, superseded)))
    if journal.damage and log.status == "success" and len(log.samples) < len(planned):
        log.status, log.error = "error", error_of(LogError(" ".join(journal.damage)))
    add_results(log, len(planned), len(samples) - errors, scoring)
    return log


def _status(spec: EvalSpec, samples: int, errors: int, planned: int) -> EvalStatus:
    if samples < planned:
        return "started"
    return "error" if too_many(errors, planned, spec.config.fail_on_error) else "success"


def _stats(spec: EvalSpec, samples: Iterable[EvalSample]) -> EvalStats:
    started, completed = [], []

    def timed() -> Iterator[EvalSample]:
        for sample in samples:
            started.append(sample.started_at)
            completed.append(sample.completed_at)
            yield sample

    models, roles = used_by(timed())
    return EvalStats(
        started_at=min(filter(None, started), default=spec.created),
        completed_at=max(filter(None, completed), default=spec.created),
        model_usage=dict(models),
        role_usage=dict(roles),
    )
