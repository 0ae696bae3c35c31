"""Extraction of answers: the letter of an option, the text after the last `Answer:`, or the whole completion."""

import re
from collections.abc import Mapping

from inspect_ai.scorer import CORRECT, INCORRECT, Score

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.extraction import extract_mcq_answer
from openbench.scorers.reasons import unanswered

_ANNOUNCED = re.compile(
    r"^[ \t*_#>]*+(?:final )?answer[*_]*+[ \t]*+[:\uff1a][*_]*+[ \t]*+(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_WRAPPING = " \t*_`"


def announced_answer(text: str) -> str | None:
    """Return the rest of the last line that begins with `Answer:`, without surrounding markup; None without one."""
    announced = _ANNOUNCED.findall(text)
    return announced[-1].strip(_WRAPPING) or None if announced else None


def short_answer(completion: str) -> str:
    """Return the announced answer, else the whole completion; reasoning between tags does not count."""
    text = strip_reasoning(completion).strip()
    return announced_answer(text) or text


def read_letter(completion: str, options: Mapping[str, str]) -> str | None:
    """Return the letter of the option that a completion gives as its answer; None if there is none.

    The letter is the one that core's `extract_mcq_answer` finds, or "" if several are announced. Otherwise it is the
    only option whose letter is in parentheses, else the only one whose text the completion mentions. (The published
    scoring of MMMU takes the last of several options, and a random one if there is none.)

    Args:
        completion: The model's answer.
        options: The options' texts by letter.
    """
    announced = extract_mcq_answer(completion, list(options), list(options.values()))
    if announced is not None:
        return announced
    text = strip_reasoning(completion)
    for found in (
        {letter for letter in options if f"({letter})" in text},
        {letter for letter, option in options.items() if len(option) > 1 and _mentions(text, option)},
    ):
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def score_letter(completion: str, target: str, options: Mapping[str, str]) -> Score:
    """Score the letter of an option, as `read_letter` finds it.

    Returns:
        Correct or incorrect; a completion without a letter is incorrect and unanswered.
    """
    letter = read_letter(completion, options)
    if letter is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    return Score(value=CORRECT if letter == target else INCORRECT, answer=letter, explanation=completion)


def _mentions(text: str, option: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(option.strip())}(?!\w)", text, re.IGNORECASE) is not None
