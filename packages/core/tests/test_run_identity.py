"""The identity of a run: what makes a completed sample worth reusing, and what has no part in it."""

import json
import subprocess
import sys

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import includes, match

from openbench.run.identity import differences, identity
from openbench.tasks.build import METADATA_KEY

SAID = {"benchmark": "quiz", "distribution": "acme", "version": "1.0.0", "sample": False, "scorers": ["match"]}


def sample(**changes):
    return Sample(**{"id": "q", "input": "Which?", "target": "A", "choices": ["x", "y"], "metadata": {"t": 1}, **changes})


def of(samples=None, *, said=None, task_args=None, model="a/x", reference=False, solver=None, **generate):
    task = Task(samples or [sample()], solver=solver, scorer=match(), metadata={METADATA_KEY: {**SAID, **(said or {})}})
    config = GenerateConfig(**generate)
    return identity(task, task_args=task_args or {}, model=model, generate=config, reference=reference)


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("version", {"said": {"version": "1.0.1"}}),
        ("distribution", {"said": {"distribution": "fork"}}),
        ("benchmark", {"said": {"benchmark": "other"}}),
        ("sample", {"said": {"sample": True}}),
        ("scorers", {"said": {"scorers": ["match", "includes"]}}),
        ("arguments", {"task_args": {"split": "dev"}}),
        ("model", {"model": "a/y"}),
        ("reference", {"reference": True}),
        ("generation", {"temperature": 0.0}),
        ("generation", {"max_tokens": 5}),
        ("generation", {"seed": 1}),
        ("generation", {"reasoning_effort": "low"}),
        ("generation", {"system_message": "Be brief."}),
        ("dataset", {"samples": [sample(id="p")]}),
        ("dataset", {"samples": [sample(input="Which one?")]}),
        ("dataset", {"samples": [sample(target="B")]}),
        ("dataset", {"samples": [sample(choices=["y", "x"])]}),
        ("dataset", {"samples": [sample(metadata={"t": 2})]}),
        ("dataset", {"samples": [sample(files={"a.txt": "b"})]}),
        ("dataset", {"samples": [sample(setup="echo")]}),
        ("dataset", {"samples": [sample(), sample(id="r")]}),
        ("dataset", {"samples": [sample(input=[ChatMessageUser(content="Which?")])]}),
    ],
)
def test_what_changes_it(part, changed):
    found = differences(of(), of(**changed))
    assert len(found) == 1
    assert found[0].startswith(f"{part} was ")


@pytest.mark.parametrize(
    "changed",
    [
        {"max_connections": 3},
        {"max_retries": 1},
        {"timeout": 5},
        {"attempt_timeout": 5},
        {"cache": True},
        {"batch": 10},
        {"adaptive_connections": True},
        {"said": {"job": "other", "core": "9.9", "rule": "chosen", "reference": "quiz@acme"}},
    ],
)
def test_what_does_not(changed):
    assert differences(of(), of(**changed)) == []


def messages():
    return [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Which?")]


def test_the_ids_of_messages_have_no_part_in_it():
    first, second = messages(), messages()
    first[0].id, second[0].id = "one", "two"
    assert of([sample(input=first)]) == of([sample(input=second)])


def test_the_order_of_keys_has_no_part_in_it():
    assert of([sample(metadata={"a": 1, "b": 2})]) == of([sample(metadata={"b": 2, "a": 1})])
    assert of(task_args={"a": 1, "b": 2}) == of(task_args={"b": 2, "a": 1})


def test_it_survives_a_log():
    """A log holds it as JSON, and what is read back must compare equal."""
    import datetime

    made = of(
        [sample(metadata={"day": datetime.date(2024, 1, 2), "bytes": b"x", "set": {"b", "a"}, "tuple": (1, 2)})],
        task_args={"subjects": ["law", "é\u2028"], "rate": 0.1, "none": None},
        stop_seqs=["\n"],
    )
    assert differences(json.loads(json.dumps(made)), made) == []


def test_it_is_the_same_in_every_process():
    code = """
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from openbench.run.identity import identity
said = dict.fromkeys(["benchmark", "distribution", "version", "sample", "scorers"])
task = Task([Sample("?", target="A", metadata={"s": {"a", "b", "c"}})], metadata={"openbench": said})
print(identity(task, task_args={}, model="m", generate=GenerateConfig(), reference=False)["dataset"])
"""
    digests = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1


def test_differences_say_both_values():
    before, after = of(), of([sample(target="B")], said={"version": "2.0.0"}, task_args={"split": "dev"})
    version, arguments, dataset = differences(before, after)
    assert version == "version was 1.0.0, is 2.0.0"
    assert arguments == "arguments was {}, is {'split': 'dev'}"
    assert dataset == f"dataset was {before['dataset'][:12]}…, is {after['dataset'][:12]}…"


def test_a_scorer_is_known_by_what_the_task_says():
    assert of(said={"scorers": ["includes"]})["scorers"] == ["includes"]
    assert includes  # named by provenance, not by the function
