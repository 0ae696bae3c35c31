"""The rule by which two numbers are the same: tolerance, percentages, units."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from openbench.datasets.checks import is_number
from openbench.errors import UsageError
from openbench.scorers.numerals import Number

Percent = Literal["either", "exact"]

_BEFORE_UNIT = re.compile(r"(?:\s|~|\\[,;: ]|\\(?:text|mathrm|mbox)\s?\{|\})*")


@dataclass(frozen=True, kw_only=True)
class NumberRule:
    """A rule by which an answer is the same as a target: it is at most `max(absolute, relative * |target|)` away.

    Attributes:
        absolute: The tolerated distance.
        relative: The same as a share of the target.
        percent: Where one of both is a percentage, `50 %` is 0.5, and with `either` also 50, since a question that
            asks for per cent leaves open whether the sign is to be written.
        units: What one of each unit is in a common one (`{"m": 1, "km": 1000}`); numbers in others, or in none, count
            as they stand. By default units do not matter.
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
        goal = self._in_units(target)
        allowed = max(_exactly(self.absolute), _exactly(self.relative) * abs(goal))
        return any(abs(given - wanted) <= allowed for given, wanted in self._pairs(answer, target))

    def _pairs(self, answer: Number, target: Number) -> list[tuple[Fraction, Fraction]]:
        given, wanted = self._in_units(answer), self._in_units(target)
        pairs = []
        if answer.percent == target.percent or self.percent == "either":
            pairs.append((given, wanted))
        if answer.percent != target.percent:
            pairs.append((given / 100, wanted) if answer.percent else (given, wanted / 100))
        return pairs

    def _in_units(self, number: Number) -> Fraction:
        after = number.after[_end_of_space(number.after) :]
        for unit in sorted(self.units or (), key=len, reverse=True):
            if after.startswith(unit) and not after[len(unit) :][:1].isalnum():
                return number.value * _exactly((self.units or {})[unit])
        return number.value


def _end_of_space(text: str) -> int:
    found = _BEFORE_UNIT.match(text)
    return found.end() if found else 0


def _exactly(value: float) -> Fraction:
    """Return a float as the number that it is written as: 0.1 is a tenth."""
    return Fraction(str(value))
