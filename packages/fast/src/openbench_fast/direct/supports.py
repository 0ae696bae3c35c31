"""Which tasks the direct engine can run: static text benchmarks."""

from collections.abc import Iterable, Iterator, Sequence

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.solver import Plan as SolverPlan
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

from openbench.run.identity import LIMITS
from openbench.run.plan import Plan
from openbench.tasks.solvers import is_static, refusal

# Attributes of a task that do not matter while a sample runs. Attributes added by a later Inspect are not listed, so
# tasks that set them run on Inspect's engine.
_TASK = frozenset(
    {
        "config",
        "dataset",
        "description",
        "epochs",
        "epochs_reducer",
        "fail_on_error",
        "headline_metric",
        "metadata",
        "metrics",
        "model",
        "model_roles",
        "scorer",
        "solver",
        "tags",
        "token_limit_type",
        "version",
        "viewer",
    }
)
_SAMPLE = frozenset({"choices", "description", "id", "input", "metadata", "target"})
_OPTIONS = {
    "debug_errors": "--debug-errors needs Inspect's engine",
    **{name: f"--{name.replace('_', '-')} needs Inspect's engine" for name in LIMITS},
    "sandbox": "--sandbox is for tasks with tools",
    "trace": "--trace needs Inspect's engine",
}
_DISPLAYS = frozenset({"line", "none"})


def why_not_direct(task: Task, plan: Plan, display: str) -> str | None:
    """Return why the direct engine cannot run a task, as a clause; None if it can."""
    if display not in _DISPLAYS:
        return f"--display {display} needs Inspect's engine"
    return next(_reasons(task, plan), None)


def steps_of(solver: Solver) -> list[Solver]:
    """Return the steps of a solver in order, with nested chains flattened."""
    if isinstance(solver, SolverPlan):
        return _flat(solver.steps)
    return _flat(solver) if isinstance(solver, Sequence) else [solver]


def _flat(solvers: Iterable[Solver]) -> list[Solver]:
    return [step for solver in solvers for step in steps_of(solver)]


def _reasons(task: Task, plan: Plan) -> Iterator[str]:
    if isinstance(task.model, Model) and (reason := refusal(task, task.model)):
        yield reason
    for option, reason in _OPTIONS.items():
        if plan.options.get(option):
            yield reason
    if plan.generate.get("batch", task.config.batch):
        yield "--batch needs Inspect's engine"
    for name, value in vars(task).items():
        if not name.startswith("_") and name not in _TASK and value:
            yield f"the task sets {name}"
    yield from _of_solver(task.solver)
    for sample in task.dataset:
        yield from _of_sample(sample)


def _of_solver(solver: Solver) -> Iterator[str]:
    if isinstance(solver, SolverPlan) and (solver.finish or solver.cleanup):
        yield "its plan has a last step or a cleanup"
    for step in steps_of(solver):
        if not is_static(step):
            yield f"its solver {registry_info(step).name} is not known to be static"


def _of_sample(sample: Sample) -> Iterator[str]:
    for name in type(sample).model_fields:
        if name not in _SAMPLE and getattr(sample, name):
            yield f"the sample {sample.id!r} has {name}"
    messages = [] if isinstance(sample.input, str) else sample.input
    for message in messages:
        parts = [] if isinstance(message.content, str) else message.content
        other = next((part.type for part in parts if part.type != "text"), None)
        if other:
            yield f"the sample {sample.id!r} has content other than text: {other}"
