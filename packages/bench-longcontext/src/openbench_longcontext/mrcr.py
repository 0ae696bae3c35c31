"""OpenAI MRCR: repeat one of several answers to the same request in a long conversation.

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
"""Keys of a sample's metadata: the required prefix of the answer, and the group by number of needles."""

_ROLES: Mapping[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@task
def openai_mrcr(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Repeat an answer of a conversation, with the mean ratio by number of needles, length and depth.

    Args:
        max_context_size: The maximum number of tokens of a conversation; longer ones are left out. No limit by default.
        tokenizer: The tokenizer that lengths are counted with: `approximate`, `model`, or as in `token_counter`. The
            original uses `o200k_base`.

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


def _task(name: str, needles: tuple[int, ...], max_tokens: int | None, tokenizer: str) -> Task:
    counter = token_counter(tokenizer)
    rows = read_parts(MRCR, lambda: [row for each in needles for row in _rows(each).rows])
    dataset, metadata = measured(load_samples(rows, record_to_sample, name=name), counter, max_tokens, answers=True)
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
    """Map a row. Its prompt is a conversation as JSON that ends with the request to repeat an answer."""
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
    """Return the difflib ratio of a completion and the answer, from 0 to 1; 0 if the completion lacks the prefix.

    The ratio is computed without the prefix. Source: the function `grade` on the dataset's card.
    """
    if not completion.startswith(prefix):
        return 0.0
    return SequenceMatcher(None, completion.removeprefix(prefix), answer.removeprefix(prefix)).ratio()


@scorer(metrics=[mean(), stderr(), by_group(NEEDLES), by_group(LENGTH), by_group(DEPTH)])
def mrcr_scorer() -> Scorer:
    """Score the response, without its reasoning, with `prefixed_ratio`."""

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        response = strip_reasoning(completion)
        if response != completion:
            response = response.lstrip()  # white space between the reasoning and the answer
        value = prefixed_ratio(response, target.text, state.metadata[PREFIX])
        return Score(value=value, answer=response, reason=None if response.strip() else unanswered(response))

    return score
