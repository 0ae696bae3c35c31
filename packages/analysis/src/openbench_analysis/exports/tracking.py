"""The settings and figures of a run that experiment trackers receive."""

import importlib
import os
from math import isfinite
from typing import Any

from openbench.errors import UsageError
from openbench.redaction import redacted
from openbench_analysis.exports.origin import generation_of, origin_of
from openbench_analysis.exports.tables import results_row
from openbench_analysis.runs import Run

_FIGURES = ("score", "stderr", "samples", "errors", "unanswered", "truncated", "cost", "seconds")
_TOKENS = ("input_tokens", "output_tokens")


def settings_of(run: Run) -> dict[str, Any]:
    """Return what describes a run: benchmark, model, provenance, arguments and generation settings; no secrets."""
    spec, row = run.log.eval, results_row(run)
    own = {name: row[name] for name in ("benchmark", "model", "metric", "higher_is_better", "status", "created", "log")}
    arguments = redacted({"task_args": spec.task_args_passed, "model_args": spec.model_args})
    return {**own, "eval_id": spec.eval_id, **origin_of(run), **arguments, "generate_config": generation_of(run)}


def figures_of(run: Run) -> dict[str, float]:
    """Return a run's figures by name, without those that it does not have; metrics are `SCORER/METRIC`."""
    row = results_row(run)
    figures = {name: row[name] for name in (*_FIGURES, *_TOKENS) if row[name] is not None}
    for scorer, metrics in run.summary.metrics.items():
        figures |= {f"{scorer}/{name}": value for name, value in metrics.items() if isfinite(value)}
    return {name: float(value) for name, value in figures.items()}


def load_extra(extra: str) -> Any:
    """Import the library of an extra, which then reports nothing of its own use.

    Raises:
        UsageError: It is not installed.
    """
    os.environ.setdefault("DO_NOT_TRACK", "true")  # read by MLflow
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    try:
        return importlib.import_module(extra)
    except ModuleNotFoundError as error:
        if error.name != extra:
            raise
        raise UsageError(f"bench export {extra} needs a library: pip install 'openbench-analysis[{extra}]'") from error
