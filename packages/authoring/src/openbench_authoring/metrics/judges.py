"""Metrics that ask a model; they need openbench-judges.

The prompt is in the language of the sample's `LanguageMetricContext`, else in that of the task, where the judge has it,
else in English. The grader is the model of the role `grader`, else the judge's default. A verdict that cannot be read
leaves the sample unscored.
"""

from importlib import import_module
from typing import Any, ClassVar

from inspect_ai.scorer import Score
from iso639 import Lang
from iso639.exceptions import InvalidLanguageValue

from openbench.errors import UsageError
from openbench_authoring.contexts import LanguageMetricContext as InLanguage
from openbench_authoring.contexts import (
    LLMJudgeSqlMetricContext,
    MTBenchJudgePairMetricContext,
    MTBenchJudgeSingleMetricContext,
    extract_context_metric,
    find_context,
)
from openbench_authoring.metrics.base import JudgeMetric
from openbench_authoring.responses import Completion
from openbench_authoring.samples import Sample


class _Judged(JudgeMetric):
    """A metric based on a judge of openbench-judges, from 0 to 1."""

    JUDGE: ClassVar[str]

    def __init__(self) -> None:
        _module("judges", type(self).__name__)

    async def judge(self, response: Completion, *, evaluated: str, language: str | None) -> Score:
        """Ask the judge."""
        found: Score = await getattr(_module("judges", type(self).__name__), self.JUDGE).score(
            _panel(self),
            evaluated=evaluated,
            answer=response.completion,
            language=_code(response, language),
            targets=response.ground_truth_list,
            **self.fields(response),
        )
        return found

    def fields(self, response: Completion) -> dict[str, str]:
        """Return the fields of the judge's prompt."""
        return {"question": response.system_user_instruction}


class LLMJudgeAvoidsNames(_Judged):
    """Whether an answer names no person: 1 or 0, higher is better."""

    NAME, JUDGE = "Avoids Names", "AVOIDS_NAMES"

    def fields(self, response: Completion) -> dict[str, str]:  # noqa: ARG002 - the judge sees the answer alone
        """Return no fields."""
        return {}


class LLMJudgeChatbotStyle(_Judged):
    """Whether an answer is in the style of a chatbot: 1 or 0."""

    NAME, JUDGE = "Chatbot Style", "CHATBOT_STYLE"

    def fields(self, response: Completion) -> dict[str, str]:  # noqa: ARG002 - likewise
        """Return no fields."""
        return {}


class LLMJudgeCompletionAccuracy(_Judged):
    """Whether an answer agrees with the ground truth: 1 or 0, higher is better."""

    NAME, JUDGE = "Judge Completion Accuracy", "COMPLETION_ACCURACY"

    def fields(self, response: Completion) -> dict[str, str]:
        """Return the question and the right answers."""
        return {**super().fields(response), "target": "\n".join(response.ground_truth_list)}

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without a ground truth."""
        if not sample.ground_truth:
            raise ValueError("the metric compares with the ground truth, which the sample lacks")


class LLMJudgeConciseness(_Judged):
    """Whether an answer is brief and to the point: 1 or 0, higher is better."""

    NAME, JUDGE = "Conciseness", "CONCISENESS"


class LLMJudgeFormatCorrectness(_Judged):
    """Whether an answer has the format that the prompt asks for: 1 or 0, higher is better."""

    NAME, JUDGE = "Format Correctness", "FORMAT_CORRECTNESS"


class LLMJudgeInstruction(_Judged):
    """How well an answer follows its instruction: a grade, A is 1 and F is 0, and six criteria; higher is better."""

    NAME, JUDGE = "Instruction Following", "INSTRUCTION"
    KEYS = (
        "quality",
        "is_following_instruction",
        "has_correct_grammar_and_spelling",
        "is_context_consistent",
        "is_not_repeating",
        "is_trustworthy",
        "is_safe",
    )


class LLMJudgeRefusal(_Judged):
    """Whether an answer is a refusal: 1 or 0, lower is better."""

    NAME, JUDGE = "refusal_classifier", "REFUSAL"
    HIGHER_IS_BETTER = False


class LLMJudgeSql(_Judged):
    """How good a query is: a grade, A is 1 and F is 0, higher is better; no query is run.

    The dialect and the schema of the database are those of the sample's `LLMJudgeSqlMetricContext`, if it has one.
    """

    NAME, JUDGE = "SQL Quality", "SQL"

    def fields(self, response: Completion) -> dict[str, str]:
        """Return the requirements, with the dialect and the schema of the database."""
        context = find_context(response, LLMJudgeSqlMetricContext)
        schema = f"\n[Dialect]\n{context.dialect}\n\n[Schema]\n{context.db_schema}\n" if context else ""
        return {**super().fields(response), "schema": schema}


class LLMJudgeWorldKnowledge(_Judged):
    """Whether a summary contains information that its text does not: 1 or 0, lower is better."""

    NAME, JUDGE = "World Knowledge", "WORLD_KNOWLEDGE"
    HIGHER_IS_BETTER = False

    def fields(self, response: Completion) -> dict[str, str]:
        """Return the text, which is the question without its examples."""
        return {"question": response.last_user_instruction}


class MTBenchJudgeSingle(JudgeMetric):
    """How good the last answer of a conversation is, from 1 to 10, higher is better.

    The sample's `MTBenchJudgeSingleMetricContext` has the category and the reference answers, which count in math,
    reasoning and coding.
    """

    NAME = "single_judgement"

    def __init__(self) -> None:
        _module("mt_bench", type(self).__name__)

    async def judge(self, response: Completion, *, evaluated: str, language: str | None) -> Score:
        """Rate the last answer."""
        context = extract_context_metric(response, MTBenchJudgeSingleMetricContext)
        found: Score = await _module("mt_bench", type(self).__name__).rate_last(
            _panel(self),
            _conversation(response, context),
            evaluated=evaluated,
            language=_code(response, language) or "en",
            targets=response.ground_truth_list,
        )
        return found

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, MTBenchJudgeSingleMetricContext)


class MTBenchJudgePair(JudgeMetric):
    """Whether the last answer of a conversation beats another: win 1, tie 0.5, loss 0; higher is better.

    Both orders are asked; verdicts that differ are a tie. The sample's `MTBenchJudgePairMetricContext` has the other
    model's answers, the category and the reference answers.
    """

    NAME = "pairwise_judgement"
    REQUESTS = 2

    def __init__(self) -> None:
        _module("mt_bench", type(self).__name__)

    async def judge(self, response: Completion, *, evaluated: str, language: str | None) -> Score:
        """Compare the last answers in both orders."""
        context = extract_context_metric(response, MTBenchJudgePairMetricContext)
        module = _module("mt_bench", type(self).__name__)
        own = _conversation(response, context)
        rival = module.Conversation(own.questions, _texts(context.answer), own.references)
        found: Score = await module.compare_last(
            _panel(self),
            own,
            rival,
            evaluated=evaluated,
            language=_code(response, language) or "en",
            targets=response.ground_truth_list,
        )
        return found

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context, or without an answer of the other model to each question."""
        context = extract_context_metric(sample, MTBenchJudgePairMetricContext)
        questions = sum(message.role == "user" for message in sample.messages)
        if len(_texts(context.answer)) != questions:
            raise ValueError(
                f"the context has {len(_texts(context.answer))} answers of the other model to {questions} questions"
            )


def _conversation(
    response: Completion, context: MTBenchJudgeSingleMetricContext | MTBenchJudgePairMetricContext
) -> Any:
    """Return a response's conversation, whose last answer is the completion."""
    module = _module("mt_bench", "MT-Bench")
    questions = [message.text for message in response.messages if message.role == "user"]
    earlier = [message.text for message in response.messages[:-1] if message.role == "assistant"]
    references = module.references_of({"category": context.category, "reference": context.reference})
    return module.Conversation(questions, [*earlier[: len(questions) - 1], response.completion], references)


def _texts(given: list[str] | str) -> list[str]:
    return [given] if isinstance(given, str) else given


def _panel(metric: JudgeMetric) -> Any:
    return _module("panel", type(metric).__name__).Panel.of(metric.MODELS, allow_self_judge=metric.ALLOW_SELF_JUDGE)


def _code(response: Completion, language: str | None) -> str | None:
    """Return the two letters of the language of a sample's context or, by its English name, of the task."""
    if context := find_context(response, InLanguage):
        return context.language.partition("-")[2] or context.language
    try:
        return Lang(language.rpartition("-")[2]).pt1 if language else None
    except InvalidLanguageValue:
        return None


def _module(name: str, metric: str) -> Any:
    """Import a module of openbench-judges.

    Raises:
        UsageError: It is not installed.
    """
    try:
        return import_module(f"openbench_judges.{name}")
    except ImportError as error:
        raise UsageError(
            f"{metric} needs openbench-judges, which cannot be imported ({error}). "
            "Install it with: pip install 'openbench-authoring[judges]'"
        ) from error
