"""A small multiple-choice benchmark for tests."""

import json
from pathlib import Path
from typing import Any

QUIZ = '''
"""A quiz of three options a question; its rows are a JSON Lines file beside it."""

from pathlib import Path

from inspect_ai import Task, task
from openbench.utils import BenchmarkMetadata
from openbench.utils.mcq import MCQEval, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt

__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "knowledge", ["quiz"], __name__, "quiz")
ROWS = Path(__file__).with_name("rows.jsonl")


def to_sample(row):
    return MCQSample(
        id=row.get("id"),
        input=create_dynamic_multiple_choice_prompt(row["question"], row["options"]),
        target=row["answer"],
        metadata={"topic": row.get("topic", "none")},
    )


@task
def quiz(rows: str = str(ROWS), level: str = "easy", grouped: bool = False, top: int | None = None) -> Task:
    return MCQEval(
        name="quiz",
        dataset_type="json",
        dataset_path=rows,
        record_to_mcq_sample=to_sample,
        prompt_template=None if level == "easy" else f"Level: {level}",
        group_keys=["topic"] if grouped else None,
        dataset_kwargs={"limit": top},
    )
'''


def write_quiz(folder: Path, count: int = 6, name: str = "quiz") -> list[dict[str, Any]]:
    """Write the quiz and its rows: the answers go A, B, C, A, … and the topics even, odd, even, ….

    Returns:
        The rows.
    """
    rows = [
        {
            "id": f"q{number}",
            "question": f"Question {number}?",
            "options": ["red", "green", "blue"],
            "answer": "ABC"[number % 3],
            "topic": ("even", "odd")[number % 2],
        }
        for number in range(count)
    ]
    (folder / f"{name}.py").write_text(QUIZ.replace("quiz", name), "utf-8")
    write_rows(folder / "rows.jsonl", rows)
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
