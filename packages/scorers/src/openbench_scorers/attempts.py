"""Short answers graded by a model as correct, incorrect or not attempted, and the metrics of such grades.

Wei et al. 2024, Measuring short-form factuality in large language models, arXiv 2411.04368.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    metric,
    scorer,
)
from inspect_ai.scorer import stderr as standard_error
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import GRADER_FAILED
from openbench_scorers.model_graded import ask_grader, resolve_grader
from openbench_scorers.options import one_of

GRADES = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}
GRADE_KEY = "grade"
"""The key of a score's metadata that holds the grade's name in lower case."""

DEFAULT_GRADER = "openai/gpt-4.1-2025-04-14"

Unreadable = Literal["unscored", "not_attempted"]
"""How a sample is scored if the grader's reply has no grade."""

PromptSource = Literal["ours", "official"]
"""The source of a grader's prompt: this project, or the benchmark's original."""

_NOT_ATTEMPTED = "C"


def attempt_figures(scores: Sequence[SampleScore]) -> dict[str, str | int | float | bool | None]:
    """Return the distribution of the grades.

    Of all graded samples: the shares `is_correct`, `is_incorrect` and `is_not_attempted` (which sum to 1),
    `is_given_attempted` = is_correct + is_incorrect, `accuracy_given_attempted` = is_correct / is_given_attempted, and
    `f1`, the harmonic mean of accuracy_given_attempted and is_correct. Each is between 0 and 1; a ratio whose
    denominator is 0 is 0. Samples without a readable grade are excluded from all metrics.
    """
    grades = Counter((score.score.metadata or {}).get(GRADE_KEY) for score in scores)
    counted = [grades[name.lower()] for name in GRADES.values()]
    correct, incorrect, not_attempted = (_ratio(count, sum(counted)) for count in counted)
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


@metric
def attempts_metrics() -> Metric:
    """Report `attempt_figures`."""

    def calculate(scores: list[SampleScore]) -> Value:  # Inspect reads the annotation
        return attempt_figures(scores)

    return calculate


@scorer(metrics=[accuracy(), standard_error(), attempts_metrics()], default_grader=DEFAULT_GRADER)
def attempts(template: str, model: str | None = None, unreadable: Unreadable = "unscored") -> Scorer:
    """Grade each answer as correct, incorrect or not attempted; only correct answers count as right.

    Args:
        template: The grader's prompt, with the fields `question`, `target` and `answer` (or `predicted_answer`).
        model: The grader; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        unreadable: How a sample is scored if the reply has no grade: `unscored`, which is counted separately, or
            `not_attempted`, as in the original.

    Raises:
        UsageError: `unreadable` has another value.
    """
    return grading(template, model, unreadable)


def grading(template: str, model: str | None, unreadable: Unreadable) -> Scorer:
    """Return the scorer `attempts`, for a benchmark that registers it under its own name."""
    one_of("unreadable", unreadable, get_args(Unreadable))

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        prompt = template.format(question=state.input_text, target=target.text, answer=answer, predicted_answer=answer)
        grader = resolve_grader(model, DEFAULT_GRADER)
        verdict = await ask_grader(grader, prompt, grades=GRADES, answer=answer, targets=list(target))
        letter = verdict.grade
        if letter is None and unreadable == "not_attempted":
            letter = _NOT_ATTEMPTED
        if letter is None:
            return Score.unscored(reason=GRADER_FAILED, answer=answer, explanation=verdict.text)
        return Score(
            value=CORRECT if letter == "A" else INCORRECT,
            answer=answer,
            explanation=verdict.text,
            reason="refusal" if letter == _NOT_ATTEMPTED else None,
            metadata={
                GRADE_KEY: GRADES[letter].lower(),
                "grade_letter": letter,
                "grading_response": verdict.text,
            },
        )

    return score


def choose_template(grader: PromptSource, file: str | None, *, ours: str, official: Callable[[], str]) -> str:
    """Return the grader's prompt selected by a task's arguments `grader` and `grader_template`.

    Args:
        grader: The source of the prompt.
        file: A file with a custom prompt.
        ours: The prompt for `ours`.
        official: A function that downloads the original prompt.

    Raises:
        UsageError: `grader` has another value, the file does not exist, or a file is given with `grader=official`.
    """
    one_of("grader", grader, get_args(PromptSource))
    if file is None:
        return official() if grader == "official" else ours
    if grader == "official":
        raise UsageError(f"grader=official and grader_template={file} cannot be combined; set only one of them.")
    template = Path(file)
    if not template.is_file():
        raise UsageError(f"grader_template={file}: the file does not exist.")
    return template.read_text("utf-8")


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0
