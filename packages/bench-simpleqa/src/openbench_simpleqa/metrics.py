"""The six figures that SimpleQA reports."""

from collections import Counter

from inspect_ai.scorer import Metric, SampleScore, Value, metric

GRADE_KEY = "grade"


@metric
def simpleqa_metrics() -> Metric:
    """Report how the grades are spread.

    Of all graded samples: the shares `is_correct`, `is_incorrect` and `is_not_attempted` (which sum to 1),
    `is_given_attempted` = is_correct + is_incorrect, `accuracy_given_attempted` = is_correct / is_given_attempted,
    and `f1`, the harmonic mean of accuracy_given_attempted and is_correct. Each is between 0 and 1; a ratio whose
    denominator is 0 is 0. Samples without a grade that can be read are no part of any figure.

    Source: Wei et al. 2024, Measuring short-form factuality in large language models, arXiv 2411.04368.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        grades = Counter((score.score.metadata or {}).get(GRADE_KEY) for score in scores)
        counted = {name: grades[name] for name in ("correct", "incorrect", "not_attempted")}
        total = sum(counted.values())
        correct, incorrect, not_attempted = (_ratio(count, total) for count in counted.values())
        attempted = correct + incorrect
        precision = _ratio(correct, attempted)
        return {
            "is_correct": correct,
            "is_incorrect": incorrect,
            "is_not_attempted": not_attempted,
            "is_given_attempted": attempted,
            "accuracy_given_attempted": precision,
            "f1": _ratio(2 * precision * correct, precision + correct),
        }

    return calculate


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0
