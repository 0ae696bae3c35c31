"""What these tests share: `bench` in processes of its own, and logs with known scores."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from openbench.run.identity import CONTENT_KEY
from openbench_testing.commands import Bench
from openbench_testing.commands.fixtures import quiz

__all__ = ["quiz"]

PRELOADED = ("openbench_analysis.audit.audit", "openbench_analysis.planning", "openbench_analysis.report.page")
"""They import numpy, scipy, pandas and Altair, which takes most commands longer than their work."""

MakeLog = Callable[..., Path]


def made_log(
    path: Path,
    scores: Mapping[str, Sequence[Any]],
    *,
    model: str = "local/a",
    benchmark: str = "quiz",
    clusters: Mapping[str, str] | None = None,
    metric: str = "accuracy",
    metadata: Mapping[str, Any] | None = None,
    **fields: Mapping[str, Mapping[str, Any]],
) -> Path:
    """Write a log.

    Args:
        path: Where to.
        scores: The values of each sample's epochs, by its id.
        model: The model.
        benchmark: The task.
        clusters: The cluster of each sample, which the benchmark declares.
        metric: The headline metric.
        metadata: That of the run.
        fields: Values of fields of a sample by its id: of `EvalSample`, or of `Score` (`answer`, `reason`, …).
    """
    metrics = [{"name": "inspect_ai/stderr", "options": {"cluster": "group"} if clusters else {}}]
    epochs = max(map(len, scores.values()))
    spec = EvalSpec(
        scorers=[{"name": "match", "metrics": metrics}],
        created="2026-01-01T00:00:00Z",
        task=benchmark,
        dataset=EvalDataset(samples=len(scores), sample_ids=list(scores)),
        model=model,
        config=EvalConfig(epochs=epochs),
        metadata=dict(metadata or {}),
    )
    samples = []
    for id_, values in scores.items():
        own = {name: by_id[id_] for name, by_id in fields.items() if id_ in by_id}
        of_score = {name: own.pop(name) for name in ("answer", "reason", "explanation") if name in own}
        of_score_metadata = own.pop("score_metadata", None)
        of_sample = own.pop("metadata_of", {})
        for epoch, value in enumerate(values, 1):
            score = Score.unscored(**of_score) if value is None else Score(value=value, **of_score)
            score.metadata = of_score_metadata
            given = {
                "input": f"Question {id_}?",
                "target": "A",
                "metadata": {
                    CONTENT_KEY: f"digest of {id_}",
                    **({"group": clusters[id_]} if clusters else {}),
                    **of_sample,
                },
                "output": ModelOutput.from_content(model, "Answer: A"),
                **own,
            }
            samples.append(EvalSample(id=id_, epoch=epoch, messages=[], scores={"match": score}, **given))
    known = [value for values in scores.values() for value in values if value is not None]
    mean = sum(1.0 if value == "C" else 0.0 if value == "I" else float(value) for value in known) / max(len(known), 1)
    results = EvalResults(
        total_samples=len(samples),
        completed_samples=len(samples),
        scores=[EvalScore(name="match", scorer="match", metrics={metric: EvalMetric(name=metric, value=mean)})],
    )
    write_eval_log(EvalLog(status="success", eval=spec, results=results, samples=samples), str(path))
    return path


def changed_log(path: Path, change: Callable[[EvalLog], Any]) -> Path:
    """Write a log again after a change."""
    log = read_eval_log(str(path))
    change(log)
    write_eval_log(log, str(path))
    return path


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """`bench` command lines in separate processes."""
    return Bench(tmp_path_factory.mktemp("bench"), PRELOADED)


@pytest.fixture
def make_log(tmp_path: Path) -> MakeLog:
    """A function that writes a log into the test's folder, under a name."""
    return lambda name, *args, **kwargs: made_log(tmp_path / name, *args, **kwargs)
