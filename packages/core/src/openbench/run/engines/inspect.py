"""The engine that is inspect's own `eval()`: it runs anything, and interleaves the requests of all tasks."""

import time
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.engine import run_inspect
from openbench.run.engines.engine import Engine
from openbench.run.engines.options import inspect_options
from openbench.run.journal import Recording
from openbench.run.journal.skipping import Skipping
from openbench.run.logs import DEFAULT_LOG_DIR, logs_of_jobs, said_by
from openbench.run.plan import Plan
from openbench.run.prepare import job_id
from openbench.solvers.rank import cannot_rank, is_ranking


class InspectEngine(Engine):
    """Runs all tasks in one call of `eval`."""

    def refuses(self, task: Task, plan: Plan) -> str | None:
        """Refuse several processes, and tasks that rank options with a model that gives no log-probabilities."""
        if plan.processes and plan.processes > 1:
            return "--processes divides the samples of the engine direct alone"
        return cannot_rank(task.model) if task.model and is_ranking(task) else None

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: Recording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
        from openbench.run.journal.hooks import journaled  # noqa: PLC0415

        reused = 0
        for task in tasks:
            if done := recording.done.get(job_id(task)):
                task.early_stopping = Skipping(done, task.early_stopping)
                reused += len(done)
        started, plan = time.time(), recording.plan
        with journaled(recording.writer):
            returned = run_inspect(
                list(tasks),
                display=self.display,
                reused=reused,
                model=None,
                model_roles={**roles} or None,
                **inspect_options(plan),
                **plan.generate,
            )
        logs = {said_by(log)["job"]: log for log in returned}
        missing = {job_id(task) for task in tasks} - set(logs)
        if missing:
            logs |= logs_of_jobs(plan.options.get("log_dir", DEFAULT_LOG_DIR), missing, since=started)
        return logs
