"""The executor that runs a plan in this process."""

import traceback
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from openbench.errors import OpenbenchError, UnimportableError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.plugin_loader import described_error
from openbench.run import progress
from openbench.run.build_job import build_job, job_id
from openbench.run.engine import Engines, PreparedJob, engine_suggestion, tasks_by_engine
from openbench.run.executor import Executor, Result
from openbench.run.inspect_eval import inspect_options, stdout_to_stderr
from openbench.run.logs import check_log_dir
from openbench.run.models import make_model, make_roles
from openbench.run.plan import Job, Plan
from openbench.run.recording import RunRecording, record_run


class LocalExecutor(Executor):
    """Runs the jobs of a plan in this process, each with a suitable engine, and records every sample."""

    def __init__(self, catalog: Catalog, *, display: str = progress.LINE) -> None:
        """Make an executor; see `Executor`."""
        super().__init__(catalog, display=display)
        self.engines = Engines(display=display)

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        try:
            with stdout_to_stderr():
                return self._execute(plan)
        except SystemExit as error:  # from a solver or a scorer: it would end this process without a message
            file, line, *_ = traceback.extract_tb(error.__traceback__)[-1]
            raise OpenbenchError(
                f"{described_error(error)}, in {file}, line {line}, ended the run. Raise an Exception instead: "
                "it is recorded as the error of its sample alone."
            ) from error

    def _execute(self, plan: Plan) -> Sequence[Result]:
        check_log_dir(plan.options.get("log_dir"))
        inspect_options(plan)  # for its errors
        generate = GenerateConfig(**plan.generate)
        specs = {job.model.name: job.model for job in plan.jobs}
        models = {name: make_model(spec, generate) for name, spec in specs.items()}
        roles = make_roles(plan)
        tasks = [self._build(plan, job, models[job.model.name], roles) for job in plan.jobs]
        prepared = []
        for job, task in zip(plan.jobs, tasks, strict=True):
            if isinstance(task, Task):
                prepared.append(PreparedJob(job, task, self.engines.choose(task, plan)))
        self.check(plan, prepared)
        if hint := engine_suggestion(prepared, plan):
            progress.note(hint)
        logs = self._run(plan, prepared, roles) if prepared else {}
        return [
            Result(job, error=task) if isinstance(task, OpenbenchError) else Result(job, logs.get(job_id(task)))
            for job, task in zip(plan.jobs, tasks, strict=True)
        ]

    def _build(self, plan: Plan, job: Job, model: Model, roles: Mapping[str, Model]) -> Task | OpenbenchError:
        """Build a job's task; return errors of imports and of data, which fail this job alone."""
        try:
            return build_job(self.catalog, plan, job, model, roles)
        except OpenbenchError as error:
            if isinstance(error, UsageError) and not isinstance(error, UnimportableError):
                raise
            return error

    def _run(self, plan: Plan, prepared: Sequence[PreparedJob], roles: dict[str, Model]) -> dict[str, EvalLog]:
        with record_run(plan, prepared, self.engines) as recording:
            remaining = [each for each in prepared if job_id(each.task) not in recording.complete]
            logs: dict[str, EvalLog] = {}
            try:
                with progress.showing(progress.load_display(self.display)):
                    logs |= self.run_jobs(remaining, roles, recording) if remaining else {}
                recording.check()
            finally:
                if logs:
                    recording.directory.add_logs({job: log.location for job, log in logs.items()})
            for each in prepared:  # datasets take as much memory as their results
                each.task.dataset = MemoryDataset([])
            return {**recording.complete, **logs}

    def check(self, plan: Plan, prepared: Sequence[PreparedJob]) -> None:
        """Check, before anything is written, that `run_jobs` can run the jobs."""
        for name, tasks in tasks_by_engine(prepared).items():
            self.engines.get(name).check(tasks, plan)

    def run_jobs(
        self, prepared: Sequence[PreparedJob], roles: Mapping[str, Model], recording: RunRecording
    ) -> Mapping[str, EvalLog]:
        """Run jobs with their engines; override this to run their samples elsewhere.

        Args:
            prepared: The jobs.
            roles: Models by role.
            recording: The run.

        Returns:
            The logs by job id; see `openbench.run.engine.Engine.run`.

        Raises:
            OpenbenchError: The jobs could not be started, or the run could not be recorded.
        """
        logs: dict[str, EvalLog] = {}
        for name, tasks in tasks_by_engine(prepared).items():
            ran = self.engines.get(name).run(tasks, roles, recording)
            logs |= ran
            if len(ran) < len(tasks) or any(log.status == "cancelled" for log in ran.values()):
                break  # an interrupt ends the whole run
        return logs
