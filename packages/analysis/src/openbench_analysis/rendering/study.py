"""A study as tables and notes, and as plain data."""

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from string import ascii_lowercase
from typing import Any

from openbench.cli.layout import GAP, display_width, money, terminal_width, wrapped
from openbench.registry.names import printable
from openbench_analysis.comparison import Category, Comparison, Flip, Verdict
from openbench_analysis.figures import RunFigures
from openbench_analysis.rendering.tables import Column, Table, markdown, page
from openbench_analysis.runs import Run
from openbench_analysis.statistics import Interval
from openbench_analysis.study import ALL, Average, Matrix, Study

_ADJUSTED = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "not adjusted"}
_SMALL = 0.001
_NOT_SHOWN, _NOT_TESTED = "not shown", "not tested"
_SHOWN = 300  # characters of a text in a table of flips


def as_lines(study: Study, flips: int = 0) -> list[str]:
    """Return a study as lines for the terminal.

    Args:
        study: The study.
        flips: How many flips of each comparison are shown.
    """
    width = terminal_width()
    blocks = [table.lines(width) for table in tables_of(study)]
    blocks += [list(_flip_lines(each, flips)) for each in _flipped(study, flips)]
    blocks += [wrapped(printable(note), 0) for note in notes_of(study)]
    return [line for block in blocks for line in (*block, "")][:-1]


def as_markdown(study: Study, flips: int = 0) -> str:
    """Return a study as Markdown; see `as_lines`."""
    tables = [*tables_of(study), *(_flip_table(each, flips) for each in _flipped(study, flips))]
    notes = [f"- {markdown(note)}" for note in notes_of(study)]
    return "\n".join([*(table.markdown() for table in tables), *notes])


def as_page(study: Study, flips: int = 0) -> str:
    """Return a study as a page of HTML; see `as_lines`."""
    tables = [*tables_of(study), *(_flip_table(each, flips) for each in _flipped(study, flips))]
    return page(f"Compared with {study.baseline.label}", tables, notes_of(study))


def tables_of(study: Study) -> list[Table]:
    """Return a study as tables, without its flips."""
    return [
        *(table for system in study.systems[1:] for table in _against_baseline(study, system.label)),
        *(_category_table(each, key) for each in study.comparisons for key in study.method.by if each.categories),
        *(_matrix_table(matrix) for matrix in study.matrices),
    ]


def notes_of(study: Study) -> list[str]:
    """Return what a reader of a study's tables must know, a sentence or two each."""
    notes: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for each in study.comparisons:
        for note in _notes(each):
            notes[each.candidate, note].append(each.benchmark)
    return [
        *(f"{', '.join(benchmarks)} ({label}): {note}" for (label, note), benchmarks in notes.items()),
        *(
            f"{each.suite} of {each.label} is incomplete: {', '.join(each.missing)} is missing."
            for each in study.differences
            if each.missing
        ),
        *study.problems,
    ]


def as_data(study: Study, flips: int = 0) -> dict[str, Any]:
    """Return a study as plain data, for JSON.

    Args:
        study: The study.
        flips: How many flips of each comparison it has.
    """
    return {
        "baseline": study.baseline.label,
        "method": asdict(study.method) | {"adjustment": study.adjustment},
        "systems": [
            {
                "label": system.label,
                "runs": {name: _run_data(run, study.figures[system.label, name]) for name, run in system.runs.items()},
            }
            for system in study.systems
        ],
        "comparisons": [_comparison_data(each, flips) for each in study.comparisons],
        "suites": {
            "scores": [asdict(each) for each in study.scores],
            "differences": [asdict(each) for each in study.differences],
        },
        "pairwise": [_matrix_data(matrix) for matrix in study.matrices],
        "problems": list(study.problems),
    }


def signed(value: float) -> str:
    """Return a difference with its sign and three digits after the point."""
    return f"{value:+.3f}"


def shown_interval(interval: Interval) -> str:
    """Return a difference and its limits; alone, if nothing bounds it."""
    if not isfinite(interval.high - interval.low):
        return signed(interval.estimate)
    return f"{signed(interval.estimate)} [{signed(interval.low)}, {signed(interval.high)}]"


def shown_p(p_value: float) -> str:
    """Return a p-value with three digits after the point."""
    return f"<{_SMALL}" if p_value < _SMALL else f"{p_value:.3f}"


def shown_score(score: float | None) -> str:
    """Return a score with three digits after the point, or a dash."""
    return "-" if score is None or not isfinite(score) else f"{score:.3f}"


def _against_baseline(study: Study, label: str) -> Iterator[Table]:
    comparisons = [each for each in study.comparisons if each.candidate == label]
    averages = [each for each in study.differences if each.label == label]
    if not comparisons:
        return
    right = [Column(name, right=True) for name in ("baseline", "candidate")]
    heading = [Column("benchmark"), *right, Column("difference"), Column("p", right=True), Column("verdict")]
    percent = f"{study.method.level:.0%} intervals"
    yield Table(
        heading,
        [*map(_difference_row, comparisons), *(_average_row(study, each) for each in averages)],
        f"{label}, compared with {study.baseline.label} ({percent}; p: {_ADJUSTED[study.adjustment]})",
    )
    counts = [Column(name, right=True) for name in ("samples", "higher", "lower", "detectable", "clusters")]
    yield Table([Column("benchmark"), *counts], list(map(_count_row, comparisons)))
    taken = [Column(name, right=True) for name in ("answered", "truncated", "output tokens", "cost", "seconds")]
    yield Table([Column("benchmark"), *taken], [_taken_row(study, each) for each in comparisons])
    if any(each.equivalence for each in comparisons):
        yield _equivalence_table(comparisons)


def _difference_row(each: Comparison) -> list[str]:
    arrow = "" if each.runs[0].higher_is_better else " ↓"
    return [
        each.benchmark + arrow,
        *map(shown_score, each.scores),
        shown_interval(each.difference),
        *((shown_p(each.p_value), _verdict(each.verdict)) if each.tested else ("-", _NOT_TESTED)),
    ]


def _verdict(verdict: Verdict) -> str:
    return _NOT_SHOWN if verdict == "no difference shown" else verdict


def _average_row(study: Study, each: Average) -> list[str]:
    name = "mean" if each.suite == ALL else f"mean, {each.suite}"
    own = {score.label: score.interval for score in study.scores if score.suite == each.suite}
    scores = (own.get(label) for label in (study.baseline.label, each.label))
    shown = [shown_score(interval.estimate if interval else None) for interval in scores]
    if each.interval is None or each.p_value is None:
        return [name, *shown, "incomplete", "-", "-"]
    if each.estimate and not isfinite(each.estimate.standard_error):
        return [name, *shown, signed(each.interval.estimate), "-", _NOT_TESTED]
    arrow = "" if each.higher_is_better else " ↓"
    verdict = _verdict(each.verdict(study.method.level))
    return [f"{name}{arrow}", *shown, shown_interval(each.interval), shown_p(each.p_value), verdict]


def _count_row(each: Comparison) -> list[str]:
    return [
        each.benchmark,
        f"{each.samples:,}",
        f"{each.higher:,}",
        f"{each.lower:,}",
        "-" if each.detectable is None else f"{each.detectable:.3f}",
        f"{len(set(each.paired.clusters)):,}" if each.paired.clusters else "-",
    ]


def _taken_row(study: Study, each: Comparison) -> list[str]:
    before, after = (study.figures[label, each.benchmark] for label in (each.baseline, each.candidate))
    return [
        each.benchmark,
        _change(*(f"{figures.answered:.1%}" if figures.answered is not None else "-" for figures in (before, after))),
        _change(*(f"{figures.truncated:,}" for figures in (before, after))),
        _change(*(_count(figures.output_tokens) for figures in (before, after))),
        _change(*("-" if figures.cost is None else money(figures.cost) for figures in (before, after))),
        _change(*(f"{figures.seconds:,.0f}" for figures in (before, after))),
    ]


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _count(tokens: int) -> str:
    return f"{tokens / 1000:,.0f}k" if tokens >= 10_000 else f"{tokens:,}"  # noqa: PLR2004 - five digits and more


def _equivalence_table(comparisons: Sequence[Comparison]) -> Table:
    rows = [
        [
            each.benchmark,
            shown_interval(each.equivalence.interval),
            "yes" if each.equivalence.equivalent else _NOT_SHOWN,
            "yes" if each.equivalence.not_worse else _NOT_SHOWN,
        ]
        for each in comparisons
        if each.equivalence
    ]
    margin = next(each.equivalence.margin for each in comparisons if each.equivalence)
    heading = [Column(name) for name in ("benchmark", "90% interval", "equivalent", "not worse")]
    return Table(heading, rows, f"within a margin of {margin:g}")


def _category_table(each: Comparison, key: str) -> Table:
    heading = [Column(key), *(Column(name, right=True) for name in ("samples", "baseline", "candidate"))]
    return Table(
        [*heading, Column("difference"), Column("p", right=True)],
        [_category_row(category) for category in each.categories if category.key == key],
        f"{each.benchmark} by {key}: {each.candidate}, compared with {each.baseline} (p: Benjamini-Hochberg)",
    )


def _category_row(category: Category) -> list[str]:
    scores = map(shown_score, (category.before, category.after))
    return [
        category.name,
        f"{category.samples:,}",
        *scores,
        shown_interval(category.difference),
        shown_p(category.p_value),
    ]


def _matrix_table(matrix: Matrix) -> Table:
    labels = list(matrix.scores)
    letters = {
        label: " ".join(_letter(place) for place, group in enumerate(matrix.ties) if label in group) for label in labels
    }
    rows = [
        [label, shown_score(matrix.scores[label]), letters[label], *(_cell(matrix, label, other) for other in labels)]
        for label in labels
    ]
    heading = [Column(matrix.name), Column("score", right=True), Column("ties")]
    caption = f"{matrix.name}: row less column; * differs (p: Holm); systems that share a letter tie"
    return Table([*heading, *(Column(label, right=True) for label in labels)], rows, caption)


def _letter(place: int) -> str:
    """Return the name of a group: a to z, then aa, ab, and so on."""
    first, last = divmod(place, len(ascii_lowercase))
    return (_letter(first - 1) if first else "") + ascii_lowercase[last]


def _cell(matrix: Matrix, label: str, other: str) -> str:
    if label == other:
        return ""
    sign, pair = (-1.0, (label, other)) if (label, other) in matrix.estimates else (1.0, (other, label))
    if pair not in matrix.estimates:
        return "-"
    star = "*" if matrix.differs(pair) else ""
    return f"{signed(sign * matrix.estimates[pair].value)}{star}"


def _flip_table(each: Comparison, most: int) -> Table:
    flips = each.flips()
    heading = [Column(name) for name in ("id", "change", "question", "target", each.baseline, each.candidate)]
    rows = [
        [
            str(flip.before.id),
            signed(flip.change),
            *(_cut(text) for text in (flip.before.input, flip.before.target, *map(_answer, (flip.before, flip.after)))),
        ]
        for flip in flips[:most]
    ]
    return Table(
        heading, rows, f"{each.benchmark}: {len(rows):,} of {len(flips):,} samples that are scored differently"
    )


def _flipped(study: Study, flips: int) -> list[Comparison]:
    return [each for each in study.comparisons if flips and each.higher + each.lower]


def _flip_lines(each: Comparison, most: int) -> Iterator[str]:
    """Yield the caption of a table of flips, and a block of labelled texts for each."""
    table = _flip_table(each, most)
    labels = [column.heading for column in table.columns]
    indent = max(map(display_width, labels)) + len(GAP)
    yield printable(table.caption)
    for row in table.rows:
        yield ""
        for label, cell in zip(labels, row, strict=True):
            first, *rest = textwrap.wrap(printable(cell), terminal_width() - indent) or [""]
            yield f"{printable(label).ljust(indent)}{first}".rstrip()
            yield from (" " * indent + line for line in rest)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _answer(result: Any) -> str:
    return result.answer or result.error or result.explanation or ""


def _notes(each: Comparison) -> Iterator[str]:
    alignment, paired = each.paired.alignment, each.paired
    if alignment.only_before or alignment.only_after:
        changed = f"; {alignment.changed:,} have the same ids, but other contents" if alignment.changed else ""
        yield (
            f"{alignment.only_before:,} samples are only in the baseline and {alignment.only_after:,} only in "
            f"the candidate{changed}."
        )
    if any(paired.unscored):
        yield (
            f"{paired.unscored[0]:,} common samples have no score in the baseline and {paired.unscored[1]:,} "
            "none in the candidate; they are left out of both."
        )
    if each.design_effect:
        clusters = len(set(paired.clusters or ()))
        yield f"samples are in {clusters:,} clusters, with a design effect of {each.design_effect:.2f}."
    for caveat in each.caveats:
        yield f"{caveat}."


def _run_data(run: Run, figures: RunFigures) -> dict[str, Any]:
    provenance = run.provenance
    return {
        "log": run.location,
        "model": run.model,
        "metric": run.headline.name if run.headline else None,
        "higher_is_better": run.higher_is_better,
        "distribution": provenance.distribution,
        "version": provenance.version,
        "dataset": dict(provenance.dataset),
        **asdict(figures),
    }


def _comparison_data(each: Comparison, flips: int) -> dict[str, Any]:
    alignment = each.paired.alignment
    return {
        "benchmark": each.benchmark,
        "baseline": each.baseline,
        "candidate": each.candidate,
        "verdict": each.verdict,
        "samples": each.samples,
        "only_baseline": alignment.only_before,
        "only_candidate": alignment.only_after,
        "changed": alignment.changed,
        "unscored": list(each.paired.unscored),
        "match": alignment.match,
        "scores": list(each.scores),
        "difference": asdict(each.difference),
        "standard_error": each.estimate.standard_error,
        "test": asdict(each.test) if each.tested else None,
        "p_value": each.p_value if each.tested else None,
        "higher": each.higher,
        "lower": each.lower,
        "detectable": each.detectable,
        "clusters": len(set(each.paired.clusters)) if each.paired.clusters else None,
        "design_effect": each.design_effect,
        "equivalence": asdict(each.equivalence) if each.equivalence else None,
        "categories": [asdict(category) for category in each.categories],
        "caveats": list(each.caveats),
        "flips": [_flip_data(flip) for flip in each.flips()[:flips]],
    }


def _flip_data(flip: Flip) -> dict[str, Any]:
    return {
        "id": flip.before.id,
        "change": flip.change,
        "input": flip.before.input,
        "target": flip.before.target,
        "answers": [_answer(flip.before), _answer(flip.after)],
        "scores": [flip.before.score, flip.after.score],
    }


def _matrix_data(matrix: Matrix) -> Mapping[str, Any]:
    pairs = [
        {"systems": list(pair), "difference": asdict(estimate), "p_value": matrix.p_values[pair]}
        for pair, estimate in matrix.estimates.items()
    ]
    return {"name": matrix.name, "scores": dict(matrix.scores), "ties": [list(g) for g in matrix.ties], "pairs": pairs}
