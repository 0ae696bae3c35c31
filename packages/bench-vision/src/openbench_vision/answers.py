"""Where completions give their answer: the letter of an option, what follows the last `Answer:`, or the whole."""

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
    """Return the rest of the last line that begins with `Answer:`, without markup around it; None without one."""
    announced = _ANNOUNCED.findall(text)
    return announced[-1].strip(_WRAPPING) or None if announced else None


def short_answer(completion: str) -> str:
    """Return the announced answer, else the whole completion; reasoning between tags does not count."""
    text = strip_reasoning(completion).strip()
    return announced_answer(text) or text


def read_letter(completion: str, options: Mapping[str, str]) -> str | None:
    """Return the letter of the option that a completion answers with; None without one.

    It is the one that core's `extract_mcq_answer` finds, "" where several are announced. If there is none, it is the
    only option whose letter stands in brackets, else the only one whose text the completion mentions: the published
    scoring of MMMU takes the last of several, and a random one of none.

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
