r"""The last `\boxed{...}`, or else the last number: `openbench.scorers.robust_boxed`."""

import re

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import score_answer
from openbench_compat.scorers.score_boxed import same_text
from openbench_scorers.boxes import last_boxed
from openbench_scorers.numerals import last_number

_FRAMED = re.compile(r"\\framebox(?=\s{0,8}\{)")
_LEADING = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_HIGHEST = 999


def extract_boxed_answer(text: str, fallback_to_last_number: bool = True) -> str | None:
    r"""Return the content of the last box of a text, after its last comma if it lists several answers.

    Args:
        text: The text; `\boxed`, `\fbox` and `\framebox` are boxes.
        fallback_to_last_number: Whether to return the last number if there is no box.

    Returns:
        The answer; None if there is none.
    """
    boxed = last_boxed(_FRAMED.sub(r"\\fbox", text))
    if boxed is not None:
        return _THOUSANDS.sub("", boxed).rpartition(",")[2].strip() or None
    number = last_number(text) if fallback_to_last_number else None
    return number.text if number else None


def normalize_numeric_answer(answer: str) -> str | None:
    """Normalize the number at the beginning of an answer: without thousands separators and redundant zeros.

    Returns:
        The number, such as `1234` or `0.5`; None if the answer does not begin with a number.
    """
    found = _LEADING.match(answer.replace(",", "").strip())
    if found is None:
        return None
    whole, _, decimals = found[0].partition(".")
    sign, digits, decimals = whole[:1] if whole.startswith("-") else "", whole.lstrip("-0") or "0", decimals.rstrip("0")
    number = f"{digits}.{decimals}" if decimals else digits
    return number if number == "0" else sign + number


@scorer(metrics=[accuracy(), std(), stderr()])
def robust_boxed_scorer(fallback_to_last_number: bool = True, normalize_numbers: bool = True) -> Scorer:
    """Score the content of the last box, or else the last number: 1 for right, 0 for wrong.

    Args:
        fallback_to_last_number: Whether to score the last number if there is no box.
        normalize_numbers: Whether numbers compare by value, normalized by `normalize_numeric_answer`.
    """
    same = _same_number if normalize_numbers else same_text

    async def score(state: TaskState, target: Target) -> Score:
        answer = extract_boxed_answer(strip_reasoning(state.output.completion), fallback_to_last_number)
        return score_answer(state.output.completion, answer, list(target), same)

    return score


@scorer(metrics=[accuracy(), std(), stderr()])
def aime_scorer() -> Scorer:
    """Score an answer to a problem of the AIME, an integer from 0 to 999: 1 for right, 0 for wrong."""

    async def score(state: TaskState, target: Target) -> Score:
        answer = extract_boxed_answer(strip_reasoning(state.output.completion))
        return score_answer(state.output.completion, answer, list(target), _same_in_range)

    return score


def _same_number(answer: str, target: str) -> bool:
    left, right = normalize_numeric_answer(answer), normalize_numeric_answer(target)
    return same_text(answer, target) if left is None or right is None else left == right


def _same_in_range(answer: str, target: str) -> bool:
    number = normalize_numeric_answer(answer) or ""
    return number.isdecimal() and int(number) <= _HIGHEST and _same_number(answer, target)
