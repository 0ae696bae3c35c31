"""Readers of a judge's reply: each returns a verdict, or None if the reply is ambiguous; none guesses."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from openbench_scorers.json_judge import last_verdict
from openbench_scorers.json_text import Schema
from openbench_scorers.model_graded import read_grade
from openbench_scorers.responses import response

T = TypeVar("T")
Reader = Callable[[str], T | None]

_MARK = re.compile(r"\[\[\s*([^\[\]\n]{1,20}?)\s*\]\]")


def marked(text: str) -> str | None:
    """Return the text between double brackets, as in `Rating: [[7]]`.

    The last line with such brackets counts, without reasoning between tags; if their texts differ, it returns None.
    """
    for line in reversed(response(text).splitlines()):
        if marks := set(_MARK.findall(line)):
            return marks.pop() if len(marks) == 1 else None
    return None


def rating(least: float, most: float) -> Reader[float]:
    """Return a reader of a number between double brackets and within limits: `[[7]]`, `[[7.5]]`."""

    def read(text: str) -> float | None:
        mark = marked(text) or ""
        if not re.fullmatch(r"\d{1,3}(?:\.\d{1,4})?", mark):
            return None
        return float(mark) if least <= float(mark) <= most else None

    return read


def choice(choices: Mapping[str, T]) -> Reader[T]:
    """Return a reader of a mark between double brackets, such as `[[A]]`, which `choices` maps to its value."""
    return lambda text: choices.get(marked(text) or "")


def grade(grades: Mapping[str, str]) -> Reader[str]:
    """Return a reader of a grade letter; see `openbench_scorers.model_graded.read_grade`.

    Args:
        grades: The grades' names by letter.
    """
    return lambda text: read_grade(text, grades)


def json_object(schema: Mapping[str, Any]) -> Reader[Mapping[str, Any]]:
    """Return a reader of the last JSON object that fits a schema."""
    known = Schema(dict(schema))
    return lambda text: last_verdict(text, known)


def json_field(name: str, schema: Mapping[str, Any]) -> Reader[Any]:
    """Return a reader of one field of the last JSON object that fits a schema."""
    read = json_object(schema)

    def read_field(text: str) -> Any:
        found = read(text)
        return None if found is None else found[name]

    return read_field


def flag(name: str) -> Reader[bool]:
    """Return a reader of a boolean field of a JSON object, such as `{"criteria_met": true}`."""
    return json_field(name, {"type": "object", "properties": {name: {"type": "boolean"}}, "required": [name]})


def percentage(text: str, words: str = "confidence") -> float | None:
    """Return the percentage on a line such as `Confidence: 85%`, from 0 to 100; None without one.

    The last such line counts. Ambiguous values return None: a range, a number outside 0 to 100, and a fraction without
    a percent sign, such as 0.85.

    Args:
        text: The text.
        words: The words before the colon, alternatives separated by `|`.
    """
    line = re.compile(
        rf"^\W*(?:{words})\W*[:\uff1a]\W*?(?P<number>-?\d{{1,3}}(?P<fraction>\.\d+)?)\s*\\?(?P<sign>%?)\W*$",
        re.IGNORECASE | re.MULTILINE,
    )
    found = list(line.finditer(response(text)))
    if not found or (found[-1]["fraction"] and not found[-1]["sign"]):
        return None
    value = float(found[-1]["number"])
    return value if 0 <= value <= 100 else None  # noqa: PLR2004 - per cent
