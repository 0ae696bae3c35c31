"""The solver of ranked options: asks the model for log-probabilities in place of a text."""

from inspect_ai import Task
from inspect_ai.model import Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.errors import OpenbenchError, UsageError
from openbench.scorers.ranking_request import Ranker, is_ranked, ranking_request, record_loglikelihoods


@solver
def rank() -> Solver:
    """Ask the model for the log-probability of every continuation of a sample; see `openbench.scorers.ranking_request`.

    The model's provider must be a `Ranker`. `bench eval` refuses any other before the first request.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect's signature
        request = ranking_request(state)
        if request is None:
            raise OpenbenchError(f"sample {state.sample_id!r} has nothing to rank. Make it with ranking_sample.")
        model = get_model()
        record_loglikelihoods(state, await _ranker("this task", model).loglikelihoods(request))
        return state

    return solve


def check_ranker(name: str, task: Task, model: Model) -> None:
    """Check that a model can rank if a task asks for it.

    Args:
        name: What to call the task.
        task: The task.
        model: The model that it runs on.

    Raises:
        UsageError: Samples are ranked, and the model's provider gives no log-probabilities for them.
    """
    if is_ranking(task):
        _ranker(name, model)


def is_ranking(task: Task) -> bool:
    """Return whether any sample of a task is ranked."""
    return any(is_ranked(sample) for sample in task.dataset)


def cannot_rank(model: Model) -> str | None:
    """Return why a model cannot rank, as a clause; None if it can."""
    if isinstance(model.api, Ranker):
        return None
    return (
        f"it ranks options by log-probability, which {model} does not give. Install openbench-loglikelihood and name "
        "one of its models; --baseline reference or random checks the benchmark without a model"
    )


def _ranker(name: str, model: Model) -> Ranker:
    if isinstance(model.api, Ranker):
        return model.api
    raise UsageError(f"{name}: {cannot_rank(model)}.")
