"""The direct engine: inspect begins each task, a loop of ours runs its samples, and the journal becomes its log."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.engines.direct.qualify import why_not_direct
from openbench.run.engines.direct.run import Run, run_all
from openbench.run.engines.direct.setting import setting_of
from openbench.run.engines.engine import Engine
from openbench.run.journal import Recording
from openbench.run.plan import Plan
from openbench.run.planned import epoch_by_epoch
from openbench.run.prepare import job_id

BEGUN_AT_ONCE = 64
"""Tasks that begin before the first of them is run: to begin thousands takes minutes."""


class DirectEngine(Engine):
    """Runs static benchmarks of texts."""

    def refuses(self, task: Task, plan: Plan) -> str | None:
        """Refuse what is not static, or needs something of inspect's own."""
        return why_not_direct(task, plan, self.display)

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: Recording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        runs: list[Run] = []
        # What an interrupt, or the recording's wish to stop, keeps from its end is cancelled.
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError), asyncio.Runner() as runner:
            for first in range(0, len(tasks), BEGUN_AT_ONCE):
                begun = [_begun(task, roles, recording) for task in tasks[first : first + BEGUN_AT_ONCE]]
                runs += begun
                runner.run(run_all(begun, recording))
        return {run.job: recording.outcome(run.job) for run in runs}


def _begun(task: Task, roles: Mapping[str, Model], recording: Recording) -> Run:
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
    from openbench.run.engines.header import begin  # noqa: PLC0415

    assert task.model is not None, "prepare gives every task its model"  # noqa: S101 - for the type checker
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
