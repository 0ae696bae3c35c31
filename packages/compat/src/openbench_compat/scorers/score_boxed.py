r"""The last `\boxed{...}`, compared as text: `openbench.scorers.score_boxed`."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import score_answer
from openbench_scorers.boxes import last_boxed


@scorer(metrics=[accuracy(), std(), stderr()])
def score_boxed() -> Scorer:
    r"""Score the content of the last `\boxed{...}`: 1 if it equals the target, ignoring surrounding whitespace, else 0.

    `openbench_scorers.boxed` compares formulas and numbers by value.
    """

    async def score(state: TaskState, target: Target) -> Score:
        answer = last_boxed(strip_reasoning(state.output.completion))
        return score_answer(state.output.completion, answer, list(target), same_text)

    return score


def same_text(answer: str, target: str) -> bool:
    """Return whether two texts are equal, ignoring surrounding whitespace."""
    return answer.strip() == target.strip()
