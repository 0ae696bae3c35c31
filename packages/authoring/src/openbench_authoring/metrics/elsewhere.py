"""Metrics of planned packages: they can be imported, so that the other tasks of a module can be used.

A task with other metrics runs without them: they leave its samples unscored, with the reason.
"""

from typing import Any, ClassVar

from inspect_ai.scorer import Score

from openbench.scorers.reasons import unscored
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.responses import Completion

_JUDGED = (
    "Today, put another metric in its place, and have the log judged by a criterion: "
    "bench score LOG --scorer {scorer} -S criterion=TEXT."
)


class Elsewhere(ScoreMetric[Completion]):
    """A metric that is not available here."""

    PACKAGE: ClassVar[str]
    TODAY: ClassVar[str] = "Nothing of openbench scores this today: leave it out, or write a metric of your own."

    def __init_subclass__(cls, **options: Any) -> None:
        cls.NAME = vars(cls).get("NAME", cls.__name__)
        super().__init_subclass__(**options)

    @classmethod
    def absence(cls) -> str:
        """Return the message for its users."""
        return (
            f"{cls.__name__} is not part of openbench-authoring: it is planned for {cls.PACKAGE}, which is not there "
            f"yet. {cls.TODAY}"
        )

    def evaluate(self, response: Completion) -> Score:
        """Leave the sample unscored."""
        return unscored(self.absence(), response.completion)


class COMET(Elsewhere):
    """The quality of a translation, judged by a trained model."""

    PACKAGE = "openbench-comet"


class _Judge(Elsewhere):
    PACKAGE = "openbench-judges"
    TODAY = _JUDGED.format(scorer="json_judge")


class LLMJudgeAvoidsNames(_Judge):
    """Whether an answer names no person."""


class LLMJudgeChatbotStyle(_Judge):
    """Whether an answer is in the style of a chatbot."""


class LLMJudgeCompletionAccuracy(_Judge):
    """Whether an answer agrees with the right one."""


class LLMJudgeConciseness(_Judge):
    """Whether an answer is brief."""


class LLMJudgeFormatCorrectness(_Judge):
    """Whether an answer has the format that the prompt asks for."""


class LLMJudgeInstruction(_Judge):
    """How well an answer follows its instructions."""


class LLMJudgeRefusal(_Judge):
    """Whether an answer is a refusal."""


class LLMJudgeSql(_Judge):
    """How good a query is."""


class LLMJudgeWorldKnowledge(_Judge):
    """Whether a summary contains information that its text does not."""


class _MTBench(Elsewhere):
    PACKAGE = "openbench-mt-bench"


class MTBenchJudgePair(_MTBench):
    """Which of two answers is better."""

    TODAY = _JUDGED.format(scorer="json_judge_pair")


class MTBenchJudgeSingle(_MTBench):
    """How good an answer is, from 1 to 10."""

    TODAY = _JUDGED.format(scorer="json_judge")
