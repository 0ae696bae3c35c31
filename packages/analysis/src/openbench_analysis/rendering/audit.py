"""An audit as text for a terminal, and as Markdown."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from openbench.registry.names import counted, printable
from openbench_analysis.audit.findings import SEVERITIES, Check, Finding
from openbench_analysis.rendering.tables import markdown

_LABEL = 14


def as_lines(benchmark: str, checks: Sequence[Check], rows: int, width: int) -> list[str]:
    """Return a line or more for each check, and then the findings, severe ones first.

    Args:
        benchmark: The benchmark.
        checks: The checks.
        rows: How many rows of a finding are named.
        width: The width of the terminal.
    """
    lines = [f"{printable(benchmark)}: {_summary(checks)}", ""]
    for check in checks:
        lines += _wrapped(check.name, f"{'' if check.done else 'not checked: '}{check.looked_at}", width)
    for finding in _sorted(checks):
        lines += ["", *_wrapped(finding.severity, finding.message, width)]
        if finding.rows and rows:
            lines += _wrapped("", _rows(finding, rows), width)
    return lines


def as_markdown(benchmark: str, checks: Sequence[Check], rows: int) -> str:
    """Return an audit as Markdown; the arguments are those of `as_lines`."""
    lines = [f"# {markdown(benchmark)}: {_summary(checks)}", ""]
    for check in checks:
        skipped = "" if check.done else "not checked: "
        lines.append(f"- **{check.name}**: {skipped}{markdown(check.looked_at)}")
    for finding in _sorted(checks):
        lines += ["", f"## {finding.severity}: {finding.kind}", "", markdown(finding.message)]
        if finding.rows and rows:
            lines += ["", markdown(_rows(finding, rows))]
    return "\n".join(lines)


def _summary(checks: Sequence[Check]) -> str:
    counts = Counter(finding.severity for check in checks for finding in check.findings)
    if not counts:
        return "no findings"
    return ", ".join(counted(counts[severity], f"{severity} finding") for severity in SEVERITIES if counts[severity])


def _sorted(checks: Sequence[Check]) -> list[Finding]:
    found = [finding for check in checks for finding in check.findings]
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))


def _rows(finding: Finding, most: int) -> str:
    named = " ".join(str(row) for row in finding.rows[:most])
    left = len(finding.rows) - most
    return f"rows: {named}{f' and {left:,} more' if left > 0 else ''}"


def _wrapped(label: str, text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(
        printable(text),
        width,
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
    )
