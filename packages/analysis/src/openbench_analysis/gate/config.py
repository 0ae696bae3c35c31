"""The TOML file of a gate: rules for each benchmark."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from openbench.errors import UsageError
from openbench_analysis.toml_settings import SettingsTable, read_settings

Share = Annotated[float, Field(ge=0, le=1)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Rules(SettingsTable):
    """The rules of one benchmark; those that are not given do not count.

    Attributes:
        margin: The candidate is worse than the baseline by less than this, in the unit of the score.
        floor: The score is above this.
        ceiling: The score is below this, where lower is better.
        exact: Whether the plain score is held against the floor or ceiling, in place of its interval.
        min_answered: The least share of completed samples that hold an answer.
        max_truncated: The largest share of answers that were cut off at the token limit.
        max_cost: The most that the run costs, in the currency of the prices.
        max_seconds: The longest that its samples run.
    """

    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    floor: Annotated[float, Field(allow_inf_nan=False)] | None = None
    ceiling: Annotated[float, Field(allow_inf_nan=False)] | None = None
    exact: bool = False
    min_answered: Share | None = None
    max_truncated: Share | None = None
    max_cost: Amount | None = None
    max_seconds: Amount | None = None

    @model_validator(mode="after")
    def _some(self) -> "Rules":
        rules = self.model_dump(exclude={"exact"}, exclude_none=True)
        if not rules:
            raise ValueError("it has no rule")
        if self.exact and not {"floor", "ceiling"} & {*rules}:
            raise ValueError("exact is of a floor or a ceiling, and there is neither")
        if {"floor", "ceiling"} <= {*rules}:
            raise ValueError("expected a floor where higher is better, or a ceiling where lower is; received both")
        return self


class GateSettings(SettingsTable):
    """A gate.

    Attributes:
        baseline: Where the baseline's logs are, unless the command line says; seen from the working directory.
        benchmarks: The rules by benchmark.
    """

    baseline: str | None = None
    benchmarks: Annotated[Mapping[str, Rules], Field(min_length=1)]


def read_gate(path: Path) -> GateSettings:
    """Read the TOML file of a gate.

    Raises:
        UsageError: It cannot be read, a key is unknown, a value is invalid, or it has no rules.
    """
    return read_settings(path, GateSettings)


def needs_baseline(settings: GateSettings, baseline: Sequence[str] | None) -> Sequence[str]:
    """Return where the baseline's logs are; nothing if no rule needs them.

    Args:
        settings: The gate.
        baseline: The places on the command line.

    Raises:
        UsageError: A rule needs them, and they are not named.
    """
    with_margin = [name for name, rules in settings.benchmarks.items() if rules.margin is not None]
    places = baseline or ([settings.baseline] if settings.baseline else [])
    if with_margin and not places:
        raise UsageError(
            f"{with_margin[0]}: margin is of a baseline, and none is named. Use --baseline LOGS, or baseline = "
            '"LOGS" in the file.'
        )
    return places if with_margin else []
