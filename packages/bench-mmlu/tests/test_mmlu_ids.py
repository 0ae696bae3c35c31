"""Ids are what runs are compared by, so that they may depend on nothing but the row."""

import json
import os
import subprocess
import sys

import pytest

from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.mmlu_pro import mmlu_pro
from openbench_mmlu.mmlu_redux import mmlu_redux

TASKS = (mmlu, mmlu_pro, mmlu_redux)

PROGRAM = """
import json, sys
from importlib import import_module
from pathlib import Path
from openbench.datasets import bundled_rows
ids = {}
for name in ("mmlu", "mmlu_pro", "mmlu_redux"):
    with bundled_rows(Path(sys.argv[1]) / name):
        task = getattr(import_module(f"openbench_mmlu.{name}"), name)()
    ids[name] = [sample.id for sample in task.dataset]
print(json.dumps(ids))
"""


@pytest.mark.parametrize("function", TASKS)
def test_ids_are_unique(sample_task, function):
    ids = [sample.id for sample in sample_task(function).dataset]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("function", [mmlu, mmlu_pro])
def test_examples_change_no_id(sample_task, function):
    plain, shown = sample_task(function).dataset, sample_task(function, fewshot=5).dataset
    assert [sample.id for sample in plain] == [sample.id for sample in shown]


def test_ids_are_the_same_in_another_process_with_another_hash_seed(sample_task, samples_directory):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(samples_directory)],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    here = {task.__name__: [sample.id for sample in sample_task(task).dataset] for task in TASKS}
    assert json.loads(found.stdout) == here
