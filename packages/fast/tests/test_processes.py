"""Several processes that share the samples of a task: as one would have run them, whatever becomes of a process."""

import asyncio
import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import includes, model_graded_qa
from inspect_ai.util import AdaptiveConcurrency

from openbench.run.plan import EvalOptions, GenerateOptions, Plan
from openbench_fast import process_count
from openbench_fast.backoff import Clock
from openbench_fast.direct.runner import DirectRunner
from openbench_fast.process_count import Share, free_place, processes_for, share_of
from openbench_fast.runner import InspectRunner

pytestmark = pytest.mark.skipif(not process_count.CAN_FORK, reason="processes are divided on Linux only")


ENGINES = ["direct", "inspect"]


def task_of(*prompts, count=12, **more):
    texts = [f"Question {number}?" for number in range(count)]
    texts[4:4] = prompts
    samples = [Sample(text, target="A", id=f"q{number}") for number, text in enumerate(texts)]
    return Task(MemoryDataset(samples), scorer=includes(), **more)


def processes_of(log):
    return {sample.output.metadata["process"] for sample in log.samples if sample.output.metadata}


def kinds_of(sample):
    return [event.event for event in sample.events]


@pytest.mark.parametrize("engine", ENGINES)
def test_several_processes_write_what_one_writes(tmp_path, engine_cases, engine):
    def run(processes):
        grader = {"grader": engine_cases.make_oracle("oracle/grader")}
        task = task_of("please fail", epochs=2)
        task.scorer = [includes(), model_graded_qa()]
        more = {"roles": grader, "fail_on_error": False, "generate": {"max_connections": 4}, "processes": processes}
        return engine_cases.run(engine, task, str(tmp_path), **more)

    one, three = run(1), run(3)
    assert (len(processes_of(one)), len(processes_of(three))) == (1, 3)
    assert os.getpid() not in processes_of(three)
    assert engine_cases.told(three) == engine_cases.told(one)
    assert [kinds_of(sample) for sample in three.samples] == [kinds_of(sample) for sample in one.samples]
    # The log says what was asked for, not what each process made of it.
    assert three.plan.config.max_connections == 4
    assert three.eval.config.fail_on_error is False


@pytest.mark.parametrize(("engine", "runner"), [("direct", DirectRunner), ("inspect", InspectRunner)])
def test_a_process_runs_a_bounded_number_of_samples(tmp_path, engine_cases, monkeypatch, engine, runner):
    one = engine_cases.run(engine, task_of(), str(tmp_path))
    monkeypatch.setattr(runner, "most_samples", 4)
    two = engine_cases.run(engine, task_of(), str(tmp_path), processes=2)
    assert len(processes_of(two)) == 3
    assert engine_cases.told(two) == engine_cases.told(one)


@pytest.mark.parametrize("engine", ENGINES)
def test_samples_without_ids_and_a_limit(tmp_path, engine_cases, engine):
    def run(processes):
        dataset = MemoryDataset([Sample(f"Question {number}?", target="A") for number in range(9)])
        task = Task(dataset, scorer=includes(), epochs=2)
        return engine_cases.run(engine, task, str(tmp_path), limit=(2, 7), processes=processes)

    one, two = run(1), run(2)
    assert engine_cases.told(two) == engine_cases.told(one)
    assert [(sample.id, sample.epoch) for sample in two.samples] == [(n, e) for e in (1, 2) for n in range(3, 8)]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_id_may_be_empty_or_0(tmp_path, engine_cases, engine, processes):
    samples = [Sample("Question?", target="A", id=id_) for id_ in ("", 0, "a")]
    task = Task(MemoryDataset(samples), scorer=includes())
    log = engine_cases.run(engine, task, str(tmp_path), processes=processes)
    assert (log.status, [sample.id for sample in log.samples]) == ("success", ["", 0, "a"])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_process_that_dies_costs_nothing(tmp_path, engine_cases, engine, capsys):
    death = f"do SIGKILL once {tmp_path}/flag"
    log = engine_cases.run(engine, task_of(death), str(tmp_path), processes=2, generate={"max_connections": 2})
    assert (log.status, len(log.samples)) == ("success", 13)
    assert [sample.error for sample in log.samples] == [None] * 13
    assert (tmp_path / "flag").exists()
    told = r"bench: a process ended by signal 9 \(SIGKILL\); other processes take over (\d samples|1 sample)\.\n"
    assert re.fullmatch(told, capsys.readouterr().err)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_that_kills_every_process(tmp_path, engine_cases, engine):
    """It is an error in the end, and no other sample is."""
    task = task_of("do SIGKILL always")
    options = {"processes": 2, "fail_on_error": False, "generate": {"max_connections": 2}}
    log = engine_cases.run(engine, task, str(tmp_path), **options)
    assert (log.status, len(log.samples)) == ("success", 13)
    failed = {sample.id: sample.error.message for sample in log.samples if sample.error}
    assert failed == {"q4": "the process that ran this sample ended by signal 9 (SIGKILL)"}
    assert log.results.completed_samples == 12


@pytest.mark.parametrize("engine", ENGINES)
def test_too_many_errors_end_all_processes(tmp_path, engine_cases, engine):
    task = task_of("please fail", count=300)
    log = engine_cases.run(engine, task, str(tmp_path), processes=2, generate={"max_connections": 2})
    assert (log.status, log.error.message) == ("error", "RuntimeError('the model fails, as it was asked to')")
    assert len(log.samples) < 300


@pytest.mark.parametrize("engine", ENGINES)
def test_failures_are_counted_over_all_processes(tmp_path, engine_cases, engine):
    """Each of two processes has one failure, which neither would be enough."""
    task = task_of("please fail 4", "please fail 5", count=100)
    log = engine_cases.run(engine, task, str(tmp_path), processes=2, fail_on_error=2, generate={"max_connections": 2})
    assert log.status == "error"
    assert {sample.id for sample in log.samples if sample.error} == {"q4", "q5"}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupt_keeps_what_has_ended(tmp_path, engine_cases, engine):
    task = task_of("do SIGINT to host", count=300)
    model = engine_cases.make_oracle("oracle/slow")
    options = {"processes": 2, "model": model, "generate": {"max_connections": 2}}
    log = engine_cases.run(engine, task, str(tmp_path), **options)
    assert log.status == "cancelled"
    assert 2 <= len(log.samples) < 300
    assert all(sample.error is None for sample in log.samples)


# --- how many, and what each may use --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("processes", "samples", "epochs", "limit", "connections", "expected"),
    [
        (None, 7_999, None, None, None, 1),
        (None, 8_000, None, None, None, 2),
        (None, 4_000, 2, None, None, 2),
        (None, 16_000, None, 5_000, None, 1),
        (None, 16_000, None, (1_000, 9_000), None, 2),
        (None, 99_000, None, None, None, 4),
        (None, 99_000, None, None, 3, 3),
        (5, 10, None, None, None, 5),
        (5, 10, None, None, 2, 2),
        (1, 99_000, None, None, None, 1),
    ],
)
def test_how_many_processes(monkeypatch, processes, samples, epochs, limit, connections, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    options = EvalOptions(**({"limit": limit} if limit else {}))
    generate = GenerateOptions(**({"max_connections": connections} if connections else {}))
    task = Task(MemoryDataset([Sample("?")] * samples), epochs=epochs)
    plan = Plan(jobs=[], options=options, generate=generate, processes=processes)
    assert processes_for(DirectRunner, "none", [task], plan) == expected


def test_tasks_of_inspects_engine_are_divided_sooner_and_not_all(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    samples, plan = [Sample("?")] * 3_000, Plan(jobs=[])

    def processes(task, display="line"):
        return processes_for(InspectRunner, display, [task], plan)

    assert processes(Task(MemoryDataset(samples))) == 3
    assert processes(Task(MemoryDataset(samples)), display="rich") == 1
    assert processes(Task(MemoryDataset(samples), sandbox="local")) == 1
    assert processes(Task(MemoryDataset([*samples, Sample("?", sandbox="local")]))) == 1
    assert processes(Task(MemoryDataset(samples), approval="auto")) == 1
    monkeypatch.setitem(sys.modules, "torch", sys)
    assert processes(Task(MemoryDataset(samples))) == 1


@pytest.mark.parametrize(
    ("config", "shares"),
    [
        ({"max_connections": 10}, [4, 3, 3]),
        ({"max_connections": 2}, [1, 1, 1]),
        ({"adaptive_connections": False}, [4, 3, 3]),
        ({}, [(4, 7, 34), (3, 7, 33), (3, 6, 33)]),
        ({"adaptive_connections": 30}, [(4, 7, 10), (3, 7, 10), (3, 6, 10)]),
        ({"adaptive_connections": AdaptiveConcurrency(min=6, start=9, max=12)}, [(2, 3, 4)] * 3),
    ],
)
def test_processes_share_connections(config, shares):
    def share(place):
        found = dict(share_of(get_model("baseline/random"), GenerateConfig(**config), Share(3, place)))
        if adaptive := found.get("adaptive_connections"):
            return adaptive.min, adaptive.start, adaptive.max
        return found["max_connections"]

    assert [share(place) for place in range(3)] == shares


@given(whole=st.integers(1, 1_000), sharers=st.integers(1, 64))
def test_shares_are_the_whole(whole, sharers):
    shares = [Share(sharers, place).of(whole) for place in range(sharers)]
    assert sum(shares) == max(whole, sharers)
    assert max(shares) - min(shares) <= 1


def test_a_process_gets_the_place_of_one_that_is_no_more():
    assert [free_place(taken) for taken in (set(), {0}, {1, 2}, {0, 2})] == [0, 1, 0, 1]


def test_a_pause_holds_in_all_processes():
    clock = Clock()
    assert clock.left("openai/gpt-x") == 0.0
    if os.fork() == 0:
        clock.hold("gpt-x", 0.2)  # a retry tells the model without its provider
        os._exit(0)
    os.wait()
    assert 0.0 < clock.left("openai/gpt-x") <= 0.2
    assert clock.left("openai/gpt-y") == 0.0
    asyncio.run(clock.over("openai/gpt-x"))
    assert clock.left("openai/gpt-x") == 0.0
    clock.hold("gpt-x", 9_999.0)
    assert clock.left("openai/gpt-x") <= 60.0
    clock.close()
