"""The page's charts: static SVG whose colours are the page's CSS variables, so that they follow light and dark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import vl_convert
from markupsafe import Markup

_SVG = "http://www.w3.org/2000/svg"
_WIDTH = 300  # pixels of the plot, so that a phone shows a chart and its axis at full size
_INK, _FAINT, _LINE, _PAPER, _ACCENT = "var(--ink)", "var(--faint)", "var(--line)", "var(--paper)", "var(--accent)"
_SHADES = [f"var(--s{shade})" for shade in range(6)]
_NONE = "var(--none)"
_LONGEST = 120  # pixels of a label
_FEW = 4
_SHORT = "format(datum.value, datum.value < 1000 ? '~g' : '~s')"


@dataclass(frozen=True)
class Point:
    """A system in the chart of score against what it took.

    Attributes:
        number: Its number on the page.
        amount: What it took, in the unit of the axis.
        score: Its score.
        low: The lower limit of its interval.
        high: The upper limit.
        best: Whether no other system took as little and scored as high.
    """

    number: int
    amount: float
    score: float
    low: float
    high: float
    best: bool


@dataclass(frozen=True)
class Bin:
    """Samples of about the same confidence.

    Attributes:
        system: The system.
        confidence: Their mean confidence, from 0 to 1.
        score: Their mean score.
        count: How many they are.
    """

    system: str
    confidence: float
    score: float
    count: int


def tradeoff(points: Sequence[Point], *, amount: str, score: str, label: str) -> Markup:
    """Return a chart of score against cost or time: numbered points with their intervals.

    Args:
        points: The systems.
        amount: The title of the axis of amounts.
        score: The title of the axis of scores.
        label: What the chart shows, for those who do not see it.
    """
    widest = max(point.amount for point in points)
    narrowest = min((point.amount for point in points if point.amount > 0), default=0)
    log = narrowest > 0 and narrowest == min(point.amount for point in points) and widest > 20 * narrowest
    base = alt.Chart(_data([vars(point) for point in points])).encode(
        x=alt.X(
            "amount:Q",
            title=amount,
            axis=alt.Axis(labelExpr=_SHORT, tickCount=5),
            scale=alt.Scale(type="log" if log else "linear", nice=True),
        ),
        y=alt.Y("score:Q", title=score, scale=alt.Scale(zero=False, nice=True)),
    )
    rules = base.mark_rule(color=_FAINT, strokeWidth=1.5).encode(y="low:Q", y2="high:Q")
    fill = alt.condition("datum.best", alt.value(_ACCENT), alt.value(_PAPER))
    dots = base.mark_circle(size=260, stroke=_ACCENT, strokeWidth=1.5, opacity=1).encode(fill=fill)
    ink = alt.condition("datum.best", alt.value(_PAPER), alt.value(_INK))
    numbers = base.mark_text(fontSize=10, fontWeight="bold").encode(text="number:N", fill=ink)
    return _svg((rules + dots + numbers).properties(width=_WIDTH, height=220), label)


def distribution(shares: Mapping[str, Mapping[str, float]], *, label: str) -> Markup:
    """Return a chart of how the samples' scores are distributed: a bar of all samples for each system.

    Args:
        shares: For each system the share of its samples by range of scores, the same ranges in the same order; the
            last are those without a score.
        label: What the chart shows, for those who do not see it.
    """
    ranges = list(next(iter(shares.values())))
    scale = alt.Scale(domain=ranges, range=[*_spread(len(ranges) - 1), _NONE])
    rows = [
        {"system": system, "range": name, "order": order, "share": share}
        for system, of in shares.items()
        for order, (name, share) in enumerate(of.items())
    ]
    bars = (
        alt.Chart(_data(rows))
        .mark_bar(height=13, stroke=_PAPER, strokeWidth=0.5)
        .encode(
            x=alt.X("share:Q", title="share of samples", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("system:N", title=None, sort=list(shares), axis=alt.Axis(labelLimit=_LONGEST, ticks=False)),
            fill=alt.Fill("range:N", scale=scale, legend=alt.Legend(title="score", orient="top", columns=4)),
            order="order:Q",
        )
    )
    return _svg(bars.properties(width=_WIDTH - 60, height=alt.Step(18)), label)


def calibration(bins: Sequence[Bin], *, label: str) -> Markup:
    """Return reliability diagrams, one for each system: mean score against confidence; the size is the count.

    Args:
        bins: The groups of samples of all systems.
        label: What the chart shows, for those who do not see it.
    """
    unit = alt.Scale(domain=[0, 1])
    axis = alt.Axis(values=[0, 0.5, 1])
    base = alt.Chart(_data([vars(each) for each in bins]))
    ideal = base.mark_line(color=_FAINT, strokeDash=[3, 3]).encode(x=alt.X("ideal:Q"), y="ideal:Q")
    ideal = ideal.transform_calculate(both="[0, 1]").transform_flatten(["both"], as_=["ideal"])
    dots = base.mark_circle(color=_ACCENT, opacity=0.85).encode(
        x=alt.X("confidence:Q", title="confidence", scale=unit, axis=axis),
        y=alt.Y("score:Q", title="score", scale=unit, axis=axis),
        size=alt.Size("count:Q", legend=None, scale=alt.Scale(range=[12, 220])),
    )
    line = base.mark_line(color=_ACCENT).encode(x="confidence:Q", y="score:Q")
    systems = list(dict.fromkeys(each.system for each in bins))
    columns = 2 if len(systems) <= _FEW else 5  # as wide as a phone; more of them scroll
    header = alt.Header(labelColor=_INK, labelLimit=_LONGEST, labelFontSize=11)
    chart = alt.layer(ideal, line, dots).properties(width=110, height=110)
    return _svg(
        chart.facet(facet=alt.Facet("system:N", title=None, sort=systems, header=header), columns=columns), label
    )


def _spread(count: int) -> list[str]:
    """Return as many shades, from the lowest scores' to the highest's, as far apart as can be."""
    last = len(_SHADES) - 1
    return [_SHADES[round(place * last / max(1, count - 1))] for place in range(count)]


def _data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    """Return rows as data of a chart; an infinite limit is not drawn."""
    return alt.InlineData(values=[{key: _plain(value) for key, value in row.items()} for row in rows])


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _svg(chart: alt.TopLevelMixin, label: str) -> Markup:
    """Draw a chart, as one image to those who do not see it."""
    text: dict[str, Any] = {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    }
    styled = chart.configure(
        aria=False,  # it would repeat titles in attributes, where vl-convert does not escape quotation marks
        background="transparent",
        font="system-ui, sans-serif",
        axis=alt.AxisConfig(**text, gridColor=_LINE, domainColor=_LINE, tickColor=_LINE),
        legend=alt.LegendConfig(**text),
        view=alt.ViewConfig(stroke=None),
    )
    root = ET.fromstring(vl_convert.vegalite_to_svg(styled.to_dict()))  # noqa: S314 - written just now
    _without_ids(root)
    root.attrib.update({"role": "img", "aria-label": label})
    ET.register_namespace("", _SVG)
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - ElementTree escapes


def _without_ids(root: ET.Element) -> None:
    """Remove ids, which several charts of a page share, what refers to them, classes and roles of parts."""
    for element in root.iter():
        for name in [*element.attrib]:
            refers = re.match(r"url\(", element.attrib[name])
            if name == "id" or refers or name.startswith("aria-") or name in {"role", "class"}:
                del element.attrib[name]
