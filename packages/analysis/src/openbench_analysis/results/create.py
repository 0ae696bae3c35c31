"""Makes a result of a run."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import fsum, isfinite
from pathlib import PurePosixPath
from typing import Any

from openbench.errors import LogError
from openbench.redaction import redacted
from openbench_analysis.figures import RunFigures, figures_of
from openbench_analysis.results.schema import (
    Category,
    Headline,
    Limits,
    Result,
    Samples,
    Settings,
    Source,
    Usage,
)
from openbench_analysis.runs import Run
from openbench_analysis.statistics import Interval

_TRANSPORT = {
    *("adaptive_connections", "attempt_timeout", "batch", "cache", "extra_headers", "max_connections", "max_retries"),
    *("stream_idle_timeout", "timeout"),
}
_PATH = re.compile(r"(?:file://|~|\.{1,2})?[/\\]|[A-Za-z]:[/\\]")
_MODEL_PATH = re.compile(r"/(?=/|~|\.{1,2}/|[A-Za-z]:[/\\])")


def result_of(run: Run, *, label: str | None = None, level: float = 0.95) -> Result:
    """Return the result of a run, without paths of this machine and without secrets.

    Args:
        run: The run.
        label: What it is called in place of the model's name.
        level: The confidence level of the interval.

    Raises:
        LogError: The run is not complete, or has no score that is a number.
    """
    figures = figures_of(run, level=level)
    _check(run)
    return Result(
        model=label or portable_model(run.model),
        benchmark=run.benchmark,
        version=run.provenance.version,
        date=run.log.eval.created,
        run=run.log.eval.eval_id,
        score=_headline(run, figures),
        metrics={
            scorer: {name: value if isfinite(value) else None for name, value in of.items()}
            for scorer, of in run.summary.metrics.items()
        },
        categories={key: dict(_categories(run, key)) for key in run.category_keys},
        samples=_samples(run, figures),
        usage=Usage(
            input_tokens=run.summary.input_tokens,
            output_tokens=run.summary.output_tokens,
            cost=run.summary.cost,
            seconds=round(run.summary.seconds, 3),
        ),
        settings=_settings(run),
        source=_source(run),
    )


def portable_model(name: str) -> str:
    """Return a model's name in which the path of a folder is only its last part: `hf//home/me/m` is `hf/m`."""
    parts = _MODEL_PATH.split(name, maxsplit=1)
    return name if len(parts) == 1 else f"{parts[0]}/{_last(parts[1])}"


def portable(value: Any) -> Any:
    """Return data in which the paths of files are only their last parts."""
    if isinstance(value, str):
        return _last(value) if _PATH.match(value) else value
    if isinstance(value, Mapping):
        return {str(key): portable(each) for key, each in value.items()}
    return [portable(each) for each in value] if isinstance(value, list | tuple) else value


def _check(run: Run) -> None:
    if run.log.status != "success":
        raise LogError(
            f"{run.location}: its status is {run.log.status}: a result is of a complete run. Resume it with "
            "bench eval-retry."
        )
    if run.headline is None or not isfinite(run.headline.value):
        raise LogError(f"{run.location} has no score that is a number. Score it with bench score.")


def _headline(run: Run, figures: RunFigures) -> Headline:
    headline, interval, estimate = run.headline, figures.interval, figures.estimate
    assert headline  # noqa: S101 - checked before
    known = headline.stderr if estimate is None else estimate.standard_error if estimate.degrees else None
    return Headline(
        metric=headline.name,
        value=headline.value,
        higher_is_better=headline.higher_is_better,
        standard_error=known,
        degrees=round(estimate.degrees, 6) if estimate else None,
        interval=_limits(interval) if interval else None,
    )


def _limits(interval: Interval) -> Limits:
    return Limits(low=_finite(interval.low), high=_finite(interval.high), level=interval.level, method=interval.method)


def _categories(run: Run, key: str) -> Iterator[tuple[str, Category]]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for id_, score in run.scores.items():
        if isfinite(score):
            scores[str(run.items[id_][0].metadata.get(key, "(none)"))].append(score)
    for name, of in sorted(scores.items()):
        yield name, Category(mean=fsum(of) / len(of), samples=len(of))


def _samples(run: Run, figures: RunFigures) -> Samples:
    return Samples(
        samples=figures.samples,
        scored=figures.scored,
        epochs=run.log.eval.config.epochs or 1,
        errors=figures.errors,
        unscored=figures.unscored,
        answered=figures.answered,
        truncated=figures.truncated,
        refused=figures.refused,
        limits=figures.limits,
    )


def _settings(run: Run) -> Settings:
    spec = run.log.eval
    given = spec.task_args_passed or {}
    configs = (run.log.plan.config, spec.model_generate_config)
    generation = {
        name: value for config in configs for name, value in config.model_dump(mode="json", exclude_none=True).items()
    }
    roles = {
        role: [portable_model(each.model) for each in (of if isinstance(of, list) else [of])]
        for role, of in (spec.model_roles or {}).items()
    }
    return Settings(
        arguments=portable(redacted(given)),
        generation=portable(redacted({name: generation[name] for name in generation.keys() - _TRANSPORT})),
        limit=spec.config.limit,
        roles=roles,
    )


def _source(run: Run) -> Source:
    provenance = run.provenance
    return Source(
        distribution=provenance.distribution,
        core=provenance.core or None,
        inspect=(run.log.eval.packages or {}).get("inspect_ai"),
        dataset=portable(redacted(dict(provenance.dataset))),
        sample_rows=provenance.sample,
        prompt=provenance.prompt or None,
        scorers=[portable(redacted(_scorer(each))) for each in provenance.scorers],
        code={name: str(each.get("sha256")) for name, each in provenance.local.items()},
    )


def _scorer(described: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: described.get(key) for key in ("name", "arguments", "distribution", "version")}


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _last(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name or path
