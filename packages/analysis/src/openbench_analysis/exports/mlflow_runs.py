"""`bench export mlflow`: a run of MLflow for each log."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from openbench.errors import OpenbenchError
from openbench.redaction import redacted_text
from openbench_analysis.exports.tables import SAMPLES, samples_rows, write_table
from openbench_analysis.exports.tracking import figures_of, load_extra, settings_of
from openbench_analysis.runs import Run

_EVAL_ID = "openbench.eval_id"
_MOST = 5_000  # characters of a tag


def log_to_mlflow(runs: Sequence[Run], *, experiment: str, tracking_uri: str, samples: bool = False) -> Iterator[str]:
    """Log runs, and yield `EXPERIMENT/RUN` for each, with MLflow's ids.

    A run has the id of its log as a tag, by which it is found again, so that a log is never there twice. What describes
    it is in tags, since parameters cannot be written again.

    Args:
        runs: The runs.
        experiment: The experiment's name; it is created if it does not exist.
        tracking_uri: The address of the tracking server.
        samples: Whether to log `samples.parquet` as an artifact as well.

    Raises:
        UsageError: mlflow is not installed.
        OpenbenchError: It refuses.
    """
    mlflow = load_extra("mlflow")
    try:
        client = mlflow.MlflowClient(tracking_uri=tracking_uri)
        found = client.get_experiment_by_name(experiment)
        where = found.experiment_id if found else client.create_experiment(experiment)
        for run in runs:
            yield f"{where}/{_log(client, where, run, samples=samples)}"
    except mlflow.exceptions.MlflowException as error:
        raise OpenbenchError(f"MLflow: {redacted_text(str(error))}") from error


def _log(client: Any, experiment: str, run: Run, *, samples: bool) -> str:
    stats, eval_id = run.log.stats, run.log.eval.eval_id
    there = client.search_runs([experiment], filter_string=f"tags.`{_EVAL_ID}` = '{eval_id}'")
    if there:
        run_id = str(there[0].info.run_id)
    else:
        name = f"{run.benchmark} {run.model}"
        made = client.create_run(experiment, _milliseconds(stats.started_at), {_EVAL_ID: eval_id}, name)
        run_id = str(made.info.run_id)
    for name, value in settings_of(run).items():
        if value is not None:
            client.set_tag(run_id, name, (value if isinstance(value, str) else json.dumps(value))[:_MOST])
    for name, figure in figures_of(run).items():
        client.log_metric(run_id, name, figure)
    if samples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "samples.parquet"
            write_table(path, SAMPLES, samples_rows(run))
            client.log_artifact(run_id, str(path))
    status = "FINISHED" if run.log.status == "success" else "FAILED"
    client.set_terminated(run_id, status, _milliseconds(stats.completed_at))
    return run_id


def _milliseconds(time: str) -> int | None:
    return int(datetime.fromisoformat(time).timestamp() * 1000) if time else None
