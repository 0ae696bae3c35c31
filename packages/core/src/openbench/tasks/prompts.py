"""Writes the prompts of multiple-choice questions."""

import math
import re
from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from typing import Any

_FORMAT = (
    "Answer the following multiple choice question. The last line of your response should be of the following "
    "format: 'Answer: $LETTER' (without quotes) where LETTER is one of {letters}"
)

_NEWLINE = "\n"
_BLANK_LINES = re.compile(r"\n\s*\n")


def option_letters(count: int) -> str:
    """Return the letters of `count` options: `ABCD` for four."""
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
    r"""Join the texts of messages, each given with its role, as a base model reads them: no roles, no template.

    An assistant's text starts on the line after what it answers, and everything else after a blank line:
    `Question: …\nAnswer: …\n\nQuestion: …\nAnswer:`. Nothing follows the last message.
    """
    whole = ""
    for role, text in turns:
        if whole:
            whole = whole.rstrip("\n") + ("\n" if role == "assistant" else "\n\n")
        whole += text
    return whole


def option_lines(options: Sequence[str | float], *, label: str = "{}) ") -> list[str]:
    """Return the lines `A) …` of options. Blank lines of an option are left out, since one ends the block.

    Args:
        options: The options' texts, or numbers.
        label: The format of a label, with the letter in the braces.

    Raises:
        ValueError: There are more than 26 options.
    """
    letters = option_letters(len(options))
    texts = [option_text(option) for option in options]
    for letter, text in zip(letters, texts, strict=True):
        check_text(f"option {letter}", text)
    texts = [_BLANK_LINES.sub(_NEWLINE, text + _NEWLINE).removesuffix(_NEWLINE) for text in texts]
    return [label.format(letter) + text for letter, text in zip(letters, texts, strict=True)]


def option_text(option: Any) -> Any:
    """Return a number as text, since rows have options such as `7` and `2.5`; anything else is returned as it is."""
    number = isinstance(option, int | float) and not isinstance(option, bool) and math.isfinite(option)
    return str(option) if number else option


def check_text(name: str, value: object) -> str:
    """Return a value that must be a text, or raise `ValueError`, since it is a row's content."""
    if not isinstance(value, str):
        raise ValueError(f"the {name} is {value!r:.80}, expected a string")  # noqa: TRY004 - see above
    return value
