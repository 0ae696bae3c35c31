"""What a metric is given, what the model answered to a sample, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from openbench_authoring.contexts import Context
from openbench_authoring.cue import CUE_KEY
from openbench_authoring.samples import from_state
from openbench_ranking.request import ranking_request, recorded_loglikelihoods


@dataclass(frozen=True, kw_only=True)
class Error:
    """Why a metric has no value."""

    error_class: str
    message: str
    traceback: str = ""


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """One figure of one response.

    Attributes:
        metric_name: The metric's `NAME`, or `NAME/key` for one of its `KEYS`.
        value: The figure; None if there is none, so that the sample is unscored and counted.
        higher_is_better: Its direction.
        llm_judge_prompt: What a judge was asked.
        llm_judge_response: What it said.
        code_execution_trace: What running code said.
        error: Why there is no value.
    """

    metric_name: str
    value: float | None
    higher_is_better: bool = True
    llm_judge_prompt: str | None = None
    llm_judge_response: str | None = None
    code_execution_trace: str | None = None
    error: Error | None = None


@dataclass(frozen=True, kw_only=True)
class _Response:
    """What both kinds of response hold.

    Attributes:
        id: The sample's id.
        subject: Its subject.
        messages: The conversation; of a completion with its cue and the answer.
        ground_truth: The right answer or answers.
        context: What the sample says besides.
        error: Always None: a sample that failed is not scored.
    """

    id: int | str
    subject: str
    messages: Sequence[ChatMessage]
    ground_truth: str | list[str] | None
    context: Context = None
    error: Error | None = None

    @property
    def ground_truth_list(self) -> list[str]:
        """The right answers; empty if there are none."""
        if isinstance(self.ground_truth, list):
            return self.ground_truth
        return [] if self.ground_truth is None else [self.ground_truth]

    @property
    def prompt(self) -> str:
        """The conversation up to the answer as one text."""
        return "\n\n".join(message.text for message in self.messages)

    @property
    def user_instruction(self) -> str:
        """What the user says, in all messages."""
        return "\n\n".join(self._instructions("user"))

    @property
    def system_user_instruction(self) -> str:
        """What the system and the user say, in all messages."""
        return "\n\n".join(self._instructions("system", "user"))

    @property
    def first_user_instruction(self) -> str:
        """What the user says first."""
        return next(iter(self._instructions("user")), "")

    @property
    def last_user_instruction(self) -> str:
        """What the user says last, which is the question without its examples."""
        return next(reversed(self._instructions("user")), "")

    def _instructions(self, *roles: str) -> list[str]:
        return [message.text for message in self.messages if message.role in roles]


@dataclass(frozen=True, kw_only=True)
class Completion(_Response):
    """A text that a model wrote.

    Attributes:
        completion: The text, post-processed.
        raw_completion: The text as the model wrote it.
        cue: What it was given as the beginning of its answer.
    """

    completion: str
    raw_completion: str
    cue: str = ""

    @property
    def prompt(self) -> str:
        """The conversation up to the answer as one text."""
        return "\n\n".join(message.text for message in self.messages[:-1])


@dataclass(frozen=True, kw_only=True)
class Loglikelihood(_Response):
    """How probable a model finds each of several texts.

    Attributes:
        possible_completions: The texts.
        values: The summed log-probability (natural logarithm) of each, in order.
        gold: The indexes of the right ones.
    """

    possible_completions: Sequence[str]
    values: Sequence[float]
    gold: Sequence[int]

    @property
    def loglikelihoods(self) -> dict[str, float]:
        """The values by text; of equal texts the last counts, so that `values` is the surer way."""
        return dict(zip(self.possible_completions, self.values, strict=True))


def completion_of(state: TaskState, target: Target, completion: str) -> Completion:
    """Return what a model answered, with its post-processed text."""
    sample = from_state(state, target)
    raw = state.output.completion
    return Completion(
        id=sample.id,
        subject=sample.subject,
        messages=[*sample.messages, ChatMessageAssistant(content=raw)],
        ground_truth=sample.ground_truth,
        context=sample.context,
        completion=completion,
        raw_completion=raw,
        cue=state.metadata.get(CUE_KEY, ""),
    )


def loglikelihood_of(state: TaskState, target: Target) -> Loglikelihood:
    """Return what a model says of the texts of a ranked sample.

    Raises:
        ValueError: No log-probabilities were recorded.
    """
    request, values = ranking_request(state), recorded_loglikelihoods(state)
    if request is None or values is None:
        raise ValueError("no log-probabilities were recorded; the solver openbench_ranking/rank does it")
    sample = from_state(state, target)
    return Loglikelihood(
        id=sample.id,
        subject=sample.subject,
        messages=sample.messages,
        ground_truth=sample.ground_truth,
        context=sample.context,
        possible_completions=request.continuations,
        values=values,
        gold=request.gold,
    )
