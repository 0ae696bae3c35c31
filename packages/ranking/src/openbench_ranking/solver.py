"""The solver of ranked options, which asks the model for log-probabilities instead of a text."""

from dataclasses import replace

from inspect_ai import Task
from inspect_ai.model import ChatMessageAssistant, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.errors import OpenbenchError, UsageError
from openbench.tasks.solvers import declare, static
from openbench_ranking.baselines import preferring, undecided
from openbench_ranking.rankers import ranked, ranker_of
from openbench_ranking.request import SelectiveRanker, is_ranked, ranking_request, record_loglikelihoods


@static
@solver
def ranked_reference() -> Solver:
    """Prefer a correct continuation of each sample: log-probability 0, and lower for the others.

    Without the context all are equally probable.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        if request := ranking_request(state):
            texts = request.continuations
            record_loglikelihoods(state, preferring(request.gold[0], texts), undecided(texts))
        return state

    return solve


def cannot_rank(task: Task, model: Model) -> str | None:
    """Return the reason why a model cannot rank the samples of a task, as a clause; None if it can."""
    ranker: object = ranker_of(model)
    if isinstance(ranker, SelectiveRanker):
        requests = ((sample.id, request) for sample in task.dataset if (request := ranking_request(sample)))
        return next((f"sample {key!r}: {why}" for key, request in requests if (why := ranker.why_not(request))), None)
    return None if ranker else ranks_nothing(model)


def ranks_nothing(model: Model) -> str:
    """Return the error that a model provides no log-probabilities, as a clause, with alternatives."""
    return (
        f"it ranks options by log-probability, which {model} does not provide. Use a model whose provider does "
        "(openbench-loglikelihood), or check the benchmark without a model: --baseline reference or random"
    )


@declare(check=cannot_rank, reference=ranked_reference)
@static
@solver
def rank(unconditional: str | None = None) -> Solver:
    """Ask the model for the log-probability of every continuation of a sample; see `openbench_ranking.request`.

    The model's provider must be a `Ranker`, or have one. `bench eval` refuses other models before the first request.

    Args:
        unconditional: A context without the question, after which every continuation is ranked as well, for
            `acc_uncond`: blank as in lm-evaluation-harness, `Answer:` as in OLMES. By default, none.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        request = ranking_request(state)
        if request is None:
            raise OpenbenchError(f"sample {state.sample_id!r} has nothing to rank. Create it with ranking_sample.")
        model = get_model()
        ranker = ranker_of(model)
        if ranker is None:
            raise UsageError(f"this task: {ranks_nothing(model)}.")
        alone = None
        if unconditional is not None:
            context = [ChatMessageAssistant(content=unconditional)] if unconditional else []
            alone = await ranker.loglikelihoods(replace(request, messages=context, contexts=()))
        record_loglikelihoods(state, await ranked(ranker, request), alone)
        return state

    return solve


def is_ranking(task: Task) -> bool:
    """Return whether any sample of a task is ranked."""
    return any(is_ranked(sample) for sample in task.dataset)
