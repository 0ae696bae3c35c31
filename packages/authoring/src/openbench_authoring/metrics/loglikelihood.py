"""Metrics of how a model ranks texts by their log-probability, from what `openbench.scorers.ranking` computes."""

from typing import ClassVar

from inspect_ai.scorer import Score

from openbench.scorers.ranking import score_ranking
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.metrics.values import one_value
from openbench_authoring.responses import Loglikelihood


class _Ranking(ScoreMetric[Loglikelihood]):
    FIGURE: ClassVar[str]

    def evaluate(self, response: Loglikelihood) -> Score:
        """Compute the figure; texts are told apart by their place, so that equal ones are two."""
        return one_value(score_ranking(response.values, response.possible_completions, response.gold), self.FIGURE)


class AccuracyLoglikelihood(_Ranking):
    """Whether the most probable text is a right one: 0 to 1, higher is better; of equals, right ones by their share."""

    NAME = "Accuracy Loglikelihood"
    FIGURE = "acc"


class AccuracyNormLoglikelihood(_Ranking):
    """Likewise, with each log-probability divided by the characters of its text, a leading space left out."""

    NAME = "Accuracy Normalized Loglikelihood"
    FIGURE = "acc_norm"


class ProbabilityMass(_Ranking):
    """The share of the texts' probability that is on right ones: 0 to 1, higher is better."""

    NAME = "Probability Mass"
    FIGURE = "prob_mass"


class ProbabilityMassNorm(_Ranking):
    """Likewise, with each log-probability divided by the characters of its text, a leading space left out."""

    NAME = "Probability Mass Normalized"
    FIGURE = "prob_mass_norm"
