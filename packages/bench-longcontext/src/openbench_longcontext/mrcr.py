"""OpenAI MRCR: repeat one of several answers to the same request, from a long conversation.

OpenAI (2025), https://huggingface.co/datasets/openai/mrcr, after Vodrahalli et al. (2024), https://arxiv.org/abs/2409.12640
"""

import json
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import Rows, load_samples, read_parts, read_rows
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_longcontext.lengths import DEPTH, LENGTH, depth_group, measured
from openbench_longcontext.metadata import MRCR, MRCR_FILES
from openbench_longcontext.tokens import APPROXIMATE, token_counter
from openbench_scorers.means import by_group

PREFIX, NEEDLES = "prefix", "needles"
"""Keys of a sample's metadata: how the answer must begin, and the group of its number of needles."""

_ROLES: Mapping[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@task
def openai_mrcr(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Repeat an answer of a conversation, with the mean ratio by number of needles, length and depth.

    Args:
        max_context_size: Leave out conversations of more tokens.
        tokenizer: The tokenizer in whose tokens lengths are: `approximate`, `model`, or as in `token_counter`; the
            original's is `o200k_base`.

    Raises:
        UsageError: The tokenizer is unknown, or every conversation is too long.
        DataError: The rows or the tokenizer cannot be read.
    """
    return _task("openai_mrcr", (2, 4, 8), max_context_size, tokenizer)


@task
def openai_mrcr_2n(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Repeat one of two answers to the same request.

    Args:
        max_context_size: As for `openai_mrcr`.
        tokenizer: As for `openai_mrcr`.
    """
    return _task("openai_mrcr_2n", (2,), max_context_size, tokenizer)


@task
def openai_mrcr_4n(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Repeat one of four answers to the same request.

    Args:
        max_context_size: As for `openai_mrcr`.
        tokenizer: As for `openai_mrcr`.
    """
    return _task("openai_mrcr_4n", (4,), max_context_size, tokenizer)


@task
def openai_mrcr_8n(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Repeat one of eight answers to the same request.

    Args:
        max_context_size: As for `openai_mrcr`.
        tokenizer: As for `openai_mrcr`.
    """
    return _task("openai_mrcr_8n", (8,), max_context_size, tokenizer)


def _task(name: str, needles: tuple[int, ...], most: int | None, tokenizer: str) -> Task:
    counter = token_counter(tokenizer)
    rows = read_parts(MRCR, lambda: [row for each in needles for row in _rows(each).rows])
    dataset, metadata = measured(load_samples(rows, record_to_sample, name=name), counter, most, answers=True)
    return Task(
        name=name,
        dataset=dataset,
        solver=generate(),
        scorer=mrcr_scorer(),
        config=GenerateConfig(temperature=0.0),
        metadata=metadata,
    )


def _rows(needles: int) -> Rows:
    return read_rows(MRCR, data_files=MRCR_FILES[needles])


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row, whose prompt is a conversation in JSON that ends with the request to repeat an answer."""
    messages = [_message(each) for each in json.loads(row["prompt"])]
    return Sample(
        input=messages,
        target=row["answer"],
        metadata={
            PREFIX: row["random_string_to_prepend"],
            NEEDLES: f"{row['n_needles']} needles",
            DEPTH: depth_group(row["desired_msg_index"] / row["total_messages"]),
        },
    )


def _message(message: dict[str, str]) -> ChatMessage:
    role = message["role"]
    if role not in _ROLES:
        raise ValueError(f"prompt: a message has the role {role!r}, expected one of {', '.join(_ROLES)}")
    return _ROLES[role](content=message["content"])


def prefixed_ratio(completion: str, answer: str, prefix: str) -> float:
    """Return how much of an answer a completion repeats, by difflib, from 0 to 1; 0 without the prefix at its start.

    The prefix itself does not count. Source: the function `grade` of the dataset's card.
    """
    if not completion.startswith(prefix):
        return 0.0
    return SequenceMatcher(None, completion.removeprefix(prefix), answer.removeprefix(prefix)).ratio()


@scorer(metrics=[mean(), stderr(), by_group(NEEDLES), by_group(LENGTH), by_group(DEPTH)])
def mrcr_scorer() -> Scorer:
    """Score with `prefixed_ratio` the response without its reasoning."""

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        said = strip_reasoning(completion)
        if said != completion:
            said = said.lstrip()  # what separates the answer from the reasoning
        value = prefixed_ratio(said, target.text, state.metadata[PREFIX])
        return Score(value=value, answer=said, reason=None if said.strip() else unanswered(said))

    return score
