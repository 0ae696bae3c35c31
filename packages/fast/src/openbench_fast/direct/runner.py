"""Runs static benchmarks: Inspect begins each task, and the loop runs its samples."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.build_job import job_id
from openbench.run.identity import epoch_by_epoch
from openbench_fast.direct.loop import Run, run_all
from openbench_fast.direct.setting import setting_of
from openbench_fast.recording import CountingRecording
from openbench_fast.runner import Runner

BEGUN_AT_ONCE = 64
"""Tasks that begin before the first of them runs; beginning thousands takes minutes."""


class DirectRunner(Runner):
    """Runs static text benchmarks."""

    def run(
        self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: CountingRecording
    ) -> Mapping[str, EvalLog]:
        """Run tasks; see `Runner`."""
        runs: list[Run] = []
        # After an interrupt or a request to stop, unfinished samples are cancelled.
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError), asyncio.Runner() as runner:
            for first in range(0, len(tasks), BEGUN_AT_ONCE):
                begun = [_begun(task, roles, recording) for task in tasks[first : first + BEGUN_AT_ONCE]]
                runs += begun
                runner.run(run_all(begun, recording))
        return {run.job: recording.outcome(run.job) for run in runs}


def _begun(task: Task, roles: Mapping[str, Model], recording: CountingRecording) -> Run:
    # Imported here: Inspect announces the hooks that exist when the first model is created, and these are internal.
    from openbench_fast.inspect_bootstrap import begin  # noqa: PLC0415

    assert task.model is not None, "every prepared task has a model"  # noqa: S101 - for the type checker
    job = job_id(task)
    header, context = begin(task, recording.plan, roles)
    recording.begin(job, header)
    config = header.eval.config
    done = recording.done.get(job, ())
    return Run(
        job=job,
        context=context,
        setting=setting_of(task, task.model, header, score=recording.plan.options.get("score", True)),
        samples=[
            (sample, epoch)
            for sample, epoch in epoch_by_epoch(list(task.dataset), config.limit, config.epochs)
            if (sample.id, epoch) not in done
        ],
    )
