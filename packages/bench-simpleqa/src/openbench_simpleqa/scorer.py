"""Grades answers with another model."""

from typing import Literal, get_args

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.model_graded import ask_grader, resolve_grader
from openbench.scorers.reasons import GRADER_FAILED
from openbench_simpleqa.metrics import GRADE_KEY, simpleqa_metrics
from openbench_simpleqa.prompt import GRADER_TEMPLATE, GRADES

DEFAULT_GRADER = "openai/gpt-4.1-2025-04-14"

Unreadable = Literal["unscored", "not_attempted"]

_NOT_ATTEMPTED = "C"


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
    if unreadable not in get_args(Unreadable):
        raise UsageError(f"unreadable={unreadable!r}: expected one of {', '.join(get_args(Unreadable))}.")

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
