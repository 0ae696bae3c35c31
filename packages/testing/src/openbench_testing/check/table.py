"""Outcomes as text and as data."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from openbench.cli.layout import columns, cut, terminal_width, wrapped
from openbench_testing.conformance.checks import BY_NAME
from openbench_testing.conformance.outcome import Outcome

_WORDS = {"passed": "passed", "failed": "FAILED", "skipped": "skipped", "waived": "waived", "inapplicable": "n/a"}
_INDENT = "  "


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each check and, below each benchmark, the full messages of failed checks."""
    lines = [line for benchmark, of in _by_benchmark(outcomes) for line in (*_section(benchmark, of), "")]
    return [*lines, _verdict(outcomes)]


def results(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes as plain data, one entry per benchmark."""
    return [
        {
            "benchmark": benchmark,
            "conforms": not any(outcome.status == "failed" for outcome in of),
            "checks": [{"name": o.check, "status": o.status, "message": o.message} for o in of],
        }
        for benchmark, of in _by_benchmark(outcomes)
    ]


def _by_benchmark(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    for benchmark, of in groupby(outcomes, key=lambda outcome: outcome.benchmark):
        yield benchmark, list(of)


def _section(benchmark: str, outcomes: Sequence[Outcome]) -> list[str]:
    width = terminal_width()
    rows = [(o.check, _WORDS[o.status], _detail(o)) for o in outcomes]
    lines = [benchmark, *(cut(f"{_INDENT}{line}", width) for line in columns(rows))]
    for outcome in outcomes:
        if outcome.status == "failed":
            text, *verbatim = f"{outcome.check}: {outcome.message}".split("\n")
            lines += [*wrapped(text, len(_INDENT)), *(f"{_INDENT}  {line}" for line in verbatim)]
    return lines


def _detail(outcome: Outcome) -> str:
    explained = outcome.message and outcome.status != "failed"
    return outcome.message if explained else BY_NAME[outcome.check].requires


def _verdict(outcomes: Sequence[Outcome]) -> str:
    benchmarks = dict.fromkeys(outcome.benchmark for outcome in outcomes)
    failed = [name for name in benchmarks if any(o.status == "failed" for o in outcomes if o.benchmark == name)]
    if failed:
        return f"{len(failed)} of {len(benchmarks)} do not conform: {', '.join(failed)}"
    return f"{len(benchmarks)} of {len(benchmarks)} conform"
