"""The request to rank texts by their log-probability, and the storage of a model's values.

A benchmark creates its samples with `ranking_sample`, the solver `rank` asks the model, and the scorer `ranking` reads
the values. A model provider that can rank is an Inspect `ModelAPI` with the method of `Ranker`; an engine that needs no
provider calls `ranking_request` and `record_loglikelihoods` itself. Inspect's own providers rank through functions that
distributions register in the entry-point group `openbench.rankers`.

Options are identified by their index everywhere, since two may have the same text.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, ContentText, ModelOutput
from inspect_ai.solver import TaskState

from openbench.errors import DataError, OpenbenchError
from openbench.tasks.prompts import concatenated
from openbench_ranking.continuation import ContinuationScore, FirstTokenScore

RANKING_KEY = "openbench_ranking"
"""The key of a sample's metadata that holds its continuations and the indexes of the correct ones."""

FIRST_TOKEN_KEY = "first_token"  # noqa: S105 - a key
"""The key of a model output's metadata that holds the uncertainty of first-token scores; see `FirstTokenScore`.

It is `{"unseen": …, "bound": […]}`, and missing if the log-probabilities are those of whole continuations.
"""

LOGLIKELIHOODS_KEY = "loglikelihoods"
"""The key of a model output's metadata that holds the log-probabilities, one per continuation.

Alongside it are the lists `tokens` and `greedy` if the model reports them, `truncated` if a context was truncated, and
`unconditional`, the log-probabilities without the context, if the solver requested them.
"""


@dataclass(frozen=True, kw_only=True)
class RankingRequest:
    """The texts that a model ranks.

    Attributes:
        messages: The context; a trailing assistant message is a cue, which the continuations follow directly.
        continuations: The texts to rank, exactly as they are scored, with their leading space.
        gold: The indexes of the correct ones.
        contexts: For partial evaluation, a context for each continuation, which replaces the text of the last message.
            Otherwise empty.
    """

    messages: Sequence[ChatMessage]
    continuations: Sequence[str]
    gold: Sequence[int]
    contexts: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Validate the values.

        Raises:
            ValueError: `continuations` is empty or contains an empty text, `gold` is empty or out of range, or the
                number of contexts is not that of the continuations.
        """
        if not self.continuations:
            raise ValueError("it has no continuations to rank")
        for index, continuation in enumerate(self.continuations):
            if not continuation.removeprefix(" "):
                raise ValueError(f"continuation {index} is {continuation!r}, which is blank and cannot be ranked")
        if not self.gold:
            raise ValueError("no continuation is marked as correct")
        outside = [index for index in self.gold if not 0 <= index < len(self.continuations)]
        if outside:
            raise ValueError(f"the index {outside[0]} is outside the {len(self.continuations)} continuations")
        if self.contexts and (len(self.contexts) != len(self.continuations) or not self.messages):
            raise ValueError(
                f"{len(self.contexts)} contexts for {len(self.continuations)} continuations of {len(self.messages)} "
                "messages: expected one for each continuation, which replaces the text of the last message"
            )

    @property
    def context(self) -> str:
        """The messages as one text, as a base model reads them; see `concatenated`.

        Raises:
            DataError: A message has content that is not text, or each continuation has a context of its own.
        """
        if self.contexts:
            raise DataError("each continuation has a context of its own. Rank the requests of RankingRequest.separate.")
        return concatenated((message.role, _text(message)) for message in self.messages)

    @property
    def texts(self) -> list[str]:
        """Each option as a log shows it: its continuation, after its context if it has one of its own."""
        if self.contexts:
            return [context + text for context, text in zip(self.contexts, self.continuations, strict=True)]
        return [text.removeprefix(" ") for text in self.continuations]

    def separate(self) -> list["RankingRequest"]:
        """Return a request for each continuation, after its own context."""
        *before, last = self.messages
        return [
            replace(
                self,
                messages=[*before, last.model_copy(update={"content": context})],
                continuations=[text],
                gold=[0],
                contexts=(),
            )
            for context, text in zip(self.contexts, self.continuations, strict=True)
        ]


@runtime_checkable
class Ranker(Protocol):
    """A model provider that can rank: an Inspect `ModelAPI` with this method."""

    async def loglikelihoods(self, request: RankingRequest) -> Sequence[float | ContinuationScore]:
        """Return the summed log-probability (natural logarithm) of each continuation after the context, in order."""
        ...


@runtime_checkable
class SelectiveRanker(Protocol):
    """A `Ranker` that cannot rank every request."""

    def why_not(self, request: RankingRequest) -> str | None:
        """Return the reason why a request cannot be ranked, as a clause; None if it can."""
        ...


@dataclass(frozen=True)
class RecordedScores:
    """The scores of a ranked sample in a log.

    Attributes:
        scores: The score of each continuation, in order.
        unconditional: The log-probability of each without the context; None if not requested.
    """

    scores: Sequence[ContinuationScore]
    unconditional: Sequence[float] | None = None

    @property
    def loglikelihoods(self) -> list[float]:
        """The log-probabilities."""
        return [score.loglikelihood for score in self.scores]


def ranking_sample(
    *,
    input: str | list[ChatMessage],  # noqa: A002 - Inspect's name
    continuations: Sequence[str],
    gold: Sequence[int],
    contexts: Sequence[str] = (),
    id: str | int | None = None,  # noqa: A002 - likewise
    metadata: Mapping[str, Any] | None = None,
) -> Sample:
    """Create a sample whose continuations are ranked.

    Its target is the texts of the correct continuations, for readers of a log; scorers use the indexes.

    Args:
        input: The context: a user's message, or messages, the last of which may be an assistant's cue.
        continuations: The texts to rank, with their leading space. Any number; duplicates are allowed.
        gold: The indexes of the correct ones.
        contexts: For partial evaluation, a context for each continuation, which replaces the input's last message.
        id: The sample's id.
        metadata: Further metadata.

    Raises:
        ValueError: `continuations` is empty or contains an empty text, `gold` is empty or out of range, or the number
            of contexts is not that of the continuations.
    """
    ranking: dict[str, Any] = {"continuations": list(continuations), "gold": list(gold)}
    if contexts:
        ranking["contexts"] = list(contexts)
    request = RankingRequest(messages=_messages(input), **ranking)
    return Sample(
        input=input,
        target=[request.texts[index] for index in gold],
        id=id,
        metadata={**(metadata or {}), RANKING_KEY: ranking},
    )


def is_ranked(holder: Sample | TaskState) -> bool:
    """Return whether a sample's continuations are to be ranked."""
    return RANKING_KEY in (holder.metadata or {})


def ranking_request(holder: Sample | TaskState) -> RankingRequest | None:
    """Return the request of a sample, or of a state with the messages that solvers added; None if it is not ranked."""
    if not is_ranked(holder):
        return None
    messages = _messages(holder.input) if isinstance(holder, Sample) else holder.messages
    return RankingRequest(messages=list(messages), **(holder.metadata or {})[RANKING_KEY])


def record_loglikelihoods(
    state: TaskState,
    loglikelihoods: Sequence[float | ContinuationScore],
    unconditional: Sequence[float | ContinuationScore] | None = None,
) -> None:
    """Store a model's values in the metadata of the state's output, and thus in the log.

    The completion is the text of the most probable continuation (the first of equals; blank if all are equal). No
    message is added: the state's messages remain the context.

    Args:
        state: The state of a sample that is ranked.
        loglikelihoods: The log-probability (natural logarithm) of each continuation, in order; minus infinity is
            allowed.
        unconditional: The log-probabilities without the context.

    Raises:
        OpenbenchError: Their number is wrong, or one is NaN or plus infinity.
    """
    request = ranking_request(state)
    if request is None:
        raise OpenbenchError(f"sample {state.sample_id!r} has nothing to rank. Create it with ranking_sample.")
    scores = _checked(state, request, loglikelihoods)
    recorded: dict[str, Any] = {LOGLIKELIHOODS_KEY: [score.loglikelihood for score in scores]}
    for name in ("tokens", "greedy"):
        if None not in (values := [getattr(score, name) for score in scores]):
            recorded[name] = values
    if any(score.truncated for score in scores):
        recorded["truncated"] = [score.truncated for score in scores]
    if firsts := [score for score in scores if isinstance(score, FirstTokenScore)]:
        recorded[FIRST_TOKEN_KEY] = {"unseen": firsts[0].unseen, "bound": [score.bound for score in firsts]}
    if unconditional is not None:
        recorded["unconditional"] = [score.loglikelihood for score in _checked(state, request, unconditional)]
    best = most_probable(recorded[LOGLIKELIHOODS_KEY])
    completion = request.texts[best[0]] if best else ""
    state.output = ModelOutput.from_content(str(state.model), completion)
    state.output.metadata = recorded


def recorded_scores(state: TaskState) -> RecordedScores | None:
    """Return the values that `record_loglikelihoods` stored; None if it stored none."""
    stored = state.output.metadata or {}
    if (values := stored.get(LOGLIKELIHOODS_KEY)) is None:
        return None
    columns = (stored.get(name) or [None] * len(values) for name in ("tokens", "greedy"))
    truncated = stored.get("truncated") or [0] * len(values)
    scores = [ContinuationScore(float(value), *rest) for value, *rest in zip(values, *columns, truncated, strict=True)]
    if first := stored.get(FIRST_TOKEN_KEY):
        bounds = zip(scores, first["bound"], strict=True)
        scores = [FirstTokenScore(**vars(score), bound=bound, unseen=first["unseen"]) for score, bound in bounds]
    unconditional = stored.get("unconditional")
    return RecordedScores(scores, None if unconditional is None else list(map(float, unconditional)))


def _checked(
    state: TaskState, request: RankingRequest, loglikelihoods: Sequence[float | ContinuationScore]
) -> list[ContinuationScore]:
    """Return the score of each continuation.

    Raises:
        OpenbenchError: Their number is wrong, or one is NaN or plus infinity.
    """
    scores = [
        value if isinstance(value, ContinuationScore) else ContinuationScore(float(value)) for value in loglikelihoods
    ]
    if len(scores) != len(request.continuations):
        raise OpenbenchError(
            f"sample {state.sample_id!r}: {len(scores)} log-probabilities for {len(request.continuations)} "
            "continuations; expected one for each, in order."
        )
    for index, score in enumerate(scores):
        if math.isnan(score.loglikelihood) or score.loglikelihood == math.inf:
            raise OpenbenchError(
                f"sample {state.sample_id!r}: the log-probability of continuation {index} "
                f"({request.continuations[index]!r:.80}) is {score.loglikelihood}; expected a finite number or -inf."
            )
    return scores


def most_probable(values: Sequence[float]) -> list[int]:
    """Return the indexes of the highest value; none if all of several values are equal."""
    highest = max(values)
    best = [index for index, value in enumerate(values) if value == highest]
    return [] if len(best) == len(values) > 1 else best


def _messages(content: str | list[ChatMessage]) -> list[ChatMessage]:
    return [ChatMessageUser(content=content)] if isinstance(content, str) else content


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    for part in message.content:
        if not isinstance(part, ContentText):
            raise DataError(f"the context has content of type {part.type!r}; only text can be ranked.")
    return message.text
