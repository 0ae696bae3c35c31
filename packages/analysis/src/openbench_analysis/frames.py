"""Logs as data frames of pandas: a row for each run, and one for each sample."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from os import PathLike, fspath
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog

from openbench.errors import LogError
from openbench.run.identity import CONTENT_KEY
from openbench_analysis.figures import figures_of
from openbench_analysis.runs import Run, find_logs, read_runs
from openbench_dryrun.prices import Price

Place = str | PathLike[str] | EvalLog
"""A log, or where logs are: a path, a directory, an address or a pattern."""

_TEXTS = ("content", "input", "target", "answer", "explanation", "reason", "stop", "error", "limit")
_FIGURES = ("score", "confidence", "working_time")
_NAMES = ("log", "eval_id", "benchmark", "model")


@dataclass(frozen=True)
class Frames:
    """Logs as data frames. Columns that `inspect_ai.analysis` has too are named as there, so that frames can be joined.

    Texts (str) are of pandas' dtype `string`, in which what is missing is `NA`.

    Attributes:
        runs: A row for each log.

            - `log` (str): where it is; `eval_id` (str): its id in Inspect's frames
            - `benchmark`, `distribution`, `version` (str): what was run; the last two only in logs of openbench
            - `model`, `status` (str); `created` (datetime64, UTC)
            - `metric` (str): the headline metric; `higher_is_better` (bool)
            - `score` (float64): its value; NaN if the run did not end
            - `stderr`, `lower`, `upper` (float64): standard error and 95 % interval of the samples' mean score,
              clustered where the benchmark declares clusters; NaN if the metric is not such a mean
            - `samples`, `epochs` (int64): how many different samples, and how often each was to run
            - `errors`, `unscored`, `truncated` (int64): how many results, which are samples times epochs
            - `answered` (float64): the share of results without an error that hold an answer, from 0 to 1
            - `input_tokens`, `output_tokens` (int64): of the evaluated model
            - `cost` (float64): of all models, in the currency of the prices; NaN without prices
            - `seconds` (float64): for how long samples ran
        samples: A row for each sample in each epoch, in the order of the logs.

            - `log`, `eval_id`, `benchmark`, `model` (str): of its run
            - `id` (str), `epoch` (int64)
            - `content` (str): the digest of what the sample shows a model and is scored by: the same sample in two logs
              has the same; missing in logs of other programs
            - `input`, `target`, `answer`, `explanation` (str): their first 1,000 characters
            - `score` (float64): the value of the headline metric's scorer; NaN if missing
            - `reason` (str): why the score is not an ordinary one; `answered` (bool)
            - `stop` (str): what stopped the answer (`truncated`, `filtered`, `refused`, `context`)
            - `error`, `limit` (str): what ended the sample
            - `confidence` (float64): how sure the model was, from 0 to 1, if the log has it
            - `input_tokens`, `output_tokens` (int64): of the evaluated model
            - `working_time` (float64): seconds without waiting
            - `metadata_KEY` (object): the sample's metadata
        problems: A message on each log that could not be read.
    """

    runs: pd.DataFrame
    samples: pd.DataFrame
    problems: Sequence[str]


def load(places: Place | Iterable[Place], prices: Mapping[str, Price] | None = None) -> Frames:
    """Read logs of openbench or Inspect as data frames.

    Args:
        places: Paths, directories, addresses, patterns, or logs that `openbench.eval` returned.
        prices: The prices of models, for costs.

    Raises:
        UsageError: A place does not exist, or has no logs.
        LogError: None of the logs can be read.
    """
    named = [places] if isinstance(places, str | PathLike | EvalLog) else places
    found = find_logs([each.location if isinstance(each, EvalLog) else fspath(each) for each in named])
    runs, problems = read_runs(list(dict.fromkeys(path for paths in found.values() for path in paths)), prices)
    if not runs:
        raise LogError("\n".join(problems) or "No logs were named.")
    return frames_of(runs, problems)


def frames_of(runs: Sequence[Run], problems: Sequence[str] = ()) -> Frames:
    """Return runs as data frames."""
    rows = pd.DataFrame([_run(run) for run in runs])
    samples = pd.DataFrame([row for run in runs for row in _samples(run)])
    return Frames(
        rows.astype(dict.fromkeys([*_NAMES, "distribution", "version", "status", "metric"], "string")),
        samples.astype(dict.fromkeys([*_NAMES, "id", *_TEXTS], "string") | dict.fromkeys(_FIGURES, "float64")),
        list(problems),
    )


def _run(run: Run) -> dict[str, Any]:
    figures, provenance, headline = figures_of(run), run.provenance, run.headline
    return {
        **_names(run),
        "distribution": provenance.distribution,
        "version": provenance.version,
        "status": run.log.status,
        "created": pd.Timestamp(run.log.eval.created).tz_convert("UTC"),
        "metric": headline.name if headline else None,
        "higher_is_better": run.higher_is_better,
        "score": _number(figures.score),
        "stderr": figures.estimate.standard_error if figures.estimate else nan,
        "lower": figures.interval.low if figures.interval else nan,
        "upper": figures.interval.high if figures.interval else nan,
        "samples": figures.samples,
        "epochs": run.log.eval.config.epochs or 1,
        "errors": figures.errors,
        "unscored": figures.unscored,
        "truncated": figures.truncated,
        "answered": _number(figures.answered),
        "input_tokens": figures.input_tokens,
        "output_tokens": figures.output_tokens,
        "cost": _number(figures.cost),
        "seconds": figures.seconds,
    }


def _names(run: Run) -> dict[str, Any]:
    values = (run.location, run.log.eval.eval_id, run.benchmark, run.model)
    return dict(zip(_NAMES, values, strict=True))


def _samples(run: Run) -> Iterable[dict[str, Any]]:
    for result in run.results:
        yield {
            **_names(run),
            "id": str(result.id),
            "epoch": result.epoch,
            **{name: getattr(result, name) for name in _TEXTS[:3]},
            "score": result.score,
            "answered": result.answered,
            **{name: getattr(result, name) for name in _TEXTS[3:]},
            "confidence": result.confidence,
            "input_tokens": result.input_tokens,
            "output_tokens": result.output_tokens,
            "working_time": result.seconds,
            **{f"metadata_{key}": value for key, value in result.metadata.items() if key != CONTENT_KEY},
        }


def _number(value: float | None) -> float:
    return nan if value is None else value
