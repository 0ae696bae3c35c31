"""Prompts of multiple-choice questions."""

import math
import re
from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from typing import Any

_FORMAT = (
    "Answer the following multiple choice question. The last line of your response should be of the following "
    "format: 'Answer: $LETTER' (without quotes) where LETTER is one of {letters}"
)

_BLANK_LINES = re.compile(r"\n\s*\n")


def option_letters(count: int) -> str:
    """Return the letters of `count` options, such as `ABCD` for four."""
    if count > len(ascii_uppercase):
        raise ValueError(f"{count} options, but letters for {len(ascii_uppercase)} at most")
    return ascii_uppercase[:count]


def create_dynamic_multiple_choice_prompt(question: str, options: Sequence[str | float]) -> str:
    """Write the prompt of a multiple-choice question with any number of options up to 26.

    Returns:
        The instruction, the question and a line `A) …` for each option; without options, the question alone.

    Raises:
        ValueError: There are more than 26 options, or a part is not a text.
    """
    check_text("question", question)
    if not options:
        return question
    letters = ", ".join(option_letters(len(options)))
    return "\n".join([_FORMAT.format(letters=letters) + ":", "", question, "", *option_lines(options)])


def concatenated(turns: Iterable[tuple[str, str]]) -> str:
    r"""Join the texts of messages, given with their roles, for a base model: no roles, no template.

    An assistant's text starts on a new line, any other after a blank line:
    `Question: …\nAnswer: …\n\nQuestion: …\nAnswer:`. Nothing follows the last message.
    """
    whole = ""
    for role, text in turns:
        if whole:
            whole = whole.rstrip("\n") + ("\n" if role == "assistant" else "\n\n")
        whole += text
    return whole


def option_lines(options: Sequence[str | float], *, label: str = "{}) ") -> list[str]:
    """Return the lines `A) …` of options, without blank lines, since one would end the block of options.

    Args:
        options: The options' texts, or numbers.
        label: The format of a label, with braces for the letter.

    Raises:
        ValueError: There are more than 26 options.
    """
    lines = []
    for letter, option in zip(option_letters(len(options)), options, strict=True):
        text = check_text(f"option {letter}", option_text(option))
        lines.append(label.format(letter) + _BLANK_LINES.sub("\n", f"{text}\n").removesuffix("\n"))
    return lines


def option_text(option: Any) -> Any:
    """Return a number as text, since rows have options such as `7` and `2.5`; return anything else unchanged."""
    number = isinstance(option, int | float) and not isinstance(option, bool) and math.isfinite(option)
    return str(option) if number else option


def check_text(name: str, value: object) -> str:
    """Return a text of a row, or raise `ValueError` for another type."""
    if not isinstance(value, str):
        raise ValueError(f"the {name} is {value!r:.80}, expected a string")  # noqa: TRY004 - see above
    return value
