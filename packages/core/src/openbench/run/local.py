"""The executor that runs a plan in this process, through inspect's `eval`."""

import re
import time
from collections.abc import Sequence
from typing import Any

from inspect_ai import Epochs, Task, eval  # noqa: A004 - inspect's name
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from openbench.catalog import Catalog
from openbench.errors import OpenbenchError, UsageError
from openbench.run.engine import LINE, run_inspect, stdout_to_stderr
from openbench.run.executor import Executor, Result
from openbench.run.logs import check_log_dir, logs_of_jobs, said_by
from openbench.run.models import make_model
from openbench.run.plan import Job, Plan
from openbench.run.prepare import job_id, prepare

_REDUCER_OF = re.compile(r"_(\d+)$")  # at_least_2, pass_at_5


class LocalExecutor(Executor):
    """Runs all jobs of a plan in one call of inspect's `eval`, which interleaves their requests."""

    def __init__(self, catalog: Catalog, *, display: str = LINE) -> None:
        """Make an executor; see `Executor`."""
        super().__init__(catalog, display=display)

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        with stdout_to_stderr():
            return self._execute(plan)

    def _execute(self, plan: Plan) -> Sequence[Result]:
        check_log_dir(plan.options.get("log_dir"))
        options = _inspect_options(plan)
        generate = GenerateConfig(**plan.generate)
        models = {job.model.name: make_model(job.model, generate) for job in plan.jobs}
        roles = {role: make_model(spec) for role, spec in plan.model_roles.items()}
        prepared = [self._prepare(plan, job, models[job.model.name]) for job in plan.jobs]
        tasks = [task for task in prepared if isinstance(task, Task)]
        logs = self._eval(plan, options, tasks, roles) if tasks else {}
        return [
            Result(job, error=task) if isinstance(task, OpenbenchError) else Result(job, logs.get(job_id(task)))
            for job, task in zip(plan.jobs, prepared, strict=True)
        ]

    def _prepare(self, plan: Plan, job: Job, model: Model) -> Task | OpenbenchError:
        """Build a job's task; rows that cannot be had are this job's trouble alone."""
        try:
            return prepare(self.catalog, plan, job, model)
        except UsageError:
            raise
        except OpenbenchError as error:
            return error

    def _eval(
        self, plan: Plan, options: dict[str, Any], tasks: list[Task], roles: dict[str, Model]
    ) -> dict[str, EvalLog]:
        started = time.time()
        returned = run_inspect(
            eval,
            tasks,
            display=self.display,
            model=None,
            model_roles={**roles} or None,
            **options,
            **plan.generate,
        )
        logs = {said_by(log)["job"]: log for log in returned}
        missing = {job_id(task) for task in tasks} - set(logs)
        if missing:
            logs |= logs_of_jobs(plan.options.get("log_dir", "logs"), missing, since=started)
        return logs


def _inspect_options(plan: Plan) -> dict[str, Any]:
    """Return a plan's options as inspect's `eval` takes them.

    Raises:
        UsageError: A reducer does not exist, or needs more epochs.
    """
    options: dict[str, Any] = dict(plan.options)
    reducers: list[str] | None = options.pop("epochs_reducer", None)
    if count := options.pop("epochs", None):
        options["epochs"] = epochs = Epochs(count, reducers)
        try:
            made = epochs.reducer  # it makes them when it is first asked
        except (LookupError, TypeError) as error:
            known = "mean, median, mode, max, at_least_N or pass_at_N"
            raise UsageError(f"--epochs-reducer {','.join(reducers or ())}: expected {known}.") from error
        for name in reducers if made and reducers else ():
            needed = int(digits[1]) if (digits := _REDUCER_OF.search(name)) else 1
            if needed > count:
                raise UsageError(f"--epochs-reducer {name} needs --epochs {needed} or more.")
    return options
