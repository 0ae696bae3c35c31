"""Metrics for the length of a completion."""

from collections.abc import Callable
from typing import ClassVar

from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, mean, std, stderr

from openbench.scorers.reasons import unanswered
from openbench_authoring.contexts import (
    ParagraphCounterMetricContext,
    SentenceCounterMetricContext,
    WordCounterMetricContext,
    extract_context_metric,
)
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.metrics.formats import requirement
from openbench_authoring.responses import Completion
from openbench_authoring.samples import GroundTruth, Sample
from openbench_scorers.length_control import TOLERANCE, Bound, Length, score_length
from openbench_scorers.options import one_of
from openbench_scorers.responses import response as response_text
from openbench_scorers.text_counts import count_paragraphs, count_sentences, count_words, score_length_ratio

BOUNDS: dict[str, Bound] = {"minimum": "min", "maximum": "max", "target": "approx"}
"""How ground truths name the bounds."""


class LengthControl(ScoreMetric[Completion]):
    """`fulfilled`: 1 or 0, higher is better; `deviation`: from 0, lower is better.

    The ground truth is a JSON object with `unit` (words, sentences, paragraphs), `type` (minimum, maximum, target) and
    `count`; a target may be missed by a share of `TOLERANCE`. See `openbench_scorers.length_control`.
    """

    NAME = "length_control"
    KEYS = ("fulfilled", "deviation")
    TOLERANCE: ClassVar[float] = TOLERANCE

    def evaluate(self, response: Completion) -> Score:
        """Measure the completion."""
        return score_length(response.completion, self._asked(response.ground_truth))

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample whose ground truth is not such an object."""
        self._asked(sample.ground_truth)

    def _asked(self, ground_truth: GroundTruth) -> Length:
        asked = requirement(ground_truth, "unit", "type", "count")
        one_of("type", asked["type"], BOUNDS)
        return Length(asked["unit"], BOUNDS[asked["type"]], int(asked["count"]), self.TOLERANCE)


class WordCounter(ScoreMetric[Completion]):
    """Whether the completion has less than, or at least, a given number of words: 1 or 0, higher is better.

    The number is that of the sample's `WordCounterMetricContext`; words are those of `openbench_scorers.words`.
    """

    NAME = "Word Count"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Count the completion's words."""
        context = extract_context_metric(response, WordCounterMetricContext)
        return _counted(response, count_words, context.comparison, context.word_count)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, WordCounterMetricContext)


class SentenceCounter(ScoreMetric[Completion]):
    """Whether the completion has less than, or at least, a given number of sentences: 1 or 0, higher is better.

    The number is that of the sample's `SentenceCounterMetricContext`.
    """

    NAME = "Sentence Count"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Count the completion's sentences."""
        context = extract_context_metric(response, SentenceCounterMetricContext)
        return _counted(response, count_sentences, context.comparison, context.sentence_count)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, SentenceCounterMetricContext)


class ParagraphCounter(ScoreMetric[Completion]):
    """Whether the completion has less than, or at least, a given number of paragraphs: 1 or 0, higher is better.

    The number is that of the sample's `ParagraphCounterMetricContext`.
    """

    NAME = "Paragraph Count"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Count the completion's paragraphs."""
        context = extract_context_metric(response, ParagraphCounterMetricContext)
        return _counted(response, count_paragraphs, context.comparison, context.paragraph_count)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, ParagraphCounterMetricContext)


class ResponseToOriginalLengthRatio(ScoreMetric[Completion]):
    """The completion's length divided by that of the last user message, in characters: from 0, lower is better.

    See `openbench_scorers.text_counts.score_length_ratio`.
    """

    NAME = "Response to Original Length Ratio"
    FIGURES = (mean(), std(), stderr())
    HIGHER_IS_BETTER = False

    def evaluate(self, response: Completion) -> Score:
        """Measure the completion."""
        return score_length_ratio(response.completion, response.last_user_instruction)


def _counted(response: Completion, count: Callable[[str], int], comparison: str, number: int) -> Score:
    text = response_text(response.completion)
    counted = count(text)
    right = counted < number if comparison == "less than" else counted >= number
    # An empty answer does not count as a short one.
    value = CORRECT if right and text else INCORRECT
    return Score(value=value, answer=str(counted), reason=None if text else unanswered(response.completion))
