"""Metrics for right answers."""

from inspect_ai.scorer import Score, accuracy, stderr

from openbench.scorers.exact import score_exact
from openbench_authoring.contexts import LanguageMetricContext, extract_context_metric
from openbench_authoring.cue import answer_after_cue
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.metrics.values import one_value
from openbench_authoring.responses import Completion
from openbench_scorers.cwe import score_cwe
from openbench_scorers.grid import FILLED_KEYS, score_filled_grid
from openbench_scorers.niah import NONE_WORDS, score_niah
from openbench_scorers.options import one_of
from openbench_scorers.percentage import score_exponential_similarity
from openbench_scorers.symbolic import score_symbolic, symbolic
from openbench_scorers.token_f1 import score_token_f1


class AccuracyCompletion(ScoreMetric[Completion]):
    """Whether the completion equals a ground truth: 1 or 0, higher is better.

    Reasoning between tags and surrounding white space are ignored. The cue is not part of the answer: at the beginning
    of the completion, and of a ground truth, it is left out. So with the cue "A:" and the ground truth "A: Berlin." the
    completions " Berlin.", "A: Berlin." and "Berlin." are right. (eval-framework compares the text after the cue with
    the whole ground truth, so none of them is right.)
    """

    NAME = "Accuracy Completion"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the ground truths."""
        truths = [answer_after_cue(truth, response.cue) for truth in response.ground_truth_list]
        return score_exact(answer_after_cue(response.completion, response.cue), truths)


class MathReasoningCompletion(ScoreMetric[Completion]):
    """Whether the completion's last answer equals a ground truth mathematically: 1 or 0, higher is better.

    See `openbench_scorers.symbolic.score_symbolic`; it needs the extra `math` of openbench-scorers.
    """

    NAME = "Math Reasoning Completion (symbolic)"
    FIGURES = (accuracy(), stderr())
    RUNS_LONG = True

    def __init__(self) -> None:
        symbolic()  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the ground truths."""
        return score_symbolic(response.completion, response.ground_truth_list)


class CWEAccuracy(ScoreMetric[Completion]):
    """Whether all ground truths are named as whole words: 1 or 0, higher is better (`openbench_scorers.cwe`)."""

    NAME = "CWEAccuracy"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Look for the ground truths in the completion."""
        return score_cwe(response.completion, response.ground_truth_list)


class NIAHAccuracy(ScoreMetric[Completion]):
    """Whether exactly the ground truth's numbers are named, or their absence is stated: 1 or 0, higher is better.

    The language of "none" is that of the sample's `LanguageMetricContext`; see `openbench_scorers.niah`.
    """

    NAME = "NIAHAccuracy"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion's numbers with the ground truth's."""
        language = extract_context_metric(response, LanguageMetricContext).language.rpartition("-")[2]
        one_of("language", language, NONE_WORDS)
        return score_niah(response.completion, response.ground_truth_list, language)


class GridDifference(ScoreMetric[Completion]):
    """`exact_match`, `score` and `normalized_score` of a grid that was to be filled in, higher is better.

    See `openbench_scorers.grid.score_filled_grid`.
    """

    NAME = "grid_difference"
    KEYS = FILLED_KEYS

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion's cells with those of the ground truth and the question."""
        return score_filled_grid(response.completion, response.ground_truth_list, response.last_user_instruction)


class ExponentialSimilarity(ScoreMetric[Completion]):
    """How close the completion's percentage is: 0 to 1, higher is better (`openbench_scorers.percentage`)."""

    NAME = "ExponentialSimilarity"

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion with the ground truths."""
        return score_exponential_similarity(response.completion, response.ground_truth_list)


class F1(ScoreMetric[Completion]):
    """The shared words of completion and ground truth, split at white space and lower-cased: 0 to 1, higher is better.

    The best of several ground truths counts; see `openbench_scorers.token_f1`.
    """

    NAME = "F1"

    def evaluate(self, response: Completion) -> Score:
        """Compare the completion's words with those of the ground truths."""
        return one_value(score_token_f1(response.completion, response.ground_truth_list, "lower"), "f1")
