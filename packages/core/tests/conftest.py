"""What the tests of core share: `bench` as a process of its own, and small benchmarks to run it on."""

import json

import pytest

from openbench_testing.commands.fixtures import bench, disk, fresh_bench, quiz, site, two

__all__ = ["bench", "disk", "fresh_bench", "quiz", "site", "two"]


ACME_METADATA = """
from openbench.metadata import BenchmarkMetadata


def benchmarks():
    common = {"category": "knowledge", "tags": [], "module_path": "acme_quiz.task"}
    return {
        "acme-quiz": BenchmarkMetadata("Acme quiz", "Installed.", function_name="acme_quiz", **common),
        "acme_odd": BenchmarkMetadata("Acme odd", "Experimental.", function_name="acme_odd", is_alpha=True, **common),
    }
"""

ACME_TASK = """
import os

from inspect_ai import Task, task
from openbench.utils.mcq import MCQEval, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt


def to_sample(row):
    prompt = create_dynamic_multiple_choice_prompt(row["question"], row["options"])
    return MCQSample(id=row["id"], input=prompt, target=row["answer"])


@task
def acme_quiz(split: str = "test", shots: int = 0) -> Task:
    return MCQEval(
        name="acme_quiz",
        dataset_type="json",
        dataset_path=os.environ.get("ACME_ROWS", "/nowhere/rows.jsonl"),
        split=split,
        record_to_mcq_sample=to_sample,
    )


@task
def acme_odd() -> Task:
    return acme_quiz()
"""


@pytest.fixture
def acme(site, tmp_path):
    """The variables with which `bench` finds the distribution acme-quiz 2.1.0.

    It provides acme-quiz, whose rows are those of the quiz, with three sample rows of its own, and acme_odd.
    """
    rows = [{"id": f"s{n}", "question": f"{n}?", "options": ["yes", "no"], "answer": "AB"[n % 2]} for n in range(3)]
    files = {
        "acme_quiz/__init__.py": "",
        "acme_quiz/metadata.py": ACME_METADATA,
        "acme_quiz/task.py": ACME_TASK,
        "acme_quiz/samples/acme_quiz/test.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    }
    site.install("acme-quiz", files, version="2.1.0", benchmarks={"acme": "acme_quiz.metadata:benchmarks"})
    return {"PYTHONPATH": str(site.folder), "ACME_ROWS": str(tmp_path / "rows.jsonl")}
