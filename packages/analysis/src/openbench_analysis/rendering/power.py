"""The table of `bench power`, and the notes under it."""

from collections.abc import Callable, Iterator, Sequence

from openbench.registry.names import printable
from openbench_analysis.planning import Figures, Request
from openbench_analysis.rendering.tables import Column, Table

_Shown = Sequence[tuple[str, Callable[[Figures], str]]]


def power_table(request: Request, found: Sequence[Figures]) -> Table:
    """Return a table of figures, a row each; columns without any figure are left out."""
    asked = _OF_EFFECT if request.effect else _OF_SAMPLES
    shown = [
        (heading, cells)
        for heading, cell in (*_OF_ROW, *asked)
        if set(cells := [cell(each) for each in found]) != {"-"} and not (heading == "epochs" and set(cells) == {"1"})
    ]
    columns = [Column(heading, right=heading != "benchmark") for heading, _ in shown]
    return Table(columns, list(zip(*(cells for _, cells in shown), strict=True)))


def power_notes(request: Request, found: Sequence[Figures]) -> Iterator[str]:
    """Yield what the table's figures mean, and where their variance comes from."""
    if any(each.discordance for each in found):
        yield "differ: the share of samples on which the scores of the two systems differ."
    power, alpha = f"{request.power:.0%}", f"{request.alpha:.3g}"
    if request.effect:
        yield f"A true difference of {request.effect:g} is to be found with {power} probability, two-sided at {alpha}."
    else:
        yield f"difference: the smallest true one that is found with {power} probability, two-sided at {alpha}."
        yield f"no worse by, equivalent: the margins that equally good systems are shown to keep, one-sided at {alpha}."
    if any(each.difference_exact or each.samples_needed_exact for each in found):
        yield "McNemar: by the exact test, which is the default for scores of 0 and 1."
    for of in dict.fromkeys((each.benchmark, each.pilot, each.discordance, each.design_effect) for each in found):
        yield from _pilot(*of)


def _pilot(benchmark: str | None, pilot: str | None, share: float | None, effect: float | None) -> Iterator[str]:
    if pilot:
        scores = f"{share:.1%} of samples differ" if share else "differences are measured"
        clusters = f", design effect of clusters {effect:.2f}" if effect else ""
        yield printable(f"{benchmark}: {scores} between {pilot}{clusters}.")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}".replace(".0%", "%")


def _differ(figures: Figures) -> str:
    return _share(figures.discordance) if figures.discordance else f"sd {figures.deviation:.3f}"


_OF_ROW: _Shown = (
    ("benchmark", lambda of: of.benchmark or "-"),
    ("samples", lambda of: _count(of.samples)),
    ("differ", _differ),
    ("epochs", lambda of: str(of.epochs)),
)
_OF_SAMPLES: _Shown = (
    ("difference", lambda of: _number(of.difference)),
    ("McNemar", lambda of: _number(of.difference_exact)),
    ("no worse by", lambda of: _number(of.no_worse_by)),
    ("equivalent", lambda of: _number(of.equivalent_within)),
)
_OF_EFFECT: _Shown = (
    ("power", lambda of: _share(of.power)),
    ("McNemar", lambda of: _share(of.power_exact)),
    ("samples needed", lambda of: _count(of.samples_needed)),
    ("by McNemar", lambda of: _count(of.samples_needed_exact)),
    ("epochs needed", lambda of: _count(of.epochs_needed)),
)
