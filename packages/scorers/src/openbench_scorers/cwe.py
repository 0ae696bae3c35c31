"""Common words extraction: all requested words are named."""

from collections.abc import Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.responses import response
from openbench_scorers.words import contains_word


def score_cwe(completion: str, targets: Sequence[str]) -> Score:
    """Check that a completion contains all words, as whole words, ignoring case.

    Source: the task CWE of Hsieh et al. 2024, RULER, arXiv 2404.06654, which reports the share; and Kim et al. 2025,
    OneRuler, arXiv 2503.01996, which requires all.

    Args:
        completion: The model's completion.
        targets: The required words.

    Returns:
        Correct or incorrect; the metadata's `recall` is the share of the words that it contains, from 0 to 1.
    """
    wanted = [target.strip() for target in targets if target.strip()]
    if not wanted:
        return without_target(completion)
    text = response(completion)
    named = [word for word in wanted if contains_word(text, word)]
    return Score(
        value=CORRECT if len(named) == len(wanted) else INCORRECT,
        answer=", ".join(named),
        reason=None if text else unanswered(completion),
        metadata={"recall": len(named) / len(wanted)},
    )


@scorer(metrics=[accuracy(), stderr()])
def cwe() -> Scorer:
    """Score with `score_cwe`: the answer must contain all words of the target."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_cwe(state.output.completion, list(target))

    return score
