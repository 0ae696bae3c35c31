"""What these tests share: `bench` as a process of its own, and a small benchmark whose logs they read."""

import json
import os
import runpy
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

# Processes are forked off one that has imported what is slow to import. The engine's hooks are not among that: inspect
# tells of those that exist when the first model is made.
WARM = get_context("forkserver")
WARM.set_forkserver_preload(["openai", "inspect_ai.model", "openbench.run.local_executor", "openbench.run.planning"])

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
    prompt = create_dynamic_multiple_choice_prompt(row["question"], row["options"])
    return MCQSample(id=row["id"], input=prompt, target=row["answer"])


@task
def quiz(rows: str = str(ROWS), level: str = "easy") -> Task:
    template = None if level == "easy" else f"Level: {level}"
    return MCQEval(
        name="quiz",
        dataset_type="json",
        dataset_path=rows,
        record_to_mcq_sample=to_sample,
        prompt_template=template,
    )
'''


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return what it wrote to stdout, which must be JSON and nothing else."""
        return json.loads(self.out)


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """`bench` command lines in processes of their own."""
    folder, number = tmp_path_factory.mktemp("bench"), count()
    script = str(Path(__file__).with_name("warm_command.py"))

    def run(*arguments: object, cwd: Path, seconds: int = 60, **variables: str) -> Done:
        output = folder / str(next(number))
        given = {"ARGUMENTS": [*map(str, arguments)], "FOLDER": str(cwd), "OUTPUT": str(output)}
        given["VARIABLES"] = {**environment(folder), **variables}
        process = WARM.Process(target=runpy.run_path, args=(script,), kwargs={"init_globals": given})
        process.start()
        process.join(seconds)
        ended = process.exitcode
        process.kill()
        out, err = (output.with_suffix(f".{name}").read_text("utf-8") for name in ("out", "err"))
        assert ended is not None, f"it has not ended in {seconds} s\n{out}\n{err}"
        return Done(ended, out, err)

    return run


def environment(folder: Path) -> dict[str, str]:
    """Return this process's variables without those that steer `bench`, and with a key for local servers."""
    steering = ("BENCH_", "INSPECT_", "HF_", "OPENBENCH_", "PYTEST_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(steering) and not k.endswith("_API_KEY")}
    own = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "80"}
    return {**kept, **own, "LOCAL_API_KEY": "x", "NO_COLOR": "1"}


@pytest.fixture
def quiz(tmp_path):
    """A directory with `quiz.py` and its six rows, whose answers go A, B, C, A, …"""
    rows = [
        {"id": f"q{n}", "question": f"Question {n}?", "options": ["red", "green", "blue"], "answer": "ABC"[n % 3]}
        for n in range(6)
    ]
    (tmp_path / "quiz.py").write_text(QUIZ, "utf-8")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tmp_path
