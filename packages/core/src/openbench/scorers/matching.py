"""Finds answers in boxes and compares them with targets: normal forms that differ only in content, and the score."""

import re
import string
from collections.abc import Callable, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score

from openbench.scorers.reasons import unanswered, unscored

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_TOKEN = re.compile(r"(?P<box>\\(?:boxed|fbox)\s{0,8}\{)|\\.|[{}]", re.DOTALL)
_BARE = re.compile(r"\\boxed\s{0,8}([^\s{}\\$]{1,80})")

MARKUP = " \t\r\n.,:;!*_`'\"()[]{}<>#"
"""What may stand around a single word of an answer or a verdict, to be stripped."""


def score_answer(
    completion: str, answer: str | None, targets: Sequence[str], same: Callable[[str, str], bool]
) -> Score:
    """Score an extracted answer.

    Args:
        completion: The text that contains it, which becomes the explanation.
        answer: The answer; None if there is none.
        targets: The correct answers; blank ones are ignored.
        same: Whether an answer is the same as a target.

    Returns:
        Correct if the answer is the same as any target, else incorrect; without an answer incorrect, with the reason;
        without a target unscored.
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
    """Return a text without differences of letter case and white space."""
    return " ".join(text.casefold().split())


def same_text(answer: str, target: str) -> bool:
    """Return whether two texts are the same, as they stand or in `normalise_text`'s form if that is not empty."""
    normal = normalise_text(target)
    return answer.strip() == target.strip() or (normal != "" and normalise_text(answer) == normal)


def normalise_text(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, English articles and repeated white space.

    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016, arXiv 1606.05250), in that order.
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def last_boxed(text: str) -> str | None:
    r"""Return the content of the last `\boxed{...}` or `\fbox{...}`; braces nest, and a box in a box is opened.

    Returns:
        The text without the white space around it, also that of `\boxed 5`; None without a closed box.
        Takes time in proportion to the length of the text.
    """
    if "boxed" not in text and "\\fbox" not in text:
        return None
    last = _last_braced(text)
    if last is None:
        bare = _BARE.findall(text)
        return bare[-1].rstrip(".,") or None if bare else None
    return last.strip() or None


def _last_braced(text: str) -> str | None:
    """Return the content of the last closed box, in one pass: boxes and braces that stay open do no harm."""
    opened: list[tuple[bool, int]] = []
    last: tuple[int, int] | None = None
    for token in _TOKEN.finditer(text):
        if token["box"] or token[0] == "{":
            opened.append((token["box"] is not None, token.end()))
        elif token[0] == "}" and opened:
            is_box, start = opened.pop()
            if is_box and (last is None or last[0] < start):
                last = (start, token.start())
    return None if last is None else text[slice(*last)]
