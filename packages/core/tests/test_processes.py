"""Several processes that share the samples of a task: as one would have run them, whatever becomes of a process."""

import asyncio
import os

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import includes, model_graded_qa
from inspect_ai.util import AdaptiveConcurrency

from openbench.run.engines import sharing
from openbench.run.engines.direct.pausing import Clock
from openbench.run.engines.sharing import processes_for, share_of
from openbench.run.plan import EvalOptions, GenerateOptions, Plan

pytestmark = pytest.mark.skipif(not sharing.CAN_FORK, reason="processes are divided on Linux only")


def task_of(*prompts, count=12, **more):
    texts = [f"Question {number}?" for number in range(count)]
    texts[4:4] = prompts
    samples = [Sample(text, target="A", id=f"q{number}") for number, text in enumerate(texts)]
    return Task(MemoryDataset(samples), scorer=includes(), **more)


def processes_of(log):
    return {sample.output.metadata["process"] for sample in log.samples if sample.output.metadata}


def test_several_processes_write_what_one_writes(tmp_path, engine_cases):
    def run(processes):
        grader = {"grader": engine_cases.make_oracle("oracle/grader")}
        task = task_of("please fail", epochs=2)
        task.scorer = [includes(), model_graded_qa()]
        more = {"roles": grader, "fail_on_error": False, "generate": {"max_connections": 4}, "processes": processes}
        return engine_cases.run("direct", task, str(tmp_path), **more)

    one, three = run(1), run(3)
    assert (len(processes_of(one)), len(processes_of(three))) == (1, 3)
    assert os.getpid() not in processes_of(three)
    assert engine_cases.told(three) == engine_cases.told(one)
    # The log says what was asked for, not what each process made of it.
    assert three.plan.config.max_connections == 4


def test_a_process_that_dies_costs_nothing(tmp_path, engine_cases):
    death = f"do SIGKILL once {tmp_path}/flag"
    log = engine_cases.run("direct", task_of(death), str(tmp_path), processes=2, generate={"max_connections": 2})
    assert (log.status, len(log.samples)) == ("success", 13)
    assert [sample.error for sample in log.samples] == [None] * 13
    assert (tmp_path / "flag").exists()


def test_a_sample_that_kills_every_process(tmp_path, engine_cases):
    """What a second process cannot end either is an error; the samples of the others are untouched."""
    task = task_of("do SIGKILL always")
    options = {"processes": 2, "fail_on_error": False, "generate": {"max_connections": 2}}
    log = engine_cases.run("direct", task, str(tmp_path), **options)
    assert (log.status, len(log.samples)) == ("success", 13)
    failed = {sample.id: sample.error.message for sample in log.samples if sample.error}
    assert failed["q4"] == "the process that ran this sample ended by signal 9 (SIGKILL)"
    assert set(failed) <= {f"q{number}" for number in range(4, 13, 2)}
    assert log.results.completed_samples == 13 - len(failed)


def test_too_many_errors_end_all_processes(tmp_path, engine_cases):
    task = task_of("please fail", count=300)
    log = engine_cases.run("direct", task, str(tmp_path), processes=2, generate={"max_connections": 2})
    assert (log.status, log.error.message) == ("error", "RuntimeError('the model fails, as it was asked to')")
    assert len(log.samples) < 300


def test_an_interrupt_keeps_what_has_ended(tmp_path, engine_cases):
    task = task_of("do SIGINT to host", count=300)
    model = engine_cases.make_oracle("oracle/slow")
    options = {"processes": 2, "model": model, "generate": {"max_connections": 2}}
    log = engine_cases.run("direct", task, str(tmp_path), **options)
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
    assert processes_for([task], plan) == expected


@pytest.mark.parametrize(
    ("config", "share"),
    [
        ({"max_connections": 10}, {"max_connections": 3}),
        ({"adaptive_connections": False}, {"max_connections": 3}),
        ({}, {"adaptive_connections": (3, 6, 33)}),
        ({"adaptive_connections": 30}, {"adaptive_connections": (3, 6, 10)}),
        ({"adaptive_connections": AdaptiveConcurrency(min=6, start=9, max=12)}, {"adaptive_connections": (2, 3, 4)}),
    ],
)
def test_processes_share_connections(config, share):
    found = dict(share_of(get_model("baseline/random"), GenerateConfig(**config), 3))
    if adaptive := found.get("adaptive_connections"):
        found = {"adaptive_connections": (adaptive.min, adaptive.start, adaptive.max)}
    assert found == share


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
