"""Length as requested: at least, at most or about a given number of words, sentences or paragraphs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.options import at_least, one_of
from openbench_scorers.responses import response
from openbench_scorers.text_counts import COUNTERS, Unit

Bound = Literal["min", "max", "approx"]

LENGTH_KEY = "length"
"""The key of a sample's metadata with the requested length: a mapping with any of `unit`, `bound` and `count`."""

TOLERANCE = 1 / 6


@dataclass(frozen=True)
class Length:
    """A requested length.

    Attributes:
        unit: `words`, `sentences` or `paragraphs`.
        bound: `min`, `max` or `approx`.
        count: The number of units.
        tolerance: The allowed deviation for `approx`, as a share of the count.

    Raises:
        UsageError: One of them is invalid.
    """

    unit: Unit
    bound: Bound
    count: int
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        one_of("unit", self.unit, COUNTERS)
        one_of("bound", self.bound, get_args(Bound))
        at_least("count", self.count, 1)
        at_least("tolerance", self.tolerance, 0)

    def met_by(self, count: int) -> bool:
        """Return whether a text of this length meets the request."""
        if self.bound == "approx":
            return abs(count - self.count) <= self.count * self.tolerance
        return count >= self.count if self.bound == "min" else count <= self.count


def score_length(completion: str, requested: Length) -> Score:
    """Check a completion's length.

    `fulfilled` is 1.0 or 0.0, higher is better; `min` and `max` include the count itself, and `approx` allows the
    tolerance. `deviation` is the distance of the length from the count, as a share of the count: 0 is exact. An empty
    response fulfils no request.

    Source: the length control of Aleph Alpha's eval-framework.

    Args:
        completion: The model's completion.
        requested: The requested length.
    """
    text = response(completion)
    count = COUNTERS[requested.unit](text)
    value = {
        "fulfilled": float(bool(text) and requested.met_by(count)),
        "deviation": abs(count - requested.count) / requested.count,
    }
    reason = None if text else unanswered(completion)
    return Score(value=value, answer=f"{count} {requested.unit}", reason=reason)


@scorer(
    metrics={"fulfilled": [mean(), stderr()], "deviation": [mean(), stderr()]},
    lower_is_better=["deviation"],
)
def length_control(
    unit: Unit | None = None, bound: Bound | None = None, count: int | None = None, tolerance: float = TOLERANCE
) -> Scorer:
    """Score with `score_length`.

    Args:
        unit: `words`, `sentences` or `paragraphs`.
        bound: `min`, `max` or `approx`.
        count: The number of units. A sample's metadata may override any of the three, in a mapping `length`.
        tolerance: The allowed deviation for `approx`, as a share of the count.

    Raises:
        UsageError: An option is invalid.
    """
    given = {"unit": unit, "bound": bound, "count": count}
    common = {name: value for name, value in given.items() if value is not None}
    _length({"unit": "words", "bound": "min", "count": 1, **common, "tolerance": tolerance})

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        own = state.metadata.get(LENGTH_KEY) or {}
        try:
            requested = _length({**common, "tolerance": tolerance, **own})
        except (UsageError, TypeError) as error:
            return unscored(f"the sample's metadata, {LENGTH_KEY}: {error}")
        return score_length(state.output.completion, requested)

    return score


def _length(requested: Mapping[str, Any]) -> Length:
    missing = [name for name in ("unit", "bound", "count") if name not in requested]
    if missing:
        raise UsageError(f"it lacks {' and '.join(missing)}. Set them there or as options of the scorer.")
    return Length(**requested)
