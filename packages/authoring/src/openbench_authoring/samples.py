"""A sample created by a task's hooks, and its conversion to an Inspect sample and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from openbench.baselines.reference import default_reference
from openbench_authoring.contexts import Context, dumped, loaded
from openbench_authoring.cue import CUE_KEY
from openbench_ranking.request import ranking_request, ranking_sample

NO_SUBJECT = "no_subject"
"""The subject of a task without subjects."""

SUBJECT_KEY = "subject"
LANGUAGE_KEY = "language"
CONTEXT_KEY = "context"
SHOWN_KEY = "shown_answer"
# A target is always a list to a scorer, so that one of a single text needs a mark of its own.
_LISTED_KEY = "ground_truth_is_list"


GroundTruth = str | list[str] | None


class ResponseType(Enum):
    """The type of a model's response: a text, or the log-probability of each of several texts."""

    COMPLETION = "completion"
    LOGLIKELIHOODS = "loglikelihoods"


@dataclass(kw_only=True)
class Sample:
    """One question.

    Attributes:
        id: A text, unique in its subject. A number is treated as a position, which a change of the source would shift;
            then a digest of the row is the id.
        subject: The subject's text.
        messages: The conversation; an assistant message at its end is the cue that the answer continues.
        ground_truth: The right answer, or several; None if no metric needs one.
        possible_completions: The texts to rank.
        context: Further information for metrics.
    """

    id: int | str
    subject: str
    messages: list[ChatMessage]
    ground_truth: GroundTruth
    possible_completions: list[str] | None = None
    context: Context = None


def to_inspect(sample: Sample, response_type: ResponseType, metadata: Mapping[str, Any]) -> InspectSample:
    """Return an Inspect sample, without an id if it has only a position.

    Args:
        sample: The sample.
        response_type: Whether it is answered or ranked.
        metadata: Further metadata.

    Raises:
        ValueError: It cannot be asked: it has no message, or its right answers are not among the ranked texts.
        TypeError: A part of it is of the wrong type.
    """
    own_metadata = {**metadata, CONTEXT_KEY: dumped(sample.context)} if sample.context is not None else dict(metadata)
    truths = _truths(sample.ground_truth)
    if isinstance(sample.ground_truth, list) and len(truths) == 1:
        own_metadata[_LISTED_KEY] = True
    own_id = sample.id if isinstance(sample.id, str) else None
    if response_type is ResponseType.LOGLIKELIHOODS:
        return ranking_sample(
            input=sample.messages,
            continuations=sample.possible_completions or [],
            gold=_gold(truths, sample.possible_completions or []),
            id=own_id,
            metadata=own_metadata,
        )
    messages = sample.messages
    if messages and isinstance(messages[-1], ChatMessageAssistant):
        own_metadata[CUE_KEY] = messages[-1].text
        messages = messages[:-1]
    if not messages:
        raise ValueError("the sample has no message that could be answered")
    return InspectSample(input=messages, target=truths or "", id=own_id, metadata=own_metadata)


def shown_answer(sample: InspectSample) -> str:
    """Return the right completion of a sample: the answer that an example shows, or its ground truth."""
    return str((sample.metadata or {}).get(SHOWN_KEY) or default_reference(sample))


def from_state(state: TaskState, target: Target) -> Sample:
    """Return the sample of a state as the hooks made it, except that its id is the one in the log."""
    metadata = state.metadata
    given = state.input
    messages: list[ChatMessage] = [ChatMessageUser(content=given)] if isinstance(given, str) else list(given)
    request = ranking_request(state)
    truths = [request.continuations[index] for index in request.gold] if request else list(target)
    truths = [] if truths == [""] else truths
    listed = len(truths) > 1 or _LISTED_KEY in metadata
    return Sample(
        id=state.sample_id,
        subject=metadata.get(SUBJECT_KEY, NO_SUBJECT),
        messages=[*messages, ChatMessageAssistant(content=metadata[CUE_KEY])] if CUE_KEY in metadata else messages,
        ground_truth=truths if listed else next(iter(truths), None),
        possible_completions=list(request.continuations) if request else None,
        context=loaded(metadata.get(CONTEXT_KEY)),
    )


def _truths(ground_truth: object) -> list[str]:
    given = ground_truth if isinstance(ground_truth, list) else [] if ground_truth is None else [ground_truth]
    truths = [truth for truth in given if isinstance(truth, str)]
    if len(truths) < len(given):
        raise TypeError(f"the ground truth is {ground_truth!r:.80}, where a text, a list of texts or None is expected")
    return truths


def _gold(truths: Sequence[str], completions: Sequence[str]) -> list[int]:
    if not completions:
        raise ValueError("_get_possible_completions returned an empty list, so there is nothing to rank")
    for truth in truths:
        if truth not in completions:
            shown = ", ".join(map(repr, completions))
            raise ValueError(f"the ground truth {truth!r} is not among the possible completions {shown:.200}")
    return [index for index, completion in enumerate(completions) if completion in truths]
