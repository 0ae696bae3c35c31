"""What the tests share: tasks of the sample rows, tasks of rows that a test makes up, and real runs."""

import gc
import json
import warnings
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

import openbench_mmlu.metadata
from openbench.baselines.reference import reference
from openbench.datasets import bundled_rows

SAMPLES = Path(openbench_mmlu.metadata.__file__).parent / "samples"


@pytest.fixture
def samples_directory():
    """Return the folder of the rows that the package brings."""
    return SAMPLES


@pytest.fixture
def sample_task():
    """Build a task of the sample rows."""

    def build(function, **arguments):
        with bundled_rows(SAMPLES / function.__name__):
            return function(**arguments)

    return build


@pytest.fixture
def task_of_rows(tmp_path):
    """Build a task of rows that the test gives by split."""

    def build(function, splits, **arguments):
        for split, rows in splits.items():
            (tmp_path / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        with bundled_rows(tmp_path):
            return function(**arguments)

    return build


@pytest.fixture
def reference_metrics(tmp_path):
    """Run a task with its own answers, and return the metrics."""

    def run(task):
        with warnings.catch_warnings():
            # inspect leaves memory streams unclosed; they must be collected while nobody minds.
            warnings.simplefilter("ignore", ResourceWarning)
            log = evaluate(task)
            gc.collect()
        assert log.status == "success", log.error
        return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}

    def evaluate(task):
        (log,) = inspect_eval(
            task,
            model="baseline/reference",
            solver=reference(),
            display="none",
            log_dir=str(tmp_path / "logs"),
        )
        return log

    return run
