r"""Boxed: the answer is the content of the last `\boxed{...}`."""

import re
from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import normalise_latex, score_answer
from openbench.scorers.numerals import Number, NumberRule, read_number

_TOKEN = re.compile(r"(?P<box>\\(?:boxed|fbox)\s{0,8}\{)|\\.|[{}]", re.DOTALL)
_BARE = re.compile(r"\\boxed\s{0,8}([^\s{}\\$]{1,80})")


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


def score_boxed(completion: str, targets: Sequence[str], language: Language = ENGLISH) -> Score:
    r"""Score the content of the last `\boxed{...}` of a completion; a target may be in a box itself.

    It is correct if it is the target but for the looks of a formula (see `normalise_latex`), or if both are numbers of
    the same value (`1/2`, `\frac{1}{2}` and `0.5`). Equivalence in general is for `openbench_scorers.symbolic`.

    Returns:
        Correct or incorrect; a completion without a box is incorrect and unanswered, and a sample without a target
        unscored.
    """
    answer = last_boxed(cut_run_on(strip_reasoning(completion), language))
    return score_answer(completion, answer, targets, same_formula)


@scorer(metrics=[accuracy(), stderr()])
def boxed(language: str = ENGLISH.name) -> Scorer:
    r"""Score the content of the last `\boxed{...}` of completions: 1 for correct, 0 for wrong, higher is better.

    Args:
        language: The language in which a base model may go on to further questions.
    """
    known = find_language(language)

    async def score(state: TaskState, target: Target) -> Score:
        return score_boxed(state.output.completion, list(target), known)

    return score


def same_formula(answer: str, target: str) -> bool:
    """Return whether two formulas differ only in looks, or are numbers of the same value."""
    answer, target = (normalise_latex(last_boxed(text) or text) for text in (answer, target))
    if answer == target:
        return True
    left, right = _number(answer), _number(target)
    return left is not None and right is not None and NumberRule().same(left, right)


def _number(formula: str) -> Number | None:
    """Return the number that a whole formula is; a remaining comma is not a thousands separator."""
    number = None if "," in formula else read_number(formula)
    return number if number and number.text == formula else None


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
