"""From a job of a plan to a task that is ready to run: what every executor needs, wherever it runs."""

from collections.abc import Mapping
from uuid import uuid4

from inspect_ai import Task
from inspect_ai.model import Model
from inspect_ai.util import registry_info

from openbench.baselines.reference import reference, reference_of
from openbench.benchmark import find_benchmark
from openbench.catalog import Catalog
from openbench.errors import UsageError
from openbench.run.identity import identity
from openbench.run.models import make_model
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.scorers.model_graded import DEFAULT_GRADER_KEY, GRADER_ARGUMENT, GRADER_ROLE
from openbench.tasks.build import METADATA_KEY, build_task


def prepare(catalog: Catalog, plan: Plan, job: Job, model: Model) -> Task:
    """Build a job's task, with its model, an id of its own, and the identity that a retry compares.

    Raises:
        UsageError: Its arguments are wrong, or its grader cannot be had.
        OpenbenchError: It cannot be imported, or its rows cannot be had.
    """
    benchmark = find_benchmark(catalog, job.benchmark)
    task = build_task(benchmark, job.task_args, sample=plan.sample)
    task.model = model
    _check_grader(task, job, plan.model_roles)
    if plan.reference:
        task.solver = reference(reference_of(benchmark.task_function()))
    said = (task.metadata or {})[METADATA_KEY]
    said["rule"] = job.rule  # what decided when the plan was made; here the reference names the distribution
    said["in_place_of"] = list(job.in_place_of)
    said["job"] = uuid4().hex
    said["identity"] = identity(
        task,
        benchmark,
        task_args=job.task_args,
        model=str(model),
        generate=task.config.merge(model.config),
        reference=plan.reference,
    )
    return task


def job_id(task: Task) -> str:
    """Return the id that `prepare` gave a task."""
    return str((task.metadata or {})[METADATA_KEY]["job"])


def _check_grader(task: Task, job: Job, roles: Mapping[str, ModelSpec]) -> None:
    """Make the grader once before the run: that it cannot be had should not show after the answers are paid for."""
    for scorer in task.scorer or ():
        default = registry_info(scorer).metadata.get(DEFAULT_GRADER_KEY)
        name = job.task_args.get(GRADER_ARGUMENT) or (None if GRADER_ROLE in roles else default)
        if default and name:
            try:
                make_model(ModelSpec(name=name))
            except UsageError as error:
                raise UsageError(
                    f"{job.benchmark}: its grader cannot be had: {str(error).rstrip('.')}. Set its key, or name "
                    f"another with --model-role {GRADER_ROLE}=provider/model."
                ) from error
