import shutil

import pytest
from inspect_ai.log import (
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from openbench_analysis.report.page import render
from openbench_analysis.study import study
from openbench_analysis.systems import read_systems

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PROVENANCE = {
    "benchmark": "quiz",
    "distribution": "acme-quiz",
    "version": "2.1.0",
    "dataset": {"source": "acme/quiz", "split": "test", "revision": "0123abc", "rows": 40, "sha256": "f" * 64},
    "scorers": [{"name": "choice", "arguments": {}}],
}


@pytest.fixture(scope="session")
def make_sample():
    def make(number, value, *, answer="A", text="It is A.", **fields):
        score = {"answer": answer, "explanation": text, **fields.pop("score", {})}
        return EvalSample(
            id=fields.pop("id", f"q{number}"),
            epoch=fields.pop("epoch", 1),
            input=fields.pop("input", f"Question {number}?"),
            target=fields.pop("target", "A"),
            messages=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content=f"Question {number}?")],
            output=ModelOutput.from_content("m", text),
            scores=None if "error" in fields else {"choice": Score(value=value, **score)},
            metadata={"openbench_content": f"quiz {number}", "subject": f"s{number % 3}", **fields.pop("metadata", {})},
            working_time=1.0,
            **fields,
        )

    return make


@pytest.fixture(scope="session")
def write_log():
    def write(path, model, samples, *, task="quiz", metric="accuracy", **fields):
        values = [each.scores["choice"].value for each in samples if each.scores]
        known = [float(value) for value in values if value == value]  # noqa: PLR0124 - NaN is not itself
        tokens = ModelUsage(input_tokens=1_000, output_tokens=500, total_tokens=1_500)
        provenance = fields.pop("provenance", PROVENANCE)
        mean = EvalMetric(name=metric, value=sum(known) / len(known))
        log = EvalLog(
            status=fields.pop("status", "success"),
            eval=EvalSpec.model_validate(
                {
                    "created": "2026-11-20T12:00:00+00:00",
                    "task": task,
                    "model": model,
                    "dataset": {"name": task, "samples": len(samples)},
                    "config": {},
                    "metadata": {"openbench": {**provenance, "benchmark": task}} if provenance else {},
                    "scorers": [
                        {"name": "choice", "metrics": [{"name": "grouped", "options": {"group_key": "subject"}}]}
                    ],
                }
            ),
            results=EvalResults(
                total_samples=len(samples),
                completed_samples=len(values),
                scores=[EvalScore(name="choice", scorer="choice", metrics={metric: mean})],
            ),
            stats=EvalStats(
                started_at="2026-11-20T12:00:00+00:00",
                completed_at=fields.pop("completed_at", "2026-11-20T12:01:00+00:00"),
                model_usage={model: tokens},
            ),
            samples=samples,
        )
        write_eval_log(log, str(path))

    return write


@pytest.fixture(scope="session")
def failed():
    return {"error": EvalError(message="the server hung up", traceback="", traceback_ansi="")}


@pytest.fixture(scope="session")
def page_of():
    """Return a function from places to the page that shows their logs."""

    def page(*places, samples=50, **options):
        collection = read_systems(list(map(str, places)))
        return render(study(collection.systems, pairwise=True), collection.problems, samples=samples, **options)

    return page


@pytest.fixture(scope="session")
def logs(tmp_path_factory, make_sample, write_log, failed):
    """The logs of three models on two benchmarks: good, middling and bad, with every failure."""
    folder = tmp_path_factory.mktemp("logs")
    for task in ("quiz", "riddles"):
        for name, share in (("acme/good", 0.9), ("acme/middling", 0.6), ("acme/bad", 0.2)):
            samples = [make_sample(number, float(number % 10 < share * 10)) for number in range(40)]
            if name == "acme/bad":
                samples[1] = make_sample(1, 0.0, **failed)
                samples[2] = make_sample(2, float("nan"), score={"reason": "grader_failed"})
                samples[3] = make_sample(3, 0.0, answer="", text="Hmm", score={"reason": "no_response"})
                samples[4] = make_sample(4, 0.0, score={"metadata": {"stop_reason": "truncated"}})
            write_log(folder / f"{name.replace('/', '_')}_{task}.eval", name, samples, task=task)
    return folder
