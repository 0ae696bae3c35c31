"""Exact match: the whole completion is a target, verbatim or normalized."""

from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import same_text, score_answer


def score_exact(completion: str, targets: Sequence[str], *, normalise: bool = False) -> Score:
    """Score a completion that should be a target and nothing else.

    Reasoning between tags and surrounding white space are ignored. With `normalise`, so are letter case, punctuation,
    English articles and the amount of white space; a target of nothing else is compared verbatim.

    Source: exact match of SQuAD 1.1 (Rajpurkar et al. 2016, arXiv 1606.05250), with `normalise`.

    Args:
        completion: The model's answer.
        targets: The correct answers, of which one is enough.
        normalise: Compare normal forms.

    Returns:
        Correct or incorrect; a blank completion is incorrect and unanswered, and a sample without a target unscored.
    """
    same = same_text if normalise else lambda answer, target: answer == target.strip()
    return score_answer(completion, strip_reasoning(completion).strip() or None, targets, same)


@scorer(metrics=[accuracy(), stderr()])
def exact(normalise: bool = False) -> Scorer:
    """Score completions that should be a target and nothing else: 1 for correct, 0 for wrong, higher is better.

    Args:
        normalise: Ignore letter case, punctuation, English articles and white space.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return score_exact(state.output.completion, list(target), normalise=normalise)

    return score
