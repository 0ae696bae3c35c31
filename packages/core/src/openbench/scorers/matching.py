"""Compares answers with targets, verbatim or normalized, and makes the score."""

import re
import string
from collections.abc import Callable, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score

from openbench.scorers.reasons import unanswered, unscored

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def score_answer(
    completion: str, answer: str | None, targets: Sequence[str], same: Callable[[str, str], bool]
) -> Score:
    """Score an extracted answer.

    Args:
        completion: The text that contains it, which becomes the explanation.
        answer: The answer; None if there is none.
        targets: The correct answers; blank ones are ignored.
        same: Whether an answer equals a target.

    Returns:
        Correct if the answer equals any target, else incorrect; without an answer incorrect, with the reason; without
        a target unscored.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    if answer is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    value = CORRECT if any(same(answer, target) for target in right) else INCORRECT
    return Score(value=value, answer=answer, explanation=completion)


def given(targets: Sequence[str]) -> list[str]:
    """Return the targets that are not blank."""
    return [target for target in targets if target.strip()]


def without_target(completion: str, problem: str = "the sample has no target") -> Score:
    """Return the score of a sample with unusable targets: unscored, and counted."""
    return unscored(f"{problem}. Check the dataset's mapping.", completion)


def fold(text: str) -> str:
    """Return a text with letter case and white space normalized."""
    return " ".join(text.casefold().split())


def same_text(answer: str, target: str) -> bool:
    """Return whether two texts are equal, verbatim or normalized by `normalise_text`, if that leaves any text."""
    normal = normalise_text(target)
    return answer.strip() == target.strip() or (normal != "" and normalise_text(answer) == normal)


def normalise_text(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, English articles and repeated white space.

    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016, arXiv 1606.05250), in that order.
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())
