"""The engine that is inspect's own `eval()`: it runs anything, and interleaves the requests of all tasks."""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.collecting import rarely_collected
from openbench.run.engines.engine import Engine
from openbench.run.engines.options import inspect_options
from openbench.run.inspect_eval import run_inspect
from openbench.run.journal import Recording
from openbench.run.journal.skipping import Skipping
from openbench.run.logs import DEFAULT_LOG_DIR, logs_of_jobs
from openbench.run.plan import Plan
from openbench.run.prepare import job_id
from openbench.tasks.provenance import Provenance
from openbench.tasks.solvers import refusal


class InspectEngine(Engine):
    """Runs all tasks in one call of `eval`."""

    samples_each = 1_000

    def refuses(self, task: Task, plan: Plan) -> str | None:  # noqa: ARG002 - the signature of engines
        """Refuse tasks whose solvers need what the model does not provide."""
        return refusal(task, task.model) if task.model else None

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: Recording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
        from openbench.run.journal.hooks import recorded  # noqa: PLC0415

        for task in tasks:
            if recording.shared or recording.done.get(job_id(task)):
                task.early_stopping = Skipping(recording, job_id(task), task.early_stopping)
        started, plan = time.time(), recording.plan
        returned: list[EvalLog] = []
        with recorded(recording), rarely_collected(), contextlib.suppress(asyncio.CancelledError):
            returned += run_inspect(
                list(tasks),
                display=self.display,
                model=None,
                model_roles={**roles} or None,
                **inspect_options(plan),
                **plan.generate,
            )
        recording.stop.release()
        if recording.failure:
            raise recording.failure
        logs = {Provenance.of(log).job: log for log in returned}
        missing = {job_id(task) for task in tasks} - set(logs)
        if missing:
            logs |= logs_of_jobs(plan.options.get("log_dir", DEFAULT_LOG_DIR), missing, since=started)
        return logs
