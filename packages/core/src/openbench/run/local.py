"""The executor that runs a plan in this process."""

from collections.abc import Sequence

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from openbench.catalog import Catalog
from openbench.errors import OpenbenchError, UsageError
from openbench.run.engine import LINE, stdout_to_stderr
from openbench.run.engines.choose import Engines, note_engine
from openbench.run.engines.options import inspect_options
from openbench.run.executor import Executor, Result
from openbench.run.journal import record
from openbench.run.logs import check_log_dir
from openbench.run.models import make_model
from openbench.run.plan import Job, Plan
from openbench.run.prepare import job_id, prepare
from openbench.run.redaction import redact_written
from openbench.tasks.build import METADATA_KEY


class LocalExecutor(Executor):
    """Runs the jobs of a plan in this process, each with the engine that suits it, and records every sample."""

    def __init__(self, catalog: Catalog, *, display: str = LINE) -> None:
        """Make an executor; see `Executor`."""
        super().__init__(catalog, display=display)
        self._engines = Engines(display=display)

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        with stdout_to_stderr():
            return self._execute(plan)

    def _execute(self, plan: Plan) -> Sequence[Result]:
        check_log_dir(plan.options.get("log_dir"))
        inspect_options(plan)  # for what is wrong with them
        generate = GenerateConfig(**plan.generate)
        models = {job.model.name: make_model(job.model, generate) for job in plan.jobs}
        roles = {role: make_model(spec) for role, spec in plan.model_roles.items()}
        prepared = [self._prepare(plan, job, models[job.model.name]) for job in plan.jobs]
        tasks = [task for task in prepared if isinstance(task, Task)]
        logs = self._run(plan, tasks, roles) if tasks else {}
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

    def _run(self, plan: Plan, tasks: Sequence[Task], roles: dict[str, Model]) -> dict[str, EvalLog]:
        by_engine: dict[str, list[Task]] = {}
        for task in tasks:
            choice = self._engines.choose((task.metadata or {})[METADATA_KEY]["benchmark"], task, plan)
            note_engine(task, choice)
            by_engine.setdefault(choice.engine, []).append(task)
        logs: dict[str, EvalLog] = {}
        with record(plan, tasks) as recording:
            for name, own in by_engine.items():
                if todo := recording.todo(own):
                    logs |= (ran := self._engines.get(name).run(todo, roles, recording))
                    if len(ran) < len(todo) or any(log.status == "cancelled" for log in ran.values()):
                        break  # an interrupt is meant for all of them
            return {job: redact_written(log) for job, log in recording.logs(logs).items()}
