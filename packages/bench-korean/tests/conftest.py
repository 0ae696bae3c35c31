"""Fixtures: tasks built from the sample rows of the package, and their runs with models without an API."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample

import openbench_korean
from openbench.datasets import bundled_rows

SAMPLES = Path(openbench_korean.__file__).parent / "samples"


@pytest.fixture
def build() -> Callable[..., Task]:
    """Build a benchmark's task from its sample rows."""

    def built(function: Any, **arguments: Any) -> Task:
        with bundled_rows(SAMPLES / function.__name__):
            return function(**arguments)

    return built


@pytest.fixture
def samples(build: Callable[..., Task]) -> Callable[..., list[Sample]]:
    """Return the samples that a benchmark makes of its sample rows."""

    def of(function: Any, **arguments: Any) -> list[Sample]:
        return list(build(function, **arguments).dataset)

    return of


@pytest.fixture
def figures(tmp_path: Path) -> Callable[[Task, Any], dict[str, float]]:
    """Run a task with a constant answer or a model, and return the metrics by name."""

    def run(task: Task, answer: Any) -> dict[str, float]:
        constant = {"model": "baseline/constant", "model_args": {"answer": answer}}
        model = constant if isinstance(answer, str) else {"model": answer}
        (log,) = inspect_eval(task, **model, display="none", log_dir=str(tmp_path))
        assert log.status == "success", log.error
        return {
            name.rpartition("/")[2]: metric.value
            for score in log.results.scores
            for name, metric in score.metrics.items()
        }

    return run
