"""Engines by name, and what to install where one would help."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import solver

from openbench.errors import UsageError
from openbench.run import engine
from openbench.run.engine import SUGGESTION_THRESHOLD, Engines, PreparedJob, check_engine_name, engine_suggestion
from openbench.run.plan import EvalOptions, Job, ModelSpec, Plan

PLAN = Plan(jobs=[])
JOB = Job(benchmark="made", task_args={}, model=ModelSpec(name="baseline/constant"))


@solver
def unknown():
    async def solve(state, generate):
        return await generate(state)

    return solve


@pytest.fixture
def alone(monkeypatch):
    """Core without any other engine."""
    monkeypatch.setattr(engine, "by_name", lambda _: {})


def prepared(count, **more):
    samples = [Sample(id=number, input="One?") for number in range(count)]
    return [PreparedJob(JOB, Task(dataset=MemoryDataset(samples), **more), "inspect")]


@pytest.mark.parametrize(
    ("count", "plan", "more", "suggested"),
    [
        (SUGGESTION_THRESHOLD, PLAN, {}, False),
        (SUGGESTION_THRESHOLD + 1, PLAN, {}, True),
        (SUGGESTION_THRESHOLD // 2 + 1, Plan(jobs=[], options=EvalOptions(epochs=2)), {}, True),
        (SUGGESTION_THRESHOLD + 1, Plan(jobs=[], options=EvalOptions(limit=10)), {}, False),
        (SUGGESTION_THRESHOLD + 1, Plan(jobs=[], engine="inspect"), {}, False),
        (SUGGESTION_THRESHOLD + 1, PLAN, {"solver": unknown()}, False),
    ],
)
@pytest.mark.usefixtures("alone")
def test_many_static_samples_suggest_the_fast_engine(count, plan, more, suggested):
    hint = engine_suggestion(prepared(count, **more), plan)
    assert (hint is not None) == suggested
    if hint:
        assert hint.startswith(f"{SUGGESTION_THRESHOLD + 1:,} static samples take about 26 s ") or plan.options
        assert hint.endswith(": pip install openbench-fast")


def test_nothing_is_suggested_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(engine, "by_name", lambda _: {"direct": []})
    assert engine_suggestion(prepared(SUGGESTION_THRESHOLD + 1), PLAN) is None


@pytest.mark.parametrize("name", ["direct", "processes"])
@pytest.mark.usefixtures("alone")
def test_an_engine_that_is_not_installed_names_its_package(name):
    with pytest.raises(UsageError, match=f"^--engine {name} needs openbench-fast: pip install openbench-fast$"):
        check_engine_name(name)


@pytest.mark.usefixtures("alone")
def test_an_engine_that_nobody_has():
    with pytest.raises(UsageError, match=r"^--engine warp: no such engine\. Known: auto, inspect\.$"):
        check_engine_name("warp")


@pytest.mark.usefixtures("alone")
def test_processes_need_the_fast_engine():
    [job] = prepared(1)
    for name in ("auto", "inspect"):
        with pytest.raises(UsageError, match=r"needs openbench-fast: pip install openbench-fast$"):
            Engines(display="none").choose(job.task, Plan(jobs=[], processes=2, engine=name))
