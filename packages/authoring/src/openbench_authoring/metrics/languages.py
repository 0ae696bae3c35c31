"""Metrics for the language of a completion; they need the extra `language` of openbench-scorers."""

from inspect_ai.scorer import Score, accuracy, stderr

from openbench.scorers.reasons import unscored
from openbench_authoring.contexts import LanguageMetricContext, extract_context_metric
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.responses import Completion
from openbench_authoring.samples import Sample
from openbench_scorers.language import known_languages, language_of, score_language


class LanguageChecker(ScoreMetric[Completion]):
    """Whether the completion is in the requested language: 1 or 0, higher is better.

    The ground truth is the language, as two letters of ISO 639-1; by default that of the sample's
    `LanguageMetricContext`. See `openbench_scorers.language`; it needs the extra `language` of openbench-scorers.
    """

    NAME = "Language Check"
    FIGURES = (accuracy(), stderr())

    def __init__(self) -> None:
        known_languages()  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Find the completion's language."""
        asked = response.ground_truth_list or [extract_context_metric(response, LanguageMetricContext).language]
        return score_language(response.completion, asked)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without a language."""
        if not sample.ground_truth:
            extract_context_metric(sample, LanguageMetricContext)


class GermanCompletionChecker(ScoreMetric[Completion]):
    """Whether the model's text is in German: 1 or 0, higher is better; otherwise as `LanguageChecker`."""

    NAME = "German Completion Check"
    FIGURES = (accuracy(), stderr())

    def __init__(self) -> None:
        known_languages()  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Find the language of the completion before post-processing."""
        return score_language(response.raw_completion, ["de"])


class LanguageConsistencyChecker(ScoreMetric[Completion]):
    """Whether the completion is in the language of the user's messages: 1 or 0, higher is better.

    Unscored if the language of either cannot be detected; otherwise as `LanguageChecker`.
    """

    NAME = "Language Consistency"
    FIGURES = (accuracy(), stderr())

    def __init__(self) -> None:
        known_languages()  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Find both languages."""
        asked = language_of(response.user_instruction)
        if asked is None:
            return unscored("the question has too little text to tell its language.")
        return score_language(self._completion(response), [asked])

    def _completion(self, response: Completion) -> str:
        return response.completion


class LanguageRawConsistencyChecker(LanguageConsistencyChecker):
    """Likewise, for the completion before post-processing."""

    NAME = "Language Consistency Raw"

    def _completion(self, response: Completion) -> str:
        return response.raw_completion
