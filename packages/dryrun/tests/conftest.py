"""What these tests share: `bench` in processes of its own, and small benchmarks."""

import json

import pytest

from openbench_testing.commands.fixtures import bench, quiz

__all__ = ["bench", "quiz"]

METADATA = """
from openbench.metadata import BenchmarkMetadata


def benchmarks():
    return {"acme-quiz": BenchmarkMetadata("Acme quiz", "Installed.", "acme", [], "acme_quiz.task", "acme_quiz")}
"""

TASK = """
from inspect_ai import Task, task
from openbench.utils.mcq import MCQEval, MCQSample


def to_sample(row):
    return MCQSample(id=row["id"], input=row["question"] + "\\nA) yes\\nB) no", target=row["answer"])


@task
def acme_quiz() -> Task:
    return MCQEval(name="acme_quiz", dataset_type="json", dataset_path="/nowhere", record_to_mcq_sample=to_sample)
"""


@pytest.fixture
def acme(tmp_path):
    """The variables with which `bench` finds the distribution acme-quiz 2.1.0, which has three sample rows."""
    rows = [{"id": f"s{n}", "question": f"{n}?", "answer": "AB"[n % 2]} for n in range(3)]
    site, info = tmp_path / "site", "acme_quiz-2.1.0.dist-info"
    files = {
        "acme_quiz/__init__.py": "",
        "acme_quiz/metadata.py": METADATA,
        "acme_quiz/task.py": TASK,
        "acme_quiz/samples/acme_quiz/test.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        f"{info}/METADATA": "Metadata-Version: 2.4\nName: acme-quiz\nVersion: 2.1.0\n",
        f"{info}/entry_points.txt": "[openbench.benchmarks]\nacme = acme_quiz.metadata:benchmarks\n",
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, "utf-8")
    return {"PYTHONPATH": str(site)}
