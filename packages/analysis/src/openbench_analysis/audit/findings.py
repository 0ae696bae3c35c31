"""The findings of an audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["severe", "warning", "note"]
SEVERITIES: Sequence[Severity] = ("severe", "warning", "note")

LEVEL = 0.01
"""The significance level of each check, over all of its tests together: five checks test, so that a benchmark without a
fault has a finding in at most 5 % of audits."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A fault, or what readers of a score must know.

    Attributes:
        kind: What kind of finding it is, such as `duplicates`.
        severity: `severe` makes scores wrong or a wrong strategy pay, `warning` may, `note` is to be known.
        message: A sentence with its figures.
        figures: The figures by name.
        rows: The ids of the rows, the worst first; empty if it is of all rows.
    """

    kind: str
    severity: Severity
    message: str
    figures: Mapping[str, float | int | str | None] = field(default_factory=dict)
    rows: Sequence[str | int] = ()


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check of an audit.

    Attributes:
        name: Its name.
        looked_at: What it looked at; where nothing could be, why not and what to do.
        done: Whether it looked at anything.
        findings: What it found.
    """

    name: str
    looked_at: str
    done: bool = True
    findings: Sequence[Finding] = ()


def skipped(name: str, why: str) -> Check:
    """Return a check that looked at nothing."""
    return Check(name=name, looked_at=why, done=False)


def graded(value: float, severe: float, warning: float) -> Severity:
    """Return the severity of a figure by two thresholds."""
    return "severe" if value >= severe else "warning" if value >= warning else "note"
