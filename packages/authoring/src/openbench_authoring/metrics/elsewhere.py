"""Metrics of packages that are planned: they can be imported, so that the other tasks of a module can be used."""

from typing import ClassVar

from openbench.errors import UsageError
from openbench_authoring.metrics.base import BaseMetric
from openbench_authoring.responses import Completion

_JUDGED = (
    "Today, put another metric in its place, and have the log judged by a criterion: "
    "bench score LOG --scorer {scorer} -S criterion=TEXT."
)


class _Elsewhere(BaseMetric[Completion]):
    PACKAGE: ClassVar[str]
    TODAY: ClassVar[str] = "Nothing of openbench scores this today: leave it out, or write a metric of your own."

    def __init__(self) -> None:
        raise UsageError(
            f"{type(self).__name__} is no part of openbench-authoring: it is planned for {self.PACKAGE}, which is not "
            f"there yet. {self.TODAY}"
        )


class _Code(_Elsewhere):
    PACKAGE = "openbench-code"


class CodeCompletionAssertion(_Code):
    """Whether code passes its assertions."""


class CodeExecutionPassAtOne(_Code):
    """Whether the first program passes its tests."""


class IFEvalMetric(_Elsewhere):
    """Whether an answer follows instructions that a program can check."""

    PACKAGE = "openbench-ifeval"


class _Judge(_Elsewhere):
    PACKAGE = "openbench-judges"
    TODAY = _JUDGED.format(scorer="json_judge")


class LLMJudgeAvoidsNames(_Judge):
    """Whether an answer names no person."""


class LLMJudgeChatbotStyle(_Judge):
    """Whether an answer has the manner of a chatbot."""


class LLMJudgeCompletionAccuracy(_Judge):
    """Whether an answer says what the right one says."""


class LLMJudgeConciseness(_Judge):
    """Whether an answer is brief."""


class LLMJudgeFormatCorrectness(_Judge):
    """Whether an answer has the format that the prompt asks for."""


class LLMJudgeInstruction(_Judge):
    """How well an answer does what it was told."""


class LLMJudgeRefusal(_Judge):
    """Whether an answer declines."""


class LLMJudgeSql(_Judge):
    """How good a query is."""


class LLMJudgeWorldKnowledge(_Judge):
    """Whether a summary says what its text does not."""


class _MTBench(_Elsewhere):
    PACKAGE = "openbench-mt-bench"


class MTBenchJudgePair(_MTBench):
    """Which of two answers is better."""

    TODAY = _JUDGED.format(scorer="json_judge_pair")


class MTBenchJudgeSingle(_MTBench):
    """How good an answer is, from 1 to 10."""

    TODAY = _JUDGED.format(scorer="json_judge")
