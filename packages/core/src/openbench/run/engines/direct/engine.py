"""The direct engine: inspect begins each task, a loop of ours runs its samples, and the journal becomes its log."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model

from openbench.run import progress
from openbench.run.engine import LINE
from openbench.run.engines.direct.loop import Tally, planned
from openbench.run.engines.direct.processes import run_in_processes
from openbench.run.engines.direct.qualify import why_not_direct
from openbench.run.engines.direct.run import Run, run_all
from openbench.run.engines.direct.setting import setting_of
from openbench.run.engines.engine import Engine
from openbench.run.engines.sharing import processes_for, share_of
from openbench.run.journal import Recording
from openbench.run.plan import Plan
from openbench.run.prepare import job_id


class DirectEngine(Engine):
    """Runs static benchmarks of texts."""

    def refuses(self, task: Task, plan: Plan) -> str | None:
        """Refuse what is not static, or needs something of inspect's own."""
        return why_not_direct(task, plan, self.display)

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: Recording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        processes = processes_for(tasks, recording.plan)
        runs: list[Run] = []
        with contextlib.suppress(KeyboardInterrupt):  # what has not ended is cancelled
            runs += [_begun(task, roles, recording, processes) for task in tasks]
            if processes > 1:
                run_in_processes(runs, processes, recording, shown=self.display == LINE)
            else:
                _run_here(runs, recording, shown=self.display == LINE)
        # What was resumed is assembled by the recording itself.
        finish = (lambda _, log: log) if recording.resumed else recording.assembled
        return {run.job: finish(run.job, run.outcome()) for run in runs}


def _run_here(runs: Sequence[Run], recording: Recording, *, shown: bool) -> None:
    def ended(run: Run, sample: EvalSample) -> bool:
        recording.writer.append(run.job, sample)
        progress.sample_done(sample)
        return run.tally.count(sample.error)

    with progress.progress_line() if shown else contextlib.nullcontext():
        for run in runs:
            progress.planned(run.header.eval, len(run.samples))
        asyncio.run(run_all(runs, recording.plan.options.get("max_tasks"), ended))


def _begun(task: Task, roles: Mapping[str, Model], recording: Recording, processes: int) -> Run:
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
    from openbench.run.engines.direct.header import begin, begin_again  # noqa: PLC0415

    assert task.model is not None, "prepare gives every task its model"  # noqa: S101 - for the type checker
    job = job_id(task)
    header, context = begin(task, recording.plan, roles)
    recording.writer.start(job, header)
    setting = setting_of(task, task.model, header, score=recording.plan.options.get("score", True))
    if processes > 1:  # each of them has its share of the connections, of graders' too
        share = share_of(task.model, setting.config, processes)
        context, config = begin_again(task, recording.plan, roles, share)
        setting = setting.with_config(config)
    config_of_log = header.eval.config
    everything = planned(task.dataset, config_of_log.limit, config_of_log.epochs or 1)
    done = recording.done.get(job, ())
    return Run(
        job=job,
        header=header,
        context=context,
        setting=setting,
        samples=[(sample, epoch) for sample, epoch in everything if (sample.id, epoch) not in done],
        tally=Tally(len(everything), config_of_log.fail_on_error),
    )
