"""Grades answers with another model."""

from inspect_ai.scorer import Scorer, accuracy, scorer, stderr

from openbench_scorers.attempts import DEFAULT_GRADER, Unreadable, grading
from openbench_simpleqa.metrics import simpleqa_metrics
from openbench_simpleqa.prompt import GRADER_TEMPLATE

__all__ = ["DEFAULT_GRADER", "Unreadable", "simpleqa_scorer"]


@scorer(metrics=[accuracy(), stderr(), simpleqa_metrics()], default_grader=DEFAULT_GRADER)
def simpleqa_scorer(
    model: str | None = None, template: str = GRADER_TEMPLATE, unreadable: Unreadable = "unscored"
) -> Scorer:
    """Grade each answer as correct, incorrect or not attempted; only correct ones count as right.

    Args:
        model: The grader; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        template: The grader's prompt, with the fields `question`, `target` and `answer` (or `predicted_answer`).
        unreadable: What a reply without a grade makes of a sample: `unscored`, which is counted apart, or
            `not_attempted`, as the original does.

    Raises:
        UsageError: `unreadable` is neither.
    """
    return grading(template, model, unreadable)
