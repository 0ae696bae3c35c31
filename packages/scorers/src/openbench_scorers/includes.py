"""Scores whether the completion contains a target."""

import re
from collections.abc import Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import given, without_target
from openbench.scorers.reasons import unanswered


def score_includes(
    completion: str, targets: Sequence[str], *, ignore_case: bool = True, whole_words: bool = False
) -> Score:
    """Score a completion that should contain a target; reasoning between tags is ignored.

    Args:
        completion: The model's completion.
        targets: The correct answers, any one of which suffices.
        ignore_case: Ignore letter case: `paris` matches `Paris`.
        whole_words: Match whole words only: `no` does not match `know`.

    Returns:
        Correct or incorrect, with the matching target as the answer. A blank completion is incorrect and unanswered; a
        sample without a target is unscored.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    text = strip_reasoning(completion)
    found = next((target for target in right if _contains(text, target.strip(), ignore_case, whole_words)), None)
    reason = None if text.strip() else unanswered(completion)
    return Score(value=CORRECT if found else INCORRECT, answer=found, reason=reason, explanation=completion)


@scorer(metrics=[accuracy(), stderr()])
def includes(ignore_case: bool = True, whole_words: bool = False) -> Scorer:
    """Score completions that should contain a target: 1 for correct, 0 for wrong, higher is better.

    Args:
        ignore_case: Ignore letter case.
        whole_words: Match whole words only.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return score_includes(state.output.completion, list(target), ignore_case=ignore_case, whole_words=whole_words)

    return score


def _contains(text: str, target: str, ignore_case: bool, whole_words: bool) -> bool:
    if ignore_case:
        text, target = text.casefold(), target.casefold()
    if not whole_words:
        return target in text
    return re.search(rf"(?<!\w){re.escape(target)}(?!\w)", text) is not None
