"""What a benchmark's own scorers and metrics may do: every way to run gives the results that inspect's engine gives."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai import Epochs, Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    accuracy,
    mean,
    metric,
    score,
    score_reducer,
    scorer,
)
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import store

from openbench.run.plan import EvalOptions, Plan
from openbench.tasks.solvers import static
from openbench_fast.engines import run_journalled
from openbench_fast.inspect_bootstrap import begin

WAYS = {"inspect": ("inspect", 1), "direct": ("direct", 1), "two processes": ("direct", 2)}


BROKEN = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes, metric
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Broken", "Its metric fails.", "made", [], __name__, "broken")

@metric
def failing():
    return lambda scores: 1 / 0

@task
def broken():
    samples = [Sample("One?", target="1"), Sample("Two?", target="2")]
    return Task(dataset=samples, scorer=includes(), metrics=[failing()])
"""


def constant(value: float) -> Metric:
    """A metric of the same name as every other that this makes."""

    @metric(name="constant")
    def made() -> Metric:
        return lambda scores: value  # noqa: ARG005 - inspect's signature

    return made()


@metric
def weighted(weight: Callable[[int], float]) -> Metric:
    def of(scores: list[SampleScore]) -> float:
        return weight(len(scores))

    return of


@metric
def failing() -> Metric:
    def of(scores: list[SampleScore]) -> float:
        return 1 / (len(scores) - len(scores))

    return of


@score_reducer
def last(plus: int = 0) -> ScoreReducer:
    return lambda scores: Score(value=scores[-1].as_float() + plus)


def scored(name: str, metrics: Any, value: Callable[[TaskState], Any] = lambda _: 1) -> Scorer:
    @scorer(metrics=metrics, name=name)
    def made() -> Scorer:
        async def of(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001 - inspect's signature
            found = value(state)
            return Score(value=found) if isinstance(found, int) else found

        return of

    return made()


def visits(state: TaskState) -> int:
    """Count in the store of the sample, which nothing but the sample's own scorers has seen."""
    seen = int(store().get("visits", 0)) + 1
    store().set("visits", seen)
    assert state.store.get("visits") == seen
    return seen


def two_values(_: TaskState) -> Score:
    return Score(value={"a": 2, "b": 0})


def cancelling(state: TaskState) -> int:
    if state.sample_id == "q1":
        raise asyncio.CancelledError("of its own accord")
    return 1


@static
@solver
def looking_ahead() -> Solver:
    """Keep in the store what the scorers say of an answer."""

    async def solve(state: TaskState, generate: Any) -> TaskState:
        state = await generate(state)
        store().set("ahead", [each.value for each in await score(state)])
        return state

    return solve


def made(scorers: list[Scorer], **more: Any) -> Task:
    samples = [Sample(f"Question {number}?", target="A", id=f"q{number}") for number in range(4)]
    return Task(dataset=MemoryDataset(samples, name="made"), scorer=scorers, name="made", **more)


def values(log: EvalLog) -> list[float]:
    return [each.value for found in log.results.scores for each in found.metrics.values()]


@pytest.fixture(params=WAYS)
def run(request, engine_cases, tmp_path):
    """Run a task in one of the ways."""
    engine, processes = WAYS[request.param]

    def of(task: Callable[[], Task], **options: Any) -> EvalLog:
        return engine_cases.run(engine, task(), str(tmp_path), processes=processes, **options)

    return of


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (lambda: made([scored("one", [constant(1)]), scored("two", [constant(2)])]), [1, 2]),
        (lambda: made([scored("one", [weighted(lambda count: count * 7)])]), [28]),
        (lambda: made([scored("same", [mean()]), scored("same", [mean()], lambda _: 3)]), [1, 3]),
        (lambda: made([scored("one", [mean()])], metrics=[constant(5)]), [5]),
        (lambda: made([scored("one", [mean()])], epochs=Epochs(2, last(4))), [5]),
        (lambda: made([scored("one", [mean()], visits)]), [1]),
        (lambda: made([scored("one", [mean()], visits), scored("two", [mean()], visits)]), [1, 2]),
        (lambda: made([scored("one", {"a": [mean()], "b": [constant(9)]}, two_values)]), [2, 9]),
    ],
    ids=["one name", "a function", "scorers of one name", "the task's", "a reducer", "store", "two stores", "by key"],
)  # fmt: skip
def test_metrics_are_the_task_s_own(run, task, expected):
    assert values(run(task)) == expected


def test_the_log_has_what_scorers_keep(run):
    log = run(lambda: made([scored("one", [mean()], visits)]))
    assert [sample.store["visits"] for sample in log.samples] == [1, 1, 1, 1]


def test_solvers_may_ask_the_scorers(run):
    log = run(lambda: made([scored("one", [mean()], lambda _: 6)], solver=looking_ahead()))
    assert [sample.store["ahead"] for sample in log.samples] == [[6]] * 4


def test_no_score_at_all_is_no_silence(run):
    log = run(lambda: made([scored("none", [accuracy()], lambda _: None)]))
    [found] = log.results.scores
    assert (found.name, found.scored_samples, log.status) == ("none", 0, "success")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda state: "no score" if state.sample_id == "q1" else 1, "Score"),
        (cancelling, "of its own accord"),
    ],
    ids=["something else", "a cancellation"],
)
def test_what_one_sample_s_scorer_does_costs_this_sample(run, value, message):
    log = run(lambda: made([scored("one", [mean()], value)]), fail_on_error=False)
    assert [sample.id for sample in log.samples if sample.error] == ["q1"]
    assert message in next(sample.error.message for sample in log.samples if sample.error)
    assert (log.status, values(log)) == ("success", [1])


def test_a_metric_that_fails_costs_no_sample(run):
    log = run(lambda: made([scored("one", [failing()])]))
    assert (log.status, log.results) == ("error", None)
    assert "division by zero" in log.error.message
    assert [sample.scores["one"].value for sample in log.samples] == [1] * 4


def test_a_metric_that_fails_costs_no_other_log(bench, quiz):
    (quiz / "broken.py").write_text(BROKEN, "utf-8")
    done = bench("eval", "broken.py", "quiz.py", "--baseline", "constant", "-M", "answer=A", "--json", cwd=quiz)
    assert done.code == 1
    logs = {result["benchmark"]: read_eval_log(result["log"]) for result in done.json()}
    assert [(name, log.status, len(log.samples)) for name, log in logs.items()] == [
        ("broken", "error", 2),
        ("quiz", "success", 6),
    ]
    assert "ZeroDivisionError" in done.err
    assert "a defect" not in done.err


def test_tokens_are_those_of_the_samples_that_are_there(engine_cases, tmp_path):
    task = engine_cases.made_ready(made([scored("one", [mean()])], epochs=2), engine_cases.make_oracle())
    first = engine_cases.run("direct", made([scored("one", [mean()])], epochs=2), str(tmp_path / "first"))
    plan = Plan(jobs=[], options=EvalOptions(log_dir=str(tmp_path), limit=2, epochs=1))
    job = task.metadata["openbench"]["job"]

    def run(host):
        header, _ = begin(task, plan, {})
        host.begin(job, header)
        for sample in first.samples:
            host.run.writer.append(job, sample)
        header.status = "success"
        return {job: header}

    with engine_cases.recorded(plan, task) as recording:
        [log] = run_journalled(recording, [task], run).values()
    [used] = log.stats.model_usage.values()
    assert used.input_tokens == sum(u.input_tokens for sample in log.samples for u in sample.model_usage.values())
    assert len(log.samples) == 2
