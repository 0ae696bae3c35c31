"""What the tests of results, leaderboards and gates share: logs with known scores, and `bench`."""

from pathlib import Path

import pytest
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from openbench.run.identity import CONTENT_KEY
from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]

ERROR = "error"
GROUPS = ["even", "odd"]


def provenance(benchmark, version="1.2.0", **changes):
    return {
        "benchmark": benchmark,
        "distribution": f"openbench-{benchmark}",
        "version": version,
        "core": "1.0.0",
        "dataset": {"source": "org/quiz", "revision": "0" * 40, "rows": 4, "sha256": "1" * 64},
        "prompt": "2" * 64,
        "scorers": [{"name": "inspect_ai/match", "arguments": {}, "distribution": "inspect-ai", "version": "1"}],
        "seconds": 12.5,
        **changes,
    }


def _sample(number, epoch, value, model, stop):
    error = {"message": "no answer", "traceback": "", "traceback_ansi": ""} if value == ERROR else None
    score = Score.unscored() if value is None else Score(value=value, answer="A")
    output = ModelOutput.from_content(model, "A", stop_reason="max_tokens" if number in stop else "stop")
    if number in stop:
        score.metadata = {"stop_reason": "truncated"}
    return EvalSample(
        id=number,
        epoch=epoch,
        input=f"Question {number}?",
        target="A",
        messages=[],
        output=output,
        metadata={CONTENT_KEY: f"digest {number}", "group": GROUPS[number % 2]},
        scores=None if error else {"match": score},
        error=error,
    )


@pytest.fixture
def write_run(tmp_path):
    """A function that writes the log of a model's scores, one a sample or a list of one for each epoch."""

    def write(
        name,
        scores,
        *,
        model="local/a",
        benchmark="quiz",
        metric="accuracy",
        value=None,
        metrics=(),
        created="2026-01-01T00:00:00+00:00",
        status="success",
        args=None,
        limit=None,
        temperature=None,
        roles=None,
        truncated=(),
        source=None,
        ours=True,
    ):
        epochs = [each if isinstance(each, list) else [each] for each in scores]
        samples = [
            _sample(number, epoch, each, model, truncated)
            for number, of in enumerate(epochs)
            for epoch, each in enumerate(of, 1)
        ]
        known = [each for of in epochs for each in of if isinstance(each, int | float)]
        figures = {metric: sum(known) / max(len(known), 1) if value is None else value, **dict(metrics)}
        spec = EvalSpec(
            eval_id=f"id of {name}",
            created=created,
            task=benchmark,
            task_args=args or {},
            task_args_passed=args or {},
            dataset=EvalDataset(samples=len(scores)),
            model=model,
            model_roles=roles,
            model_generate_config=GenerateConfig(temperature=temperature, max_connections=7),
            config=EvalConfig(epochs=max(map(len, epochs)), limit=limit),
            scorers=[{"name": "match", "metrics": [{"name": "openbench/grouped", "options": {"group_key": "group"}}]}],
            metadata={"openbench": source or provenance(benchmark)} if ours else {},
        )
        scored = EvalScore(
            name="match",
            scorer="match",
            metrics={key: EvalMetric(name=key, value=each) for key, each in figures.items()},
        )
        log = EvalLog(
            status=status,
            eval=spec,
            plan=EvalPlan(config=GenerateConfig(max_tokens=100)),
            stats=EvalStats(model_usage={model: ModelUsage(input_tokens=1000, output_tokens=10)}),
            results=EvalResults(
                total_samples=len(samples),
                completed_samples=sum(sample.error is None for sample in samples),
                scores=[scored],
            ),
            samples=samples,
        )
        path = Path(tmp_path / name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, str(path))
        return path

    return write
