"""The page's tables: leaderboards, all pairs, and scores as a heat map."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from string import ascii_lowercase

from openbench_analysis.figures import RunFigures
from openbench_analysis.report.faults import ALWAYS, FAULTS, count_faults
from openbench_analysis.runs import Run
from openbench_analysis.statistics import Interval
from openbench_analysis.study import Matrix, Study

_SHADES = 10
_MARGIN = 4  # per cent of the width of an interval's drawing that stay free on both sides


@dataclass(frozen=True)
class Totals:
    """The figures of a system's runs taken together.

    Attributes:
        answered: The share of the results that ended without an error and hold an answer; None without results.
        faults: How many results have each fault.
        tokens: The tokens that the system read and wrote.
        cost: What all tokens cost; None without prices.
        seconds: For how long the runs ran.
    """

    answered: float | None
    faults: Mapping[str, int]
    tokens: int
    cost: float | None
    seconds: float

    @classmethod
    def of(cls, runs: Sequence[Run], figures: Sequence[RunFigures]) -> "Totals":
        """Add runs up."""
        results = [result for run in runs for result in run.results]
        costs = [figure.cost for figure in figures]
        return cls(
            answered=sum(result.answered for result in results) / len(results) if results else None,
            faults=count_faults(results),
            tokens=sum(figure.input_tokens + figure.output_tokens for figure in figures),
            cost=None if None in costs else sum(cost for cost in costs if cost),
            seconds=sum(figure.seconds for figure in figures),
        )


@dataclass(frozen=True)
class Row:
    """One system in a leaderboard.

    Attributes:
        number: Its number, the same everywhere on the page.
        label: Its label.
        score: Its score; None if missing.
        interval: The interval of the score; None if missing.
        letters: A letter for each group it is in, no two systems of which differ.
        totals: What its runs come to.
        missing: The benchmarks that it has no score of.
    """

    number: int
    label: str
    score: float | None
    interval: Interval | None
    letters: str
    totals: Totals
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    Attributes:
        caption: What it shows.
        metric: The heading of the scores.
        rows: The systems, the best first; those without a score come last.
    """

    caption: str
    metric: str
    rows: Sequence[Row]

    @property
    def faults(self) -> list[str]:
        """The faults that are counted: the usual ones, and those that any system has."""
        return [fault for fault in FAULTS if fault in ALWAYS or any(row.totals.faults.get(fault) for row in self.rows)]

    @property
    def has_costs(self) -> bool:
        """Whether any cost is known."""
        return any(row.totals.cost is not None for row in self.rows)

    @property
    def limits(self) -> tuple[float, float]:
        """The range of the scores and their intervals."""
        values = [value for row in self.rows for value in _values(row)]
        low, high = min(values, default=0.0), max(values, default=1.0)
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def place(self, value: float) -> str:
        """Return where a score is drawn, in per cent of the width."""
        low, high = self.limits
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{_MARGIN + share * (100 - 2 * _MARGIN):.1f}%"


@dataclass(frozen=True)
class Pair:
    """One cell of a matrix of all pairs.

    Attributes:
        difference: The score of the row's system less that of the column's.
        p_value: The adjusted p-value.
        verdict: `better` or `worse`, or empty if no difference was shown.
    """

    difference: float
    p_value: float
    verdict: str


@dataclass(frozen=True)
class Pairs:
    """A matrix of all pairs.

    Attributes:
        name: The benchmark or suite.
        labels: The systems, the best first.
        cells: For each system a row of cells; None for itself, and where two cannot be compared.
    """

    name: str
    labels: Sequence[str]
    cells: Sequence[Sequence[Pair | None]]


@dataclass(frozen=True)
class Cell:
    """One cell of a heat map.

    Attributes:
        value: The mean score.
        shade: How dark it is, from 0 to 9.
    """

    value: float
    shade: int


@dataclass(frozen=True)
class HeatMap:
    """Scores by category or benchmark.

    Attributes:
        heading: What the rows are.
        columns: The headings of the columns.
        rows: The name of each row with what follows it in small letters, and its cells.
    """

    heading: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[Cell | None]]]


def numbers_of(study: Study) -> Mapping[str, int]:
    """Return the number of each system by its label: its place in the first leaderboard, the others after it."""
    first = list(leading(study).scores)
    return {label: number for number, label in enumerate(dict.fromkeys([*first, *(s.label for s in study.systems)]), 1)}


def leading(study: Study) -> Matrix:
    """Return the pairs of the page's first leaderboard: of the first suite, else of the first benchmark."""
    suites = {average.suite for average in study.scores}
    return next((matrix for matrix in study.matrices if matrix.name in suites), study.matrices[0])


def benchmark_board(study: Study, name: str, metric: str, numbers: Mapping[str, int]) -> Board:
    """Return the leaderboard of a benchmark."""
    runs = {system.label: system.runs[name] for system in study.systems if name in system.runs}
    rows = []
    for label in _best_first(_matrix(study, name), runs):
        figures = study.figures[label, name]
        rows.append(
            Row(
                number=numbers[label],
                label=label,
                score=figures.score if figures.score is not None and isfinite(figures.score) else None,
                interval=figures.interval,
                letters=_letters(_matrix(study, name), label),
                totals=Totals.of([runs[label]], [figures]),
            )
        )
    return Board(name, metric, rows)


def suite_board(study: Study, suite: str, numbers: Mapping[str, int]) -> Board:
    """Return the leaderboard of a suite: the mean of its benchmarks; a system that lacks one has no mean."""
    averages = {average.label: average for average in study.scores if average.suite == suite}
    rows = []
    for label in _best_first(_matrix(study, suite), averages):
        runs = next(system.runs for system in study.systems if system.label == label)
        average = averages[label]
        rows.append(
            Row(
                number=numbers[label],
                label=label,
                score=average.estimate.value if average.estimate else None,
                interval=average.interval,
                letters=_letters(_matrix(study, suite), label),
                missing=average.missing,
                totals=Totals.of(list(runs.values()), [study.figures[label, name] for name in runs]),
            )
        )
    return Board(suite, "mean score", rows)


def pairs_of(study: Study, name: str) -> Pairs | None:
    """Return all pairs of systems on a benchmark or over a suite; None if no two can be compared."""
    matrix = _matrix(study, name)
    labels = list(matrix.scores)
    higher = len(labels) < 2 or matrix.scores[labels[0]] >= matrix.scores[labels[-1]]  # noqa: PLR2004 - two can differ
    if not matrix.estimates:
        return None
    cells = [[_pair(study, matrix, row, column, higher=higher) for column in labels] for row in labels]
    return Pairs(name, labels, cells)


def categories(study: Study, name: str, key: str) -> HeatMap | None:
    """Return the mean score of each system by category; None if there are fewer than two categories.

    Args:
        study: The study.
        name: The benchmark.
        key: The key of the samples' metadata that names the category.
    """
    by_system = {system.label: _by_category(system.runs[name], key) for system in study.systems if name in system.runs}
    labels = _best_first(_matrix(study, name), by_system)
    names = sorted({category for of in by_system.values() for category in of})
    if len(names) < 2:  # noqa: PLR2004 - one category is the benchmark
        return None
    means = [[_mean(by_system[label].get(category, ())) for label in labels] for category in names]
    counts = [max(len(of.get(category, ())) for of in by_system.values()) for category in names]
    shaded = _shaded(means, *_range(value for row in means for value in row))
    rows = [(category, f"n = {count:,}", row) for category, count, row in zip(names, counts, shaded, strict=True)]
    return HeatMap(key, labels, rows)


def by_benchmark(study: Study, numbers: Mapping[str, int]) -> HeatMap:
    """Return the score of each system on each benchmark; each benchmark's are shaded by their own range."""
    labels = sorted(numbers, key=numbers.__getitem__)
    columns = []
    for name in study.benchmarks:
        figures = [study.figures.get((label, name)) for label in labels]
        scores = [figure.score if figure else None for figure in figures]
        columns.append(_shaded([scores], *_range(scores))[0])
    cells = list(zip(*columns, strict=True))
    return HeatMap("system", study.benchmarks, [(label, "", row) for label, row in zip(labels, cells, strict=True)])


def _matrix(study: Study, name: str) -> Matrix:
    return next(matrix for matrix in study.matrices if matrix.name == name)


def _values(row: Row) -> Iterator[float]:
    found = [row.score, *((row.interval.low, row.interval.high) if row.interval else ())]
    yield from (value for value in found if value is not None and isfinite(value))


def _best_first(matrix: Matrix, labels: Iterable[str]) -> list[str]:
    known = list(labels)
    return [*matrix.scores, *(label for label in known if label not in matrix.scores)]


def _letters(matrix: Matrix, label: str) -> str:
    """Return the letters of the groups that a system is in; after z come aa and ab."""
    return " ".join(_letter(place) for place, group in enumerate(matrix.ties) if label in group)


def _letter(place: int) -> str:
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]


def _pair(study: Study, matrix: Matrix, row: str, column: str, *, higher: bool) -> Pair | None:
    labels, sign = ((column, row), 1) if (column, row) in matrix.estimates else ((row, column), -1)
    if labels not in matrix.estimates:
        return None
    difference, p_value = sign * matrix.estimates[labels].value, matrix.p_values[labels]
    shown = p_value <= 1 - study.method.level and difference
    return Pair(difference, p_value, ("better" if (difference > 0) == higher else "worse") if shown else "")


def _by_category(run: Run, key: str) -> Mapping[str, Sequence[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for id_, score in run.scores.items():
        category = run.items[id_][0].metadata.get(key)
        if category is not None:
            found[str(category)].append(score)
    return found


def _mean(scores: Sequence[float]) -> float | None:
    finite = [score for score in scores if isfinite(score)]
    return sum(finite) / len(finite) if finite else None


def _range(values: Iterable[float | None]) -> tuple[float, float]:
    finite = [value for value in values if value is not None and isfinite(value)]
    return min(finite, default=0.0), max(finite, default=1.0)


def _shaded(rows: Sequence[Sequence[float | None]], low: float, high: float) -> list[list[Cell | None]]:
    width = high - low or 1.0
    return [
        [
            Cell(value, min(_SHADES - 1, int((value - low) / width * _SHADES)))
            if value is not None and isfinite(value)
            else None
            for value in row
        ]
        for row in rows
    ]
