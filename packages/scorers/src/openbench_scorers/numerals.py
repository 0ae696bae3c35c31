r"""Reads numbers in the forms that people and models write, and compares them.

- `1,234.5`, `1.234,5` (with a decimal comma), `12 345`, `1'000`, `1,00,000`, `1{,}000`
- `-5`, `-$5`, `minus 5`, `50 %`, `50 percent`, `3 million`, `120k`, digits of any script
- `1/2`, `1 1/2`, `\frac{1}{2}`, `½`, `1.5e3`, `1.5 x 10^3`, `10⁻³`

Parts of names (`GPT-4`, `x2`), exponents, indexes, roots and `1.2.3` are not numbers. Values are exact.
Every function is linear in the length of the text.
"""

# ruff: noqa: RUF001 -- look-alike characters are replaced here

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Literal, NamedTuple, get_args

from openbench.errors import UsageError
from openbench_scorers.options import is_number

DecimalMark = Literal[".", ","]
Percent = Literal["either", "exact"]

_MOST_DIGITS = 1_000
_MOST_EXPONENT = 1_000
_SPACE = "\u00a0"
_REACH = 40

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ"
_SIGNS = "$€£¥₩₹₽₺₴₪฿"
_CURRENCY = rf"(?:(?:[A-Z]{{1,3}})?\\?[{_SIGNS}]|\b(?:USD|EUR|GBP|JPY|CNY|INR|KRW|CHF|Rs\.?))"
_BRACED = r"\{[^{}\n]{0,40}\}"
_POWER = rf"\^\s?(?:{_BRACED}|\([-+]?\d{{1,9}}\)|[-+]?\w++)|(?<=[A-Za-z)])\*\*\d++(?!\*)"
_ROOT = rf"(?:\\sqrt(?:\[[^\[\]\n]{{0,9}}\])?(?:{_BRACED}|\d)?|√\s?\d*+)"
# Skipped in one step, for speed.
_WORDS = r"(?:[a-z]++[\s,;]++)++"
# Digits that are not numbers: names, LaTeX commands, exponents, indexes, roots.
_OTHER = rf"{_ROOT}|{_POWER}|_(?:{_BRACED}|\d++)|\\[A-Za-z]++|[{_LETTER}][{_LETTER}\d_]*+(?:(?<=_){_BRACED}|-\d++)?"
# Suffixes that change a number's value: `2^10`, `2\sqrt{3}`, `2π`, `1.2.3`.
_SPOILED = rf"\s?(?:\^{_BRACED}|\^[-+]?\w++|\^|{_ROOT}|\\pi(?![A-Za-z])|π)|\*\*\d++|(?:\.\d++)++"
_PERCENT = r"\s?(?:\\?[%٪]|(?:percent|per cent|pct)\b)"
_SCALE = r"\s?(?P<scale>(?:thousand|million|billion|trillion|mn|bn)\b|(?<=\d)[kKMB]\b)"
_SCALES = {"thousand": 3, "k": 3, "million": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12}

_NO_DIGIT = re.compile(r"[^\d+-]")

_FOREIGN_DIGIT = re.compile(r"[^\x00-\x7f\D]")
_RAISED = re.compile(r"(?<=[\w)])[⁺⁻]?[⁰¹²³⁴-⁹]+")
_VULGAR = re.compile(r"((?<=\d)\s?)?([¼-¾⅐-⅞])")
# Not after another number or a name, where it is a subtraction: `10 minus 5`, `x minus 5`.
_MINUS = re.compile(
    r"((?:^|[=:(*\"'\n]|\b(?:is|are|was|be|equals?|to|from|than|of|at|about|or|gives?|get|yields?|answer))[ *$]{0,4})"
    rf"(?:[Mm]inus|[Nn]egative)\s(?=[{_SIGNS}]?\.?\d)"
)
_BEFORE_UNIT = re.compile(r"(?:\s|~|\\[,;: ]|\\(?:text|mathrm|mbox)\s?\{|\})*")
_TEX_SPACE = re.compile(r"(?<=\d)(?:\\[,;: ]|~)(?=\d{3}(?!\d))")
_DEGREES = re.compile(r"\^\s?(?:\{\s?\\circ\s?\}|\\circ(?![A-Za-z]))|\\degree(?![A-Za-z])")
_USUAL = str.maketrans(
    dict.fromkeys("−–﹣－", "-")
    | dict.fromkeys("\u2007\u2009\u202f", _SPACE)
    | dict.fromkeys("⁄∕／", "/")
    | {"’": "'", "٫": ".", "．": ".", "٬": ",", "，": ",", "％": "%", "＄": "$", "￥": "¥", "＋": "+", "＾": "^"}
)


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        value: Its exact value; that of `50 %` is 50.
        percent: Whether it is a percentage.
        text: The number as written, with digits in ASCII.
        after: The text after it, at most 40 characters.
    """

    value: Fraction
    percent: bool
    text: str
    after: str

    @property
    def whole(self) -> bool:
        """Whether it is an integer, such as `3`, `3.0` and `4/2`."""
        return self.value.denominator == 1


@dataclass(frozen=True, kw_only=True)
class NumberRule:
    """A rule for equality: an answer may differ from a target by at most `max(absolute, relative * |target|)`.

    Attributes:
        absolute: The absolute tolerance.
        relative: The relative tolerance, as a share of the target.
        percent: If only one of the two is a percentage, `50 %` is 0.5, and with `either` also 50: if a question asks
            for per cent, answers may omit the sign.
        units: The size of each unit in a common one (`{"m": 1, "km": 1000}`). Numbers with other units, or without
            one, are not converted. By default, units are ignored.
    """

    absolute: float = 0.0
    relative: float = 0.0
    percent: Percent = "either"
    units: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        """Validate the values.

        Raises:
            UsageError: A tolerance is not a number of 0 or more, `percent` is unknown, or a unit has no size.
        """
        for name, tolerance in (("absolute", self.absolute), ("relative", self.relative)):
            if not is_number(tolerance) or tolerance < 0:
                raise UsageError(f"{name}={tolerance!r}: expected a number of 0 or more.")
        if self.percent not in get_args(Percent):
            raise UsageError(f"percent={self.percent!r}: expected one of {', '.join(get_args(Percent))}.")
        for unit, size in (self.units or {}).items():
            if not unit.strip() or not is_number(size) or size <= 0:
                raise UsageError(
                    f"units: {unit!r}: {size!r}: expected a name and a number above 0, as in m: 1, km: 1000."
                )

    def same(self, answer: Number, target: Number) -> bool:
        """Return whether an answer is the same as a target."""
        given, wanted = self._in_units(answer), self._in_units(target)
        # A float counts as its decimal notation: 0.1 is a tenth.
        allowed = max(Fraction(str(self.absolute)), Fraction(str(self.relative)) * abs(wanted))
        pairs = [(given, wanted)] if answer.percent == target.percent or self.percent == "either" else []
        if answer.percent != target.percent:
            pairs.append((given / 100, wanted) if answer.percent else (given, wanted / 100))
        return any(abs(one - other) <= allowed for one, other in pairs)

    def _in_units(self, number: Number) -> Fraction:
        space = _BEFORE_UNIT.match(number.after)
        after = number.after[space.end() if space else 0 :]
        for unit, size in sorted((self.units or {}).items(), key=lambda item: -len(item[0])):
            if after.startswith(unit) and not after[len(unit) :][:1].isalnum():
                return number.value * Fraction(str(size))
        return number.value


def find_numbers(text: str, decimal: DecimalMark = ".") -> Iterator[Number]:
    """Find the numbers in a text, in order.

    Args:
        text: The text.
        decimal: The decimal mark; the other mark separates thousands. A mark that occurs several times, as in
            `1.234.567`, always separates thousands.

    Returns:
        The numbers, except those with more than 1,000 digits or an exponent above 1,000.
    """
    text = _simplified(text)
    return (number for found in _pattern(decimal).finditer(text) if (number := _number(text, found, decimal)))


def read_number(text: str, decimal: DecimalMark = ".") -> Number | None:
    """Return the number of a text with exactly one, such as `18 dollars`; else None."""
    numbers = find_numbers(text, decimal)
    number = next(numbers, None)
    return number if next(numbers, None) is None else None


def first_number(text: str, decimal: DecimalMark = ".", *, whole: bool = False) -> Number | None:
    """Return the first number, or integer, of a text; None without one."""
    return next((number for number in find_numbers(text, decimal) if number.whole or not whole), None)


def last_number(text: str, decimal: DecimalMark = ".", *, whole: bool = False) -> Number | None:
    """Return the last number, or integer, of a text; None without one."""
    text = _simplified(text)
    places = list(_pattern(decimal).finditer(text))
    found = (number for place in reversed(places) if (number := _number(text, place, decimal)))
    return next((number for number in found if number.whole or not whole), None)


PLACES: Mapping[str, Callable[..., Number | None]] = {
    "first_number": first_number,
    "last_number": last_number,
    "first_integer": partial(first_number, whole=True),
    "last_integer": partial(last_number, whole=True),
}
"""The functions that read a number from a text, by name."""


@cache
def _pattern(decimal: DecimalMark) -> re.Pattern[str]:
    point, comma = re.escape(decimal), "," if decimal == "." else r"\."
    groups = "|".join(
        [
            rf"\d{{1,3}}(?:[{comma}'_]\d{{3}}(?!\d))++",
            rf"\d{{1,2}}(?:{comma}\d\d(?!\d)){{1,8}}+{comma}\d{{3}}(?!\d)",
            # Digits in groups of three are several numbers, unless they look like one: `100 200 300`.
            rf"(?<!\d )[1-9]\d?(?:[ {_SPACE}]\d{{3}}(?!\d))++(?! \d)",
            rf"(?<!\d )[1-9]\d\d(?:(?:{_SPACE}\d| 0)\d\d(?!\d))++(?! \d)",
        ]
    )
    many = rf"\d{{1,3}}(?:{point}\d{{3}}(?!\d)){{2,}}+(?:{comma}\d++)?"
    plain = rf"(?:(?:{groups}|\d++)(?:{point}\d++)?|{point}\d++)"
    tex = (
        rf"(?P<mixed>\d{{1,3}})?\s?\\[dtc]?frac\s?(?:(?P<over>\d)\s?(?P<under>\d)|"
        rf"\{{\s?(?P<top>[-+]?{plain})\s?\}}\s?\{{\s?(?P<bottom>[-+]?{plain})\s?\}})"
    )
    slash = (
        r"(?<!/)(?:(?P<units>\d{1,3})[ ])?"
        r"(?P<numerator>\d{1,400})\s?/\s?(?P<denominator>\d{1,400}+)(?!\s?/|\d|[.,]\d)"
    )
    exponent = r"(?:\{\s?[-+]?\d{1,9}\s?\}|\([-+]?\d{1,9}\)|[-+]?\d{1,9}(?!\d))"
    times = rf"\s{{0,3}}(?:[x×*·⋅]|\\times|\\cdot)\s{{0,3}}10\s?(?:\^|\*\*)\s?(?P<times>{exponent})"
    return re.compile(
        rf"{_WORDS}|(?=[-+.\d\\A-Z{_SIGNS}])(?P<number>(?:(?<![\w)\]}}])(?P<sign>[-+]))?"
        rf"(?P<currency>{_CURRENCY}\s?(?P<inner>[-+])?)?"
        rf"(?>{tex}|{slash}|10\s?(?:\^|\*\*)\s?(?P<power>{exponent})|(?P<many>{many})"
        rf"|(?P<plain>{plain})(?:[eE](?P<e>[-+]?\d{{1,9}})(?!\w)|{times})?))"
        rf"(?:{_SCALE})?(?P<percent>{_PERCENT})?(?P<spoiled>{_SPOILED})?|{_OTHER}"
    )


def _number(text: str, found: re.Match[str], decimal: DecimalMark) -> Number | None:
    if found["number"] is None or found["spoiled"] is not None:
        return None
    value = _value(found, decimal)
    after = text[found.end() : found.end() + _REACH]
    return None if value is None else Number(value, found["percent"] is not None, found[0].strip(), after)


def _value(found: re.Match[str], decimal: DecimalMark) -> Fraction | None:
    value = _quotient(found, decimal) if found["plain"] is None else _plain(found["plain"], decimal)
    exponent = found["power"] or found["e"] or found["times"]
    if value is not None and exponent:
        power = int(exponent.strip("{}() "))
        value = value * Fraction(10) ** power if abs(power) <= _MOST_EXPONENT else None
    if value is None:
        return None
    scale = found["scale"]
    # `$5M` is an amount of money; `5M` may be anything.
    if scale and (len(scale) > 1 or scale == "k" or found["currency"]):
        value *= 10 ** _SCALES[scale.lower()]
    return -value if (found["sign"] == "-") != (found["inner"] == "-") else value


def _quotient(found: re.Match[str], decimal: DecimalMark) -> Fraction | None:
    """Return the value of a power of ten's mantissa, of digit groups, or of a fraction."""
    if found["power"]:
        return Fraction(1)
    if found["many"]:
        return _plain(found["many"], "," if decimal == "." else ".")
    top = _plain(found["top"] or found["over"] or found["numerator"], decimal)
    bottom = _plain(found["bottom"] or found["under"] or found["denominator"], decimal)
    whole = Fraction(found["mixed"] or found["units"] or 0)
    return whole + top / bottom if top is not None and bottom else None


def _plain(text: str, decimal: DecimalMark) -> Fraction | None:
    whole, _, decimals = text.partition(decimal)
    digits = _NO_DIGIT.sub("", whole)
    if len(digits) + len(decimals) > _MOST_DIGITS:
        return None
    return Fraction(int(f"{digits}{decimals}"), 10 ** len(decimals))


def _simplified(text: str) -> str:
    if not text.isascii():
        text = _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)
        text = _RAISED.sub(lambda found: f"^{{{_usual(found[0])}}}", text)
        text = _VULGAR.sub(lambda found: ("" if found[1] is None else " ") + _usual(found[2]), text)
        text = text.translate(_USUAL)
    if "inus " in text or "egative " in text:
        text = _MINUS.sub(r"\1-", text)
    if "\\" in text or "~" in text or "{,}" in text:
        text = _TEX_SPACE.sub(_SPACE, text.replace("{,}", ",").replace("\\!", ""))
        text = _DEGREES.sub("°", text)
    return text


def _usual(characters: str) -> str:
    return unicodedata.normalize("NFKC", characters)
