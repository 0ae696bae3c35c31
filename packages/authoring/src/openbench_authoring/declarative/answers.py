"""Answer formats: from a row's answer to a sample's target.

The contents of a data file are never run as code.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from openbench_authoring.declarative.fields import AnswerFormat, shown

Choices = Sequence[str] | None

_TRUE = frozenset({"true", "t", "yes", "y", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "0"})


def target_of(value: Any, answer_format: AnswerFormat, choices: Choices, *, name: str) -> str | list[str]:
    """Return the target of a sample.

    Args:
        value: The row's answer. If it is a list, each item is converted, and the target is a list, too.
        answer_format: Its format: unchanged (`identity`), the index of a choice from 0 or 1, a choice's text or letter,
            any value to convert to a string (`to_string`), or a truth value, where true is A and false is B.
        choices: The choices, if there are any.
        name: The column's name in messages.

    Raises:
        ValueError: The value does not fit the format, or the choices.
    """
    convert = FORMATS[answer_format]
    if isinstance(value, list | tuple) and not (answer_format == "to_string" and any(map(_is_nested, value))):
        if not value:
            raise ValueError(f"{name!r} is an empty list, where an answer is expected.")
        return [convert(item, choices, name) for item in value]
    return convert(value, choices, name)


def _identity(value: Any, _choices: Choices, name: str) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise ValueError(
        f"{name!r} is {shown(value)}, where answer_format identity expects a text. "
        "to_string makes a text of a number; index_0 and index_1 make a letter of it."
    )


def _to_string(value: Any, _choices: Choices, name: str) -> str:
    text = json.dumps(value, ensure_ascii=False) if _is_nested(value) else str(value)
    if not text.strip():
        raise ValueError(f"{name!r} is {shown(value)}, where an answer is expected.")
    return text


def _index(first: int) -> Callable[[Any, Choices, str], str]:
    def convert(value: Any, choices: Choices, name: str) -> str:
        last = first + _count(choices) - 1
        index = _whole(value)
        if index is None or not first <= index <= last:
            of = f"the {len(choices)} choices are {first} to {last}" if choices else f"letters are {first} to {last}"
            raise ValueError(
                f"{name!r} is {shown(value)}, but as answer_format index_{first} counts, {of}. "
                "Check answer_format and the mapping of choices."
            )
        return ascii_uppercase[index - first]

    return convert


def _text(value: Any, choices: Choices, name: str) -> str:
    if not choices:
        raise ValueError("it has no choices, among which answer_format text looks for the answer. Map choices.")
    wanted = str(value).strip()
    places = [place for place, choice in enumerate(choices) if choice.strip() == wanted]
    if len(places) != 1:
        found = "is not one of the choices" if not places else f"is {len(places)} of the choices"
        raise ValueError(f"{name!r} is {shown(value)}, which {found}: {shown(list(choices))}. Check answer_format.")
    return ascii_uppercase[places[0]]


def _given_letter(value: Any, choices: Choices, name: str) -> str:
    letters = ascii_uppercase[: _count(choices)]
    letter = value.strip().upper() if isinstance(value, str) else ""
    if len(letter) != 1 or letter not in letters:
        raise ValueError(
            f"{name!r} is {shown(value)}, where answer_format letter expects one of {letters[0]} to {letters[-1]}. "
            "Several right answers are a list."
        )
    return letter


def _boolean(value: Any, choices: Choices, name: str) -> str:
    truth = truth_of(value)
    if truth is None:
        raise ValueError(f"{name!r} is {shown(value)}, where answer_format boolean expects true or false.")
    if choices and (len(choices) < 2 or (truth_of(choices[0]) is False and truth_of(choices[1]) is True)):  # noqa: PLR2004 - A and B
        raise ValueError(
            f"the choices are {shown(list(choices))}, but in answer_format boolean, true is the first and false "
            "the second. Use answer_format text, or give the choices in default_fields."
        )
    return "A" if truth else "B"


FORMATS: Mapping[AnswerFormat, Callable[[Any, Choices, str], str]] = {
    "identity": _identity,
    "index_0": _index(0),
    "index_1": _index(1),
    "text": _text,
    "letter": _given_letter,
    "to_string": _to_string,
    "boolean": _boolean,
}


def truth_of(value: Any) -> bool | None:
    """Return the truth value of a value, or that which a text or number usually means; None if it has none."""
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _whole(value: Any) -> int | None:
    """Return a whole number, also one that a CSV file has as text and a table with gaps as 2.0."""
    if isinstance(value, str):
        digits = value.strip().removeprefix("-")
        return int(value) if digits.isascii() and digits.isdecimal() else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _count(choices: Choices) -> int:
    return len(choices) if choices else len(ascii_uppercase)


def _is_nested(value: object) -> bool:
    return isinstance(value, list | tuple | dict)
