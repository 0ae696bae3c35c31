"""What the tests of classes share: the guide's own, its rows, and what a task made of them."""

# ruff: noqa: ARG002, RUF012 -- classes as the guide's authors write them

import asyncio
import json
import re
from typing import Any

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from openbench.datasets import bundled_rows
from openbench_authoring import NO_SUBJECT, BaseTask, ResponseType
from openbench_authoring.metrics import AccuracyCompletion
from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]

TEST = [
    {"country": "Germany", "capital": "Berlin", "subject": "Europe"},
    {"country": "France", "capital": "Paris", "subject": "Europe"},
    {"country": "Japan", "capital": "Tokyo", "subject": "Asia"},
]
TRAIN = [
    {"country": "Italy", "capital": "Rome", "subject": "Europe"},
    {"country": "Spain", "capital": "Madrid", "subject": "Europe"},
    {"country": "Malta", "capital": "Valletta", "subject": "Europe"},
    {"country": "France", "capital": "Paris", "subject": "Europe"},
    {"country": "India", "capital": "New Delhi", "subject": "Asia"},
    {"country": "Japan", "capital": "Tokyo", "subject": "Asia"},
]


class GeographyQATask(BaseTask[str]):
    """The class of the guide, in our words; nothing but its imports is ours."""

    NAME = "GeographyQA"
    DATASET_PATH = "example/geography_qa"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "train"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [AccuracyCompletion]
    SUBJECTS = ["Europe", "Asia"]

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        return f"Q: Capital of {item['country']}?"

    def _get_ground_truth(self, item: dict[str, Any]) -> str:
        return f"A: {item['capital']}."

    def _get_system_prompt_text(self, item: dict[str, Any]) -> str:
        return "Be accurate."

    def _get_cue_text(self, item: dict[str, Any]) -> str:
        return "A:"

    def _sample_fewshot_examples(self, item: dict[str, Any]) -> list[dict]:
        return self.rnd.sample(self.dataset[self.FEWSHOT_SPLIT], self.num_fewshot)


class WithoutSubjects(GeographyQATask):
    """Its rows have none."""

    SUBJECTS = [NO_SUBJECT]


@pytest.fixture
def rows(tmp_path):
    """Write rows by split; what a task reads is bundled rows of these names."""

    def write(folder=tmp_path, **splits):
        folder.mkdir(parents=True, exist_ok=True)
        for split, of in splits.items():
            (folder / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in of), "utf-8")
        return folder

    return write


@pytest.fixture
def task_of(rows):
    """Build the task of a class from rows that the test gives."""

    def build(task_class, test=TEST, train=TRAIN, num_fewshot=0, **options):
        with bundled_rows(rows(test=test, train=train)):
            return task_class(num_fewshot, **options).to_task()

    return build


def turns(sample):
    return [(message.role, message.text) for message in sample.input]


def by_country(task):
    return {re.findall(r"of (\w+)\?", sample.input[-1].text)[0]: sample for sample in task.dataset}


def solvers(task):
    return [registry_info(solver).name.rpartition("/")[2] for solver in task.solver]


def scores(task, sample, completion):
    state = TaskState(
        ModelName("none/none"),
        sample.id,
        1,
        sample.input,
        list(sample.input),
        output=ModelOutput.from_content("none/none", completion),
        metadata=dict(sample.metadata or {}),
    )
    target = Target(sample.target)
    return {registry_info(s).name.partition("/")[2]: asyncio.run(s(state, target)) for s in task.scorer}
