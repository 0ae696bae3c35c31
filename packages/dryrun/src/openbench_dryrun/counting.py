"""Estimates the requests and tokens of a task's samples from the few that were rendered."""

from collections.abc import Mapping, Sequence

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser

from openbench.datasets.values import is_whole
from openbench_dryrun.estimate import Cost
from openbench_dryrun.prices import Price
from openbench_dryrun.request import RANKING_KEY, Request
from openbench_dryrun.tokens import messages_tokens, text_tokens

# The number of requests of each solver per sample. Other solvers decide while they run.
_REQUESTS = {
    "inspect_ai/assistant_message": 0,
    "inspect_ai/chain_of_thought": 0,
    "inspect_ai/generate": 1,
    "inspect_ai/multiple_choice": 1,
    "inspect_ai/prompt_template": 0,
    "inspect_ai/system_message": 0,
    "inspect_ai/user_message": 0,
    "openbench/reference": 0,
    "openbench_authoring/cue": 0,
    "openbench_ranking/rank": 1,
    "openbench_ranking/ranked_reference": 0,
    "openbench_ranking/read": 1,
    "openbench_ranking/read_reference": 0,
}

_MILLION = 1_000_000

PROMPT_TOKENS_KEY = "prompt_tokens"
"""The key of a sample's metadata that holds its prompt's number of tokens, if its benchmark has counted them."""

Renderings = Sequence[tuple[Sample, Request]]


def requests_per_run(solvers: Sequence[str], rendered: Renderings) -> tuple[int, bool]:
    """Return the number of requests of each run of a sample, and whether more are possible.

    Args:
        solvers: The names of the solvers in inspect-ai's registry.
        rendered: The samples that were rendered, with their first requests.
    """
    known = [_REQUESTS.get(solver) for solver in solvers]
    if None in known or any(request.tools for _, request in rendered):
        return int(bool(rendered)), True
    return sum(count or 0 for count in known), False


def prompt_tokens(samples: Sequence[Sample], rendered: Renderings) -> int:
    """Estimate the tokens of the samples' first requests.

    A sample's estimate is that of its own text, or the tokens that its benchmark has counted, plus the average that
    solvers add to the rendered samples: a system message, a template, tools.
    """
    added = sum(_request_tokens(request) - _text_tokens(sample) for sample, request in rendered) / len(rendered)
    return round(max(0.0, sum(map(_sample_tokens, samples)) + added * len(samples)))


def continuations(sample: Sample) -> Sequence[str]:
    """Return the continuations of a sample that are ranked, and their own contexts if they have any."""
    ranking: Mapping[str, Sequence[str]] = (sample.metadata or {}).get(RANKING_KEY, {})
    return [*ranking.get("continuations", ()), *ranking.get("contexts", ())]


def cost_of(price: Price | None, prompts: int | None, output: int | None) -> Cost | None:
    """Return the cost of tokens; None without a price."""
    if price is None:
        return None
    return Cost(
        prompts=None if prompts is None else prompts * price.input / _MILLION,
        output_most=None if output is None else output * price.output / _MILLION,
    )


def _request_tokens(request: Request) -> float:
    tools = sum(text_tokens(tool.model_dump_json(exclude_none=True)) for tool in request.tools)
    return messages_tokens(request.messages) + sum(map(text_tokens, request.continuations)) + tools


def _sample_tokens(sample: Sample) -> float:
    counted = (sample.metadata or {}).get(PROMPT_TOKENS_KEY)
    return counted if is_whole(counted) else _text_tokens(sample)


def _text_tokens(sample: Sample) -> float:
    messages = [ChatMessageUser(content=sample.input)] if isinstance(sample.input, str) else sample.input
    return messages_tokens(messages) + sum(map(text_tokens, (*(sample.choices or ()), *continuations(sample))))
