"""The schema of a result: the figures of one run, without its samples."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT: Final = "openbench-result/1"
"""The first key of a result. A later number means that a reader of this one would misread it; further keys may come."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, ser_json_inf_nan="null")


class Limits(_Part):
    """A confidence interval, in the unit of the score."""

    low: float | None
    """The lower limit; null where nothing bounds it."""
    high: float | None
    """The upper limit."""
    level: float
    """The confidence level."""
    method: str
    """The name of the method."""


class Headline(_Part):
    """The headline metric."""

    metric: str
    """Its name, with the reducer of epochs unless that is the mean: `accuracy`, `accuracy pass@2`."""
    value: float
    """Its value."""
    higher_is_better: bool = True
    """Its direction."""
    standard_error: float | None = None
    """Its standard error, clustered where the benchmark declares a cluster; null if it is unknown."""
    degrees: float | None = None
    """The degrees of freedom of the standard error."""
    interval: Limits | None = None
    """Its interval; null where the metric is not a mean of the samples' scores."""


class Samples(_Part):
    """Counts of the samples' outcomes. All but the first two count samples times epochs."""

    samples: int
    """How many samples there are."""
    scored: int
    """How many of these have a score."""
    epochs: int = 1
    """How often each was run."""
    errors: int = 0
    """How many ended in an error."""
    unscored: int = 0
    """How many have no score, without an error."""
    answered: float | None = None
    """The share that holds an answer, of those without an error."""
    truncated: int = 0
    """How many answers were cut off at the token limit."""
    refused: int = 0
    """How many answers the model refused to give."""
    limits: int = 0
    """How many reached a limit of time, tokens or messages."""


class Category(_Part):
    """The samples of one category."""

    mean: float
    """Their mean score."""
    samples: int
    """How many of them have a score."""


class Usage(_Part):
    """The run's time, tokens and cost."""

    input_tokens: int = 0
    """Tokens read, over all models."""
    output_tokens: int = 0
    """Tokens written."""
    cost: float | None = None
    """Their cost, in the currency of the prices; null without prices."""
    seconds: float = 0.0
    """For how long samples ran."""


class Settings(_Part):
    """How the benchmark was run."""

    arguments: Mapping[str, Any] = {}
    """The arguments of the task that were given."""
    generation: Mapping[str, Any] = {}
    """How the models generated: temperature, token limits and so on."""
    limit: int | Sequence[int] | None = None
    """The samples that `--limit` left; null for all."""
    roles: Mapping[str, Sequence[str]] = {}
    """The models in other roles, such as the grader."""


class Source(_Part):
    """The software and settings that produced the figures; null where a log lacks them."""

    distribution: str | None = None
    """Who provides the benchmark."""
    core: str | None = None
    """The version of openbench-core."""
    inspect: str | None = None
    """The version of inspect-ai."""
    dataset: Mapping[str, Any] = {}
    """The rows: `source`, `config`, `split`, `revision`, `rows` (how many) and their `sha256`."""
    sample_rows: bool = False
    """Whether the rows are the few that the benchmark's package ships."""
    prompt: str | None = None
    """The digest of what the samples show a model."""
    scorers: Sequence[Mapping[str, Any]] = ()
    """The scorers: `name`, `arguments`, `distribution` and `version`."""
    code: Mapping[str, str] = {}
    """The digests of what was installed from a folder rather than a release, by distribution."""


class Result(_Part):
    """One model's run of one benchmark, in figures."""

    format: Literal["openbench-result/1"] = FORMAT
    """The version of this schema."""
    model: str
    """The model, or the label that the result was added under."""
    benchmark: str
    """The benchmark's key."""
    version: str | None
    """The version of the distribution that provides it; null where the log does not say."""
    date: str
    """When the run began."""
    run: str
    """The id of the run's log."""
    score: Headline
    """The headline metric."""
    metrics: Mapping[str, Mapping[str, float | None]] = {}
    """All metrics by scorer and name; null where one is not a number."""
    categories: Mapping[str, Mapping[str, Category]] = {}
    """The categories by the key of the samples' metadata, where the benchmark reports some."""
    samples: Samples
    """Counts of the samples' outcomes."""
    usage: Usage = Field(default_factory=Usage)
    """The run's time, tokens and cost."""
    settings: Settings = Field(default_factory=Settings)
    """How the benchmark was run."""
    source: Source = Field(default_factory=Source)
    """The software and settings that produced the figures."""

    @property
    def name(self) -> str:
        """The benchmark with its version."""
        return f"{self.benchmark}@{self.version}" if self.version else self.benchmark

    @property
    def major(self) -> str | None:
        """The major version: scores of different ones cannot be compared."""
        return self.version.partition(".")[0] if self.version else None

    def metric(self, name: str) -> tuple[float, float | None] | None:
        """Return a metric and its standard error; None if the metric is missing or not a number.

        Args:
            name: The metric's name, with its scorer before a slash where several report it.
        """
        if name == self.score.metric:
            return self.score.value, self.score.standard_error
        found = [
            (figures, key)
            for scorer, figures in self.metrics.items()
            for key in figures
            if name in {key, f"{scorer}/{key}"}
        ]
        if len(found) != 1:
            return None
        figures, key = found[0]
        value, error = figures[key], figures.get("stderr" if key in {"accuracy", "mean"} else f"{key}_stderr")
        return None if value is None or not isfinite(value) else (value, error)

    def text(self) -> str:
        """Return the result as JSON: the same bytes for the same run."""
        data = self.model_dump(mode="json")
        first = {name: data.pop(name) for name in ("format", "model", "benchmark", "version", "date", "run", "score")}
        return json.dumps({**first, **_sorted(data)}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _sorted(value: Any) -> Any:
    """Return data whose mappings are in the order of their keys."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value
