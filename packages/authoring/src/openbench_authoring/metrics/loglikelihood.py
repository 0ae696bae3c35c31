"""Metrics for ranking texts by log-probability, computed from the results of `openbench_ranking.scorer`."""

from collections.abc import Sequence
from typing import ClassVar

from inspect_ai.scorer import Score

from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.metrics.values import one_value
from openbench_authoring.responses import Loglikelihood
from openbench_ranking.scorer import per_character, score_ranking, softmax


class _Ranking(ScoreMetric[Loglikelihood]):
    FIGURE: ClassVar[str]

    def evaluate(self, response: Loglikelihood) -> Score:
        """Compute the value; texts are identified by position, so equal ones are distinct."""
        return one_value(score_ranking(response.values, response.possible_completions, response.gold), self.FIGURE)


class AccuracyLoglikelihood(_Ranking):
    """Whether the most probable text is a right one: 0 to 1, higher is better; for ties, the share of right ones."""

    NAME = "Accuracy Loglikelihood"
    FIGURE = "acc"


class AccuracyNormLoglikelihood(_Ranking):
    """Likewise, with each log-probability divided by the number of characters of its text, without a leading space."""

    NAME = "Accuracy Normalized Loglikelihood"
    FIGURE = "acc_norm"


class ProbabilityMass(_Ranking):
    """The right texts' share of the texts' probability: 0 to 1, higher is better."""

    NAME = "Probability Mass"
    FIGURE = "prob_mass"


class ProbabilityMassNorm(_Ranking):
    """Likewise, with each log-probability divided by the number of characters of its text, without a leading space."""

    NAME = "Probability Mass Normalized"
    FIGURE = "prob_mass_norm"


class BitsPerByteLoglikelihood(_Ranking):
    """The negative log-probability of the first right text, in bits per UTF-8 byte: from 0, lower is better."""

    NAME = "BitsPerByte"
    FIGURE = "bits_per_byte"
    HIGHER_IS_BETTER = False


class _Confidence(ScoreMetric[Loglikelihood]):
    """Metrics of a model's probabilities, with log-probabilities divided by the number of the texts' characters."""

    def evaluate(self, response: Loglikelihood) -> Score:
        """Compute the value from the probabilities of the texts, which sum to 1."""
        by_character = per_character(response.values, response.possible_completions)
        return Score(value=self._figure(softmax(by_character), response.gold))

    def _figure(self, probabilities: Sequence[float], gold: Sequence[int]) -> float:
        raise NotImplementedError


class ConfidenceWeightedAccuracy(_Confidence):
    """The probability of the most probable text if it is a right one, else 0: 0 to 1, higher is better."""

    NAME = "Confidence-weighted Accuracy"

    def _figure(self, probabilities: Sequence[float], gold: Sequence[int]) -> float:
        best = max(range(len(probabilities)), key=probabilities.__getitem__)
        return probabilities[best] if best in gold else 0.0


class TernaryScore(_Confidence):
    """1 if the most probable text is a right one, 0 if it is the last one ("I do not know"), else -1.

    Source: Kalai et al. 2025, Why language models hallucinate, arXiv 2509.04664.
    """

    NAME = "Ternary Score"

    def _figure(self, probabilities: Sequence[float], gold: Sequence[int]) -> float:
        best = max(range(len(probabilities)), key=probabilities.__getitem__)
        return 1.0 if best in gold else 0.0 if best == len(probabilities) - 1 else -1.0


class DistributionalCorrectnessScore(_Confidence):
    """The probability on right texts minus that on wrong ones, times 1 minus that on the last one ("I do not know").

    From -1 to 1, higher is better. Source: Burns 2025, Measuring language model hallucinations through distributional
    correctness, arXiv 2510.04302.
    """

    NAME = "Distributional Correctness Score"

    def _figure(self, probabilities: Sequence[float], gold: Sequence[int]) -> float:
        unknown = 0.0 if len(probabilities) - 1 in gold else probabilities[-1]
        right = sum(probabilities[index] for index in gold)
        return (right - (1 - right - unknown)) * (1 - unknown)
