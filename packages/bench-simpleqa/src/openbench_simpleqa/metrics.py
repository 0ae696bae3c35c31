"""The six metrics that SimpleQA reports."""

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench_scorers.attempts import GRADE_KEY, attempt_figures

__all__ = ["GRADE_KEY", "simpleqa_metrics"]


@metric
def simpleqa_metrics() -> Metric:
    """Report the distribution of grades; see `openbench_scorers.attempts.attempt_figures`."""

    def calculate(scores: list[SampleScore]) -> Value:  # Inspect reads the annotation
        return attempt_figures(scores)

    return calculate
