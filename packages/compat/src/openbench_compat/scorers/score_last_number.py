"""The last number of a completion: `openbench.scorers.score_last_number`."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import score_answer
from openbench_scorers.boxed import same_formula
from openbench_scorers.numerals import last_number


@scorer(metrics=[accuracy(), std(), stderr()])
def score_last_integer() -> Scorer:
    """Score the last integer of a completion: 1 if it has the value of the target, else 0."""
    return _last(whole=True)


@scorer(metrics=[accuracy(), std(), stderr()])
def score_last_number() -> Scorer:
    """Score the last number of a completion: 1 if it has the value of the target, else 0."""
    return _last(whole=False)


def _last(*, whole: bool) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        number = last_number(strip_reasoning(state.output.completion), whole=whole)
        return score_answer(state.output.completion, number.text if number else None, list(target), same_formula)

    return score
