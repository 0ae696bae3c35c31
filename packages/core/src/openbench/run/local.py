"""The executor that runs a plan in this process, through inspect's `eval`."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, eval  # noqa: A004 - inspect's name
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model

from openbench.baselines.reference import reference, reference_of
from openbench.benchmark import Benchmark, find_benchmark
from openbench.catalog import Catalog
from openbench.errors import OpenbenchError, UsageError
from openbench.run.executor import Result
from openbench.run.identity import identity
from openbench.run.models import make_model, plain_message
from openbench.run.plan import Job, Plan
from openbench.tasks.build import METADATA_KEY, build_task

LINE = "line"

# inspect's bookkeeping that serves its own live display: without it a sample takes half the time.
QUIET: dict[str, Any] = {"log_realtime": False, "score_display": False, "ctl_server": False}


class LocalExecutor:
    """Runs all jobs of a plan in one call of inspect's `eval`, which interleaves their requests."""

    def __init__(self, catalog: Catalog, *, display: str = LINE) -> None:
        """Make an executor.

        Args:
            catalog: Where benchmarks are found.
            display: How progress is shown: `line`, or one of inspect's displays (`full`, `conversation`, `rich`,
                `plain`, `none`).
        """
        self._catalog = catalog
        self._display = display

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        with stdout_to_stderr():
            return self._execute(plan)

    def _execute(self, plan: Plan) -> Sequence[Result]:
        check_log_dir(plan.options.get("log_dir"))
        generate = GenerateConfig(**plan.generate)
        models = {job.model.name: make_model(job.model, generate) for job in plan.jobs}
        roles = {role: make_model(spec) for role, spec in plan.model_roles.items()}
        prepared = [self._prepare(plan, job, models[job.model.name]) for job in plan.jobs]
        tasks = [task for task in prepared if isinstance(task, Task)]
        logs = iter(self._eval(plan, tasks, roles) if tasks else [])
        return [
            Result(job, error=task) if isinstance(task, OpenbenchError) else Result(job, next(logs, None))
            for job, task in zip(plan.jobs, prepared, strict=True)
        ]

    def _prepare(self, plan: Plan, job: Job, model: Model) -> Task | OpenbenchError:
        """Build a job's task; rows that cannot be had are this job's trouble alone."""
        try:
            benchmark = find_benchmark(self._catalog, job.benchmark)
            task = build_task(benchmark, job.task_args, sample=plan.sample)
        except UsageError:
            raise
        except OpenbenchError as error:
            return error
        task.model = model
        if plan.reference:
            _answer_from_targets(task, benchmark)
        if task.metadata:
            task.metadata[METADATA_KEY]["identity"] = identity(
                task,
                task_args=job.task_args,
                model=str(model),
                generate=task.config.merge(model.config),
                reference=plan.reference,
            )
        return task

    def _eval(self, plan: Plan, tasks: list[Task], roles: dict[str, Model]) -> Sequence[EvalLog]:
        options: dict[str, Any] = dict(plan.options)
        reducers = options.pop("epochs_reducer", None)
        if epochs := options.pop("epochs", None):
            options["epochs"] = Epochs(epochs, reducers)
        return run_inspect(
            eval,
            tasks,
            display=self._display,
            model=None,
            model_roles={**roles} or None,
            **options,
            **plan.generate,
        )


def _answer_from_targets(task: Task, benchmark: Benchmark) -> None:
    task.solver = reference(reference_of(benchmark.task_function()))


def run_inspect(run: Callable[..., list[EvalLog]], *args: Any, display: str, **kwargs: Any) -> list[EvalLog]:
    """Call inspect's `eval` or `eval_retry` with our settings.

    Args:
        run: The function.
        *args: Its arguments.
        display: As `LocalExecutor` has it.
        **kwargs: Its keyword arguments.

    Raises:
        OpenbenchError: inspect refused to start.
    """
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours is no news.
    from openbench.run.progress import progress_line

    shown = progress_line() if display == LINE else contextlib.nullcontext()
    try:
        with shown:
            return run(*args, display="none" if display == LINE else display, **QUIET, **kwargs)
    except OpenbenchError:
        raise
    except Exception as error:
        raise OpenbenchError(f"the evaluation could not run: {type(error).__name__}: {plain_message(error)}") from error


def stdout_to_stderr() -> contextlib.AbstractContextManager[object]:
    """Return a context in which what is printed goes to stderr: stdout is for results, which may be JSON."""
    return contextlib.redirect_stdout(sys.stderr)


def check_log_dir(log_dir: str | None) -> None:
    """Find out whether logs can be written before the first request is paid for.

    Raises:
        UsageError: They cannot. Remote directories (`s3://…`) are not checked.
    """
    if log_dir is None or "://" in log_dir:
        return
    path = Path(log_dir)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(f"the log directory {log_dir} cannot be written: {reason}. Use --log-dir.") from error
