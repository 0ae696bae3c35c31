"""Puts the page together: figures, charts and samples into its template."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import isfinite

import numpy as np
from inspect_ai.log import read_eval_log_sample
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from openbench.registry.names import counted, escaped, printable
from openbench_analysis.alignment import differing_settings, refusals
from openbench_analysis.report import charts
from openbench_analysis.report.boards import (
    Board,
    HeatMap,
    Pairs,
    benchmark_board,
    by_benchmark,
    categories,
    numbers_of,
    pairs_of,
    suite_board,
)
from openbench_analysis.report.faults import FAULTS
from openbench_analysis.report.samples import FLIP, Browsed, browse
from openbench_analysis.runs import Run
from openbench_analysis.statistics.calibration import Calibration, calibration
from openbench_analysis.study import Study

_FEW_VALUES = 5
_RANGES = 5
_NO_SCORE = "no score"
_LONGEST_PROMPT = 4_000  # characters
_NOTHING, _MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
_HOUR, _MINUTE = 3600, 60


@dataclass(frozen=True, kw_only=True)
class Section:
    """The page's section of one benchmark.

    Attributes:
        name: The benchmark.
        anchor: The id of its section.
        origin: What it is: a value for each of version, dataset and so on.
        warnings: What makes its runs hard to compare, each with the systems that it concerns.
        board: Its leaderboard.
        distribution: The chart of its scores.
        calibration: The chart of confidence and score, and the figures of each system; None without confidences.
        categories: Its scores by category, for each key that has them.
        pairs: All pairs; None if no two can be compared.
        prompt: The messages of an example, each with its role.
        browsed: The samples that the page holds.
    """

    name: str
    anchor: str
    origin: Mapping[str, str]
    warnings: Sequence[tuple[str, Sequence[str]]]
    board: Board
    distribution: Markup | None
    calibration: tuple[Markup, Mapping[str, Calibration]] | None
    categories: Sequence[HeatMap]
    pairs: Pairs | None
    prompt: Sequence[tuple[str, str]]
    browsed: Browsed


def render(
    study: Study, problems: Sequence[str], *, samples: int, by: Sequence[str] = (), title: str = "Benchmark report"
) -> str:
    """Return the page.

    Args:
        study: The systems, with all pairs compared.
        problems: What could not be read or was left out.
        samples: The most samples of a benchmark to hold.
        by: The keys of the samples' metadata that name categories, besides those of the benchmarks.
        title: The page's title.
    """
    numbers = numbers_of(study)
    suites = list(dict.fromkeys(average.suite for average in study.scores))
    sections = [_section(study, name, place, numbers, samples, by) for place, name in enumerate(study.benchmarks, 1)]
    boards = [suite_board(study, suite, numbers) for suite in suites]
    style, script = _own("report.css"), _own("report.js")
    page = _environment().get_template("report.html.j2")
    return page.render(
        title=title,
        study=study,
        numbers=numbers,
        labels={number: printable(label) for label, number in numbers.items()},
        problems=[*problems, *study.problems],
        boards=boards,
        tradeoffs=list(_tradeoffs((boards or [sections[0].board])[0])),
        heat=by_benchmark(study, numbers) if len(study.benchmarks) > 1 else None,
        suite_pairs=[pairs for suite in suites if (pairs := pairs_of(study, suite))],
        sections=sections,
        results=sum(figures.results for figures in study.figures.values()),
        kinds=[FLIP, *FAULTS],
        style=Markup(style),  # noqa: S704 - the package's own file
        script=Markup(script),  # noqa: S704 - likewise
        policy=_policy(style, script),
    )


def _section(
    study: Study, name: str, place: int, numbers: Mapping[str, int], samples: int, by: Sequence[str]
) -> Section:
    runs = {system.label: system.runs[name] for system in study.systems if name in system.runs}
    first = next(iter(runs.values()))
    metric = first.headline.label if first.headline else "score"
    numbered = {numbers[label]: runs[label] for label in sorted(runs, key=numbers.__getitem__)}
    keys = dict.fromkeys([*first.category_keys, *by])
    return Section(
        name=name,
        anchor=f"benchmark-{place}",
        origin=dict(_origin(first)),
        warnings=_warnings(runs),
        board=(board := benchmark_board(study, name, metric, numbers)),
        distribution=_distribution({row.label: runs[row.label] for row in board.rows}, name),
        calibration=_calibration({row.label: runs[row.label] for row in board.rows}, name),
        categories=[found for key in keys if (found := categories(study, name, key))],
        pairs=pairs_of(study, name),
        prompt=list(_prompt(first)),
        browsed=browse(numbered, most=samples, benchmarks=len(study.benchmarks), match=study.method.match),
    )


def _origin(run: Run) -> Iterator[tuple[str, str]]:
    """Yield where a benchmark comes from, and what pins it."""
    own, task = run.provenance, run.log.eval
    if own:
        yield "provided by", f"{own.distribution} {own.version}" if own.distribution else "a file"
    elif task.task_version:
        yield "task version", str(task.task_version)
    dataset = own.dataset or {"source": task.dataset.location or task.dataset.name}
    parts = [str(dataset[key]) for key in ("source", "config", "split") if dataset.get(key)]
    if parts:
        yield "dataset", " / ".join(parts)
    pin = next((f"{key} {dataset[key]}" for key in ("revision", "file_sha256", "sha256") if dataset.get(key)), None)
    yield "pinned to", pin or "not recorded"
    if own.sample:
        yield "rows", "the few that its package ships"
    yield (
        "samples",
        f"{len(run.items):,}" + (f" in {task.config.epochs} epochs" if (task.config.epochs or 1) > 1 else ""),
    )
    if run.headline:
        yield "metric", run.headline.name + ("" if run.higher_is_better else ", lower is better")
    if scorers := [scorer.name for scorer in task.scorers or ()]:
        yield "scorers", ", ".join(scorers)
    if task.created:
        yield "run on", task.created[:10]


def _warnings(runs: Mapping[str, Run]) -> list[tuple[str, Sequence[str]]]:
    """Return what prevents or qualifies comparisons with the first run, each with the systems that it concerns."""
    found: dict[str, list[str]] = {}
    first, reference = next(iter(runs.items()))
    for label, run in runs.items():
        texts = list(_doubts(run))
        if run is not reference:
            texts += [f"Not comparable with {first}: {text}." for text in refusals(reference, run)]
            texts += [f"Not as in {first}: {text}." for text in differing_settings(reference, run)]
        for text in dict.fromkeys(texts):
            found.setdefault(text, []).append(label)
    return list(found.items())


def _doubts(run: Run) -> Iterator[str]:
    """Yield what to know of a run before it is compared with any."""
    if not run.provenance:
        yield "The log was not written by openbench, so that its version, dataset and scorers cannot be checked."
    if run.log.status != "success":
        yield f"The run is not complete: its status is {run.log.status}."


def _tradeoffs(board: Board) -> Iterator[tuple[str, Markup]]:
    """Yield the charts of score against cost, or tokens where no cost is known, and time."""
    costs = [row.totals.cost for row in board.rows]
    if any(cost is not None for cost in costs):
        yield from _tradeoff(board, "cost", "cost", costs)
    else:
        yield from _tradeoff(board, "tokens", "tokens", [row.totals.tokens or None for row in board.rows])
    name, size = _unit([row.totals.seconds for row in board.rows])
    yield from _tradeoff(board, "time", name, [row.totals.seconds / size or None for row in board.rows])


def _tradeoff(board: Board, name: str, title: str, amounts: Sequence[float | None]) -> Iterator[tuple[str, Markup]]:
    """Yield the chart of score against one amount, if two systems have both."""
    pairs = zip(board.rows, amounts, strict=True)
    known = [(row, row.score, amount) for row, amount in pairs if row.score is not None and amount is not None]
    if len(known) < 2:  # noqa: PLR2004 - a single point shows nothing
        return
    higher = known[0][1] >= known[-1][1]  # the best stand first
    points = []
    for row, score, amount in known:
        beaten = any(less <= amount and (other > score if higher else other < score) for _, other, less in known)
        low, high = (row.interval.low, row.interval.high) if row.interval else (score, score)
        points.append(charts.Point(row.number, amount, score, low, high, not beaten))
    label = f"{board.metric} of {board.caption} against {name}, a point for each of {len(points)} systems"
    yield name, charts.tradeoff(points, amount=title, score=printable(board.metric), label=printable(label))


def _unit(seconds: Sequence[float]) -> tuple[str, int]:
    """Return the unit in which times are best read, and its seconds."""
    longest = max(seconds)
    if longest > 2 * _HOUR:
        return "hours", _HOUR
    return ("minutes", _MINUTE) if longest > 2 * _MINUTE else ("seconds", 1)


def _distribution(runs: Mapping[str, Run], name: str) -> Markup | None:
    """Return the chart of the samples' scores: by value if there are few values, else by ranges."""
    scores = {label: np.array(list(run.scores.values()), dtype=np.float64) for label, run in runs.items()}
    finite = np.concatenate([of[np.isfinite(of)] for of in scores.values()])
    if not finite.size:
        return None
    values = np.unique(finite)
    few = values.size <= _FEW_VALUES
    edges = values if few else np.linspace(values[0], values[-1], _RANGES + 1)
    names = [f"{value:g}" for value in values] if few else [f"{a:.3g} to {b:.3g}" for a, b in pairwise(edges)]
    shares = {}
    for label, of in scores.items():
        known = of[np.isfinite(of)]
        places = np.searchsorted(edges, known, side="right") - 1
        counts = np.bincount(np.minimum(places, len(names) - 1), minlength=len(names))
        shares[printable(label)] = {
            **{each: count / of.size for each, count in zip(names, counts.tolist(), strict=True)},
            _NO_SCORE: 1 - known.size / of.size,
        }
    label = f"The scores of the samples of {name}: for each of {len(runs)} systems the share of samples by score"
    return charts.distribution(shares, label=printable(label))


def _calibration(runs: Mapping[str, Run], name: str) -> tuple[Markup, Mapping[str, Calibration]] | None:
    """Return the chart of confidence and score of the systems that state a confidence, and their figures."""
    figures = {label: found for label, run in runs.items() if (found := _calibrated(run))}
    if not figures:
        return None
    bins = [
        charts.Bin(printable(label), each.confidence, each.score, each.count)
        for label, of in figures.items()
        for each in of.bins
    ]
    label = f"Mean score against stated confidence on {name}, a diagram for each of {len(figures)} systems"
    return charts.calibration(bins, label=printable(label)), figures


def _calibrated(run: Run) -> Calibration | None:
    """Return the calibration of a run's results that have a confidence and a score from 0 to 1.

    A run in which any confidence is above 1 states them in per cent.
    """
    known = [(each.confidence, each.score) for each in run.results if each.confidence is not None]
    scale = 100 if any(confidence > 1 for confidence, _ in known) else 1
    pairs = [
        (confidence / scale, score)
        for confidence, score in known
        if 0 <= confidence <= scale and isfinite(score) and 0 <= score <= 1
    ]
    return calibration(*zip(*pairs, strict=True)) if pairs else None


def _prompt(run: Run) -> Iterator[tuple[str, str]]:
    """Yield what the model was shown of the first sample, as far as the log can be read quickly."""
    first = run.results[0]
    messages: list[tuple[str, str]] = [("user", first.input)]
    if run.location.endswith(".eval"):
        sample = read_eval_log_sample(
            run.location, first.id, first.epoch, exclude_fields={"events", "store", "attachments"}
        )
        asked: list[tuple[str, str]] = []
        for message in sample.messages:
            if message.role == "assistant":
                break
            asked.append((message.role, message.text))
        messages = asked or messages
    for role, text in messages:
        yield role, text if len(text) <= _LONGEST_PROMPT else f"{text[:_LONGEST_PROMPT]} …"


def _policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: the page's own script and style, and nothing else from anywhere."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _own(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=printable, text=escaped, number=_number, signed=_signed, share=_share, duration=_duration, amount=_amount
    )
    environment.globals["counted"] = counted
    return environment


def _number(value: float | None) -> str:
    """Return a score with three decimals, or one from ten on."""
    if value is None or not isfinite(value):
        return _NOTHING
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"  # noqa: PLR2004 - such as a percentage


def _signed(value: float) -> str:
    return ("+" if value > 0 else _MINUS if value < 0 else "") + _number(abs(value))


def _share(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.1%}"


def _duration(seconds: float) -> str:
    """Return seconds as `12 s`, `3 min 05 s` or `2 h 07 min`."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004 - a decimal says something
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE:02} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} min"


def _amount(count: int) -> str:
    """Return a count as `950`, `12.3k` or `4.5M`."""
    for size, unit in ((10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit}"
    return str(count)
