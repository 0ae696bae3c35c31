"""The outcome of a check."""

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
        message: For a failed check, the finding and the fix; for one that was skipped or waived or does not apply, the
            reason; for a passed one, a remark or nothing. Lines after the first are a diff.
    """

    benchmark: str
    check: str
    status: Status
    message: str = ""


class Remark(str):
    """A check's remark on a benchmark that passed it."""

    __slots__ = ()


class InapplicableError(Exception):
    """A check does not apply to this benchmark; the message says why."""
