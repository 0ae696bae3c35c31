"""Panels: one or several graders judge an answer; their replies are recorded with the score."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Generic, TypeVar

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Value
from inspect_ai.util import collect

from openbench.errors import UsageError
from openbench.scorers.reasons import GRADER_FAILED
from openbench_judges.verdicts import Reader
from openbench_scorers.graded_panel import majority
from openbench_scorers.grading import refuse_self_judging
from openbench_scorers.model_graded import Verdict, ask_grader, resolve_grader
from openbench_scorers.options import one_or_several
from openbench_scorers.templates import DEFAULT_GRADER

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

JUDGED_KEY = "judged"
"""The key of a score's metadata that holds the graders' verdicts and replies: a list of `Ballot.record`."""

IDEAL = "(the ideal answer)"
"""The answer of `--baseline reference` for datasets without correct answers; `baseline/grader` rates it best."""

Models = str | Model | Sequence[str | Model] | None
"""A scorer's graders: one, several, or None for the model of the role `grader` or the default."""


@dataclass(frozen=True)
class Vote(Generic[T]):
    """The vote of one grader.

    Attributes:
        grader: The grader's name.
        value: Its verdict; None if it cannot be read.
        text: Its reply.
    """

    grader: str
    value: T | None
    text: str


@dataclass(frozen=True)
class Ballot(Generic[T]):
    """The votes of all graders of a panel on one question.

    Attributes:
        prompt: The label of the prompt.
        votes: The votes.
    """

    prompt: str
    votes: Sequence[Vote[T]]

    @property
    def read(self) -> list[T]:
        """The verdicts that could be read."""
        return [vote.value for vote in self.votes if vote.value is not None]

    @property
    def text(self) -> str:
        """All replies."""
        return "\n\n".join(vote.text for vote in self.votes)

    def agreement(self) -> float | None:
        """Return the share of pairs of readable verdicts that are equal, from 0 to 1; None for fewer than two."""
        pairs = list(itertools.combinations(self.read, 2))
        return fmean(one == other for one, other in pairs) if pairs else None

    def record(self) -> dict[str, Any]:
        """Return the record for logs: the prompt, each grader's verdict and reply, and the agreement of a panel."""
        votes = [{"grader": vote.grader, "verdict": vote.value, "reply": vote.text} for vote in self.votes]
        agreement = self.agreement()
        return {"prompt": self.prompt, "votes": votes, **({} if agreement is None else {"agreement": agreement})}


def verdict_of(ballot: Ballot[H]) -> H | None:
    """Return the verdict of more than half of all graders; an unreadable one counts as an abstention."""
    verdict: Any = majority([vote.value for vote in ballot.votes])  # type: ignore[misc]  # any hashable values
    return verdict  # type: ignore[no-any-return]


def mean_of(ballot: Ballot[float]) -> float | None:
    """Return the mean of the graders' numbers; None if half or more cannot be read."""
    read = ballot.read
    return fmean(read) if 2 * len(read) > len(ballot.votes) else None


@dataclass(frozen=True)
class Panel:
    """The graders of a scorer.

    Attributes:
        models: The names or models; None is the model of the role `grader` or the default.
        allow_self_judge: Whether the evaluated model may be one of them.
        default: The default grader.
    """

    models: Sequence[str | Model | None]
    allow_self_judge: bool = False
    default: str = DEFAULT_GRADER

    @classmethod
    def of(cls, models: Models, *, allow_self_judge: bool = False, default: str = DEFAULT_GRADER) -> "Panel":
        """Create the panel from a scorer's arguments.

        Raises:
            UsageError: `models` is empty.
        """
        several = tuple(one_or_several(models))
        if not several:
            raise UsageError("models=[]: expected at least one grader, or None for the model of the role grader.")
        return cls(several, allow_self_judge, default)

    async def ask(self, question: "Question[T]", *, evaluated: object) -> Ballot[T]:
        """Ask every grader.

        Args:
            question: The question.
            evaluated: The evaluated model or its name, such as `state.model`.

        Raises:
            UsageError: The evaluated model would judge itself.
        """
        graders = [resolve_grader(model, self.default) for model in self.models]
        if not self.allow_self_judge:
            refuse_self_judging(graders, evaluated)
        verdicts = await collect(*map(question.put, graders))
        votes = [question.vote(grader, verdict) for grader, verdict in zip(graders, verdicts, strict=True)]
        return Ballot(question.label, votes)


@dataclass(frozen=True, kw_only=True)
class Question(Generic[T]):
    """A question to graders.

    Attributes:
        label: The label of its prompt (`JudgePrompt.label`).
        prompt: Its text.
        read: The reader of a reply.
        best: The reply to a correct answer, for graders that are not models (`baseline/grader`).
        worst: The reply to a wrong answer.
        answer: The judged answer.
        targets: The correct answers; without any, `IDEAL`.
        system: The system message, if any.
    """

    label: str
    prompt: str
    read: Reader[T]
    best: str
    worst: str
    answer: str
    targets: Sequence[str] = ()
    system: str | None = None

    async def put(self, grader: Model) -> Verdict:
        """Ask a grader."""
        targets = [target for target in self.targets if target.strip()] or [IDEAL]
        replies = {self.best: "best", self.worst: "worst"}
        return await ask_grader(
            grader, self.prompt, grades=replies, answer=self.answer, targets=targets, system=self.system
        )

    def vote(self, grader: Model, verdict: Verdict) -> Vote[T]:
        """Return a grader's vote."""
        return Vote(str(grader), None if verdict.missing else self.read(verdict.text), verdict.text)


def scored(
    value: Value | None,
    ballots: Sequence[Ballot[Any]],
    answer: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> Score:
    """Return the score of a judged answer, with the ballots in its metadata; unscored without a value."""
    explanation = "\n\n".join(ballot.text for ballot in ballots)
    recorded = {**(metadata or {}), JUDGED_KEY: [ballot.record() for ballot in ballots]}
    if value is None:
        return Score.unscored(reason=GRADER_FAILED, answer=answer, explanation=explanation, metadata=recorded)
    score = Score(value=value, answer=answer, explanation=explanation, metadata=recorded)
    return score.model_copy(update={"reason": reason})


def mapped(ballot: Ballot[T], values: Mapping[T, Any]) -> Ballot[Any]:
    """Return a ballot with each verdict replaced by its value."""
    votes: list[Vote[Any]] = [
        replace(vote, value=None if vote.value is None else values[vote.value]) for vote in ballot.votes
    ]
    return Ballot(ballot.prompt, votes)
