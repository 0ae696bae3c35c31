"""Grade answers with another model."""

from inspect_ai.scorer import Scorer, accuracy, scorer, stderr

from openbench_scorers.attempts import DEFAULT_GRADER, Unreadable, grading
from openbench_simpleqa.metrics import simpleqa_metrics
from openbench_simpleqa.prompt import GRADER_TEMPLATE

__all__ = ["DEFAULT_GRADER", "Unreadable", "simpleqa_scorer"]


@scorer(metrics=[accuracy(), stderr(), simpleqa_metrics()], default_grader=DEFAULT_GRADER)
def simpleqa_scorer(
    model: str | None = None, template: str = GRADER_TEMPLATE, unreadable: Unreadable = "unscored"
) -> Scorer:
    """Grade each answer as correct, incorrect or not attempted; accuracy counts only correct ones.

    Args:
        model: The grader; by default the model with the role `grader`, else `openai/gpt-4.1-2025-04-14`.
        template: The grader's prompt, with the fields `question`, `target` and `answer` (or `predicted_answer`).
        unreadable: How to score a sample if the grader's reply has no grade: `unscored`, which is counted separately,
            or `not_attempted`, as in the original.

    Raises:
        UsageError: `unreadable` has another value.
    """
    return grading(template, model, unreadable)
