"""What came of a check."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "failed", "skipped", "waived", "inapplicable"]


@dataclass(frozen=True)
class Outcome:
    """One check of one benchmark.

    Attributes:
        benchmark: The benchmark's reference, `name@distribution`.
        check: The check's name.
        status: Its result; `skipped` if it depends on a check that failed, or fails for the same reason.
        message: What was found and the way out, for a check that failed; the reason, for one that was skipped or
            waived or does not apply; for one that passed, a remark or nothing. Lines after the first are a diff.
    """

    benchmark: str
    check: str
    status: Status
    message: str = ""


class Remark(str):
    """What a check has to say of a benchmark that passed it."""

    __slots__ = ()


class InapplicableError(Exception):
    """A check has nothing to say of this benchmark; the message says why."""
