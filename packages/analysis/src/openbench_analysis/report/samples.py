"""The samples that the page holds: those that systems score differently, and those without an ordinary answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite
from typing import Any

from pydantic_core import to_json

from openbench.registry.names import escaped
from openbench_analysis.alignment import Match, align
from openbench_analysis.report.faults import faults_of
from openbench_analysis.runs import Run, SampleResult

FLIP = "scored differently"
_LONGEST_INPUT, _LONGEST_TEXT = 1_000, 600  # characters
_MOST_BYTES = 8_000_000  # of all samples on the page


@dataclass(frozen=True)
class Browsed:
    """The samples of a benchmark that the page holds.

    Attributes:
        data: What the page's script reads: `systems` (their numbers), `higher_is_better` and `samples`.
        held: How many samples it holds.
        found: How many are scored differently, or have a fault.
        unmatched: How many samples of other runs are not in the run with the most.
    """

    data: Mapping[str, Any]
    held: int
    found: int
    unmatched: int


def browse(runs: Mapping[int, Run], *, most: int, benchmarks: int, match: Match = "content") -> Browsed:
    """Choose the samples of a benchmark that the page holds, as many of each kind as of the other.

    Args:
        runs: The runs, by the number of the system.
        most: The most samples to hold.
        benchmarks: How many benchmarks share the page.
        match: What samples are matched by.
    """
    rows, unmatched = _rows(runs, match)
    kinds = {place: list(_kinds(row, runs)) for place, row in enumerate(rows)}
    flips = [place for place, of in kinds.items() if FLIP in of]
    faulty = [place for place, of in kinds.items() if of and of[0] != FLIP]
    alternating = (place for both in zip_longest(flips, faulty) for place in both if place is not None)
    samples, size = [], 0
    for place in list(dict.fromkeys(alternating))[:most]:
        sample = _sample(rows[place], kinds[place], runs)
        size += len(to_json(sample))
        if size > _MOST_BYTES // benchmarks:
            break
        samples.append(sample)
    found = sum(bool(of) for of in kinds.values())
    higher = next(iter(runs.values())).higher_is_better
    data = {"systems": list(runs), "higher_is_better": higher, "samples": samples}
    return Browsed(data, len(samples), found, unmatched)


_Row = Mapping[int, str | int]
"""The id of one sample in each run that has it, by the number of the system."""


def _rows(runs: Mapping[int, Run], match: Match) -> tuple[list[_Row], int]:
    """Return the samples of the run that has the most, and how many of the others' are not among them."""
    most = max(runs, key=lambda number: (len(runs[number].items), -number))
    rows: dict[str | int, dict[int, str | int]] = {id_: {most: id_} for id_ in runs[most].items}
    unmatched = 0
    for number, run in runs.items():
        if number != most:
            alignment = align(runs[most], run, match)
            unmatched += alignment.only_after
            for one, two in alignment.pairs:
                rows[one][number] = two
    return list(rows.values()), unmatched


def _kinds(row: _Row, runs: Mapping[int, Run]) -> Iterator[str]:
    """Yield why a sample is worth a look: the faults of its results, and whether it is scored differently."""
    results = (result for number, id_ in row.items() for result in runs[number].items[id_])
    yield from dict.fromkeys(fault for result in results for fault in faults_of(result))
    scores = {runs[number].scores[id_] for number, id_ in row.items()}
    if len({score for score in scores if isfinite(score)}) > 1:
        yield FLIP


def _sample(row: _Row, kinds: Sequence[str], runs: Mapping[int, Run]) -> Mapping[str, Any]:
    number, id_ = next(iter(row.items()))
    first = runs[number].items[id_][0]
    return {
        "id": escaped(str(first.id)),
        "input": _short(first.input, _LONGEST_INPUT),
        "target": _short(first.target, _LONGEST_TEXT),
        "kinds": kinds,
        "results": {number: _result(runs[number], row[number]) for number in runs if number in row},
    }


def _result(run: Run, id_: str | int) -> Mapping[str, Any]:
    """Return what the page shows of a system's results on a sample: of several epochs, the first with a fault."""
    results = run.items[id_]
    shown = next((result for result in results if any(faults_of(result))), results[0])
    score = run.scores[id_]
    return {
        "score": round(score, 4) if isfinite(score) else None,
        "answer": _short(shown.answer or "", _LONGEST_TEXT),
        "text": _short(_text(shown), _LONGEST_TEXT),
        "faults": list(faults_of(shown)),
        "epoch": f"epoch {shown.epoch} of {len(results)}" if len(results) > 1 else "",
    }


def _text(result: SampleResult) -> str:
    if result.error is not None:
        return result.error
    text = result.explanation or ""
    return "" if text.strip() == (result.answer or "").strip() else text


def _short(text: str, longest: int) -> str:
    """Return the beginning of a text, in which what controls a terminal or reorders text is visible."""
    return escaped(text if len(text) <= longest else f"{text[:longest]} …")
