"""The decision of a gate as text, Markdown, JUnit XML and data."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from openbench.cli.layout import terminal_width, wrapped
from openbench.registry.names import printable
from openbench_analysis.gate.judge import Decision, Verdict, counts
from openbench_analysis.rendering.tables import Column, Table, markdown

_HEADINGS = ("benchmark", "rule", "verdict", "required", "observed")
_WORDS = {"pass": "passed", "fail": "failed", "inconclusive": "inconclusive"}
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF))  # what XML 1.0 cannot hold, besides what `printable` escapes


def as_lines(decision: Decision) -> list[str]:
    """Return lines for a terminal."""
    lines = [*_table(decision).lines(terminal_width()), ""]
    for text in _remarks(decision):
        lines += wrapped(printable(text), 0)
    return [*lines, printable(headline(decision))]


def headline(decision: Decision) -> str:
    """Return the outcome in one line."""
    of = f" against {decision.baseline}" if decision.baseline else ""
    number = counts(decision)
    figures = ", ".join(f"{number[outcome]} {_WORDS[outcome]}" for outcome in number if number[outcome])
    return f"Gate {_WORDS[decision.outcome]}: {decision.candidate}{of}; rules: {figures}."


def as_markdown(decision: Decision) -> str:
    """Return a summary for a pull request."""
    remarks = "".join(f"- {markdown(text)}\n" for text in _remarks(decision))
    parts = [f"### {markdown(headline(decision))}\n", _table(decision).markdown(), *([remarks] if remarks else [])]
    return "\n".join(parts)


def as_junit(decision: Decision) -> str:
    """Return JUnit XML: a suite for each benchmark and a case for each rule; what is inconclusive is an error."""
    number = counts(decision)
    totals = {"tests": len(decision.verdicts), "failures": number["fail"], "errors": number["inconclusive"]}
    root = ET.Element("testsuites", {"name": "bench gate", **{key: str(value) for key, value in totals.items()}})
    for name in dict.fromkeys(verdict.benchmark for verdict in decision.verdicts):
        own = [verdict for verdict in decision.verdicts if verdict.benchmark == name]
        suite = ET.SubElement(root, "testsuite", _suite(name, own))
        for verdict in own:
            _add_case(suite, verdict)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def as_data(decision: Decision, problems: list[str]) -> dict[str, Any]:
    """Return the decision as plain data."""
    return {
        "outcome": decision.outcome,
        "candidate": decision.candidate,
        "baseline": decision.baseline,
        "verdicts": [asdict(verdict) for verdict in decision.verdicts],
        "notes": list(decision.notes),
        "problems": problems,
    }


def _table(decision: Decision) -> Table:
    rows = [[each.benchmark, each.rule, each.outcome, each.required, each.observed] for each in decision.verdicts]
    return Table([*map(Column, _HEADINGS)], rows)


def _remarks(decision: Decision) -> Iterator[str]:
    for verdict in decision.verdicts:
        if verdict.reason:
            yield f"{verdict.benchmark}, {verdict.rule}: {verdict.reason}."
    yield from (f"Note: {note}." for note in decision.notes)


def _suite(name: str, verdicts: list[Verdict]) -> dict[str, str]:
    outcomes = [verdict.outcome for verdict in verdicts]
    return {
        "name": _xml(name),
        "tests": str(len(verdicts)),
        "failures": str(outcomes.count("fail")),
        "errors": str(outcomes.count("inconclusive")),
    }


def _add_case(suite: ET.Element, verdict: Verdict) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": _xml(verdict.benchmark), "name": verdict.rule})
    message = f"required {verdict.required}, observed {verdict.observed}"
    if verdict.outcome == "fail":
        ET.SubElement(case, "failure", {"message": _xml(message)})
    elif verdict.outcome == "inconclusive":
        ET.SubElement(case, "error", {"message": _xml(f"inconclusive: {message}"), "type": "inconclusive"}).text = _xml(
            verdict.reason
        )


def _xml(text: str) -> str:
    return printable(text).translate(_NOT_XML)
