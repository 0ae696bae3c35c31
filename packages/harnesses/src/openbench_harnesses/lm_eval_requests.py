"""Sends the requests of lm-evaluation-harness to a model: generation until a stop sequence, or log-probabilities."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from openbench.errors import OpenbenchError, UsageError
from openbench.tasks.solvers import declare
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.perplexity import read
from openbench_ranking.rankers import ranker_of
from openbench_ranking.request import RankingRequest
from openbench_ranking.solver import cannot_rank, ranks_nothing

CONTINUATIONS = "lm_eval_requests"
"""The key of a sample's metadata for the context and continuation of each of its requests."""

RESPONSES = "lm_eval_responses"
"""The key of a model output's metadata for the response to each request, in the format of the harness's filters."""

_MAX_STOP_SEQUENCES = 4  # the limit of chat APIs, as in the harness


def solver_for(instance: Any) -> Solver:
    """Return the solver for a task's requests, given one of them.

    Raises:
        UsageError: The kind of request is not supported.
    """
    match instance.request_type:
        case "generate_until":
            return write(repeats=instance.repeats or 1, until=_settings(instance)["until"])
        case "loglikelihood":
            return weigh()
        case "loglikelihood_rolling":
            return read()
    raise UsageError(f"{instance.task_name}: requests of type {instance.request_type!r} are not supported.")


def generation_settings(instance: Any) -> GenerateConfig:
    """Return a task's generation settings; options of `bench eval` take precedence."""
    if instance.request_type != "generate_until":
        return GenerateConfig()
    settings = _settings(instance)
    return GenerateConfig(
        stop_seqs=[each for each in settings["until"] if each][:_MAX_STOP_SEQUENCES] or None,
        max_tokens=settings["max_gen_toks"],
        temperature=settings["temperature"],
        top_p=settings.get("top_p"),
        top_k=settings.get("top_k"),
    )


def _settings(instance: Any) -> dict[str, Any]:
    from lm_eval.models.utils import normalize_gen_kwargs  # noqa: PLC0415 - only this harness's environment has it

    settings: dict[str, Any] = normalize_gen_kwargs(instance.args[1])
    return settings


@solver
def write(repeats: int, until: list[str]) -> Solver:
    """Generate one or more texts, each cut before the first stop sequence.

    Args:
        repeats: The number of texts that the task's filters need.
        until: The stop sequences, of which servers accept at most four.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        messages = list(state.messages)
        state = await generate(state)
        others = [await get_model().generate(messages) for _ in range(repeats - 1)]
        texts = [until_stop(output.completion, until) for output in (state.output, *others)]
        state.output.metadata = {**(state.output.metadata or {}), RESPONSES: [texts]}
        return state

    return solve


def until_stop(text: str, until: Sequence[str]) -> str:
    """Return a text up to the first stop sequence; blank stop sequences are ignored."""
    for each in filter(None, until):
        text = text.partition(each)[0]
    return text


@declare(check=cannot_rank)
@solver
def weigh() -> Solver:
    """Request the log-probability of each continuation of a sample after its context."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        model = get_model()
        ranker = ranker_of(model)
        if ranker is None:
            raise UsageError(f"this task: {ranks_nothing(model)}.")
        pairs: list[tuple[str, str]] = state.metadata[CONTINUATIONS]
        try:
            requests = _ranking_requests(pairs)
        except ValueError as error:
            raise OpenbenchError(f"sample {state.sample_id!r}: {error}.") from error
        values = await collect(*map(ranker.loglikelihoods, requests))
        scores = [
            value if isinstance(value, ContinuationScore) else ContinuationScore(value)
            for each in values
            for value in each
        ]
        best = max(range(len(pairs)), key=lambda index: scores[index].loglikelihood)
        state.output = ModelOutput.from_content(str(model), pairs[best][1].removeprefix(" "))
        state.output.metadata = {RESPONSES: [[(score.loglikelihood, score.greedy)] for score in scores]}
        return state

    return solve


def _ranking_requests(pairs: Sequence[tuple[str, str]]) -> list[RankingRequest]:
    """Return one request for each group of consecutive continuations with the same context."""
    return [
        RankingRequest(
            messages=[ChatMessageUser(content=context)] if context else [],
            continuations=[continuation for _, continuation in same],
            gold=[0],
        )
        for context, same in groupby(pairs, key=itemgetter(0))
    ]
