"""What the tests of the kernel share: `bench` as a process of its own, and a small benchmark to run it on."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from openbench_testing import ChatServer

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


METADATA = """
from openbench.utils import BenchmarkMetadata

def made(name="Quiz", description="Questions.", category="acme", tags=("trivia",), module="acme_quiz.task",
         function="quiz", **ours):
    return BenchmarkMetadata(name, description, category, tags, module, function, **ours)
"""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return what it wrote to stdout, which must be JSON and nothing else."""
        return json.loads(self.out)


class Bench:
    """Runs `bench` command lines, each in a process forked off one that has imported everything already."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._warm = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_bench.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        write_quiz(folder)
        self.quiz = folder / "quiz.py"
        with ChatServer("Answer: A") as server:
            first = self("eval", "quiz.py", *local_model(server), cwd=folder)
        assert first.code == 0, first.err

    def __call__(
        self, *arguments: object, cwd: Path, seconds: int = 60, user: int | None = None, **variables: str
    ) -> Done:
        """Run `bench` with arguments, in a directory, with environment variables besides the usual ones.

        As root, it may be run as another user, to whom permissions mean something.
        """
        self._count += 1
        output = self._folder / str(self._count)
        request = {
            "arguments": [str(argument) for argument in arguments],
            "cwd": str(cwd),
            "environment": {**environment(self._folder), **variables},
            "output": str(output),
            "seconds": seconds,
            "user": user,
        }
        assert self._warm.stdin
        assert self._warm.stdout
        self._warm.stdin.write(json.dumps(request) + "\n")
        self._warm.stdin.flush()
        code = int(self._warm.stdout.readline())
        out, err = (output.with_suffix(f".{name}").read_text("utf-8") for name in ("out", "err"))
        assert code >= 0, f"bench ended by signal {-code} ({seconds} s are its limit)\n{out}\n{err}"
        return Done(code, out, err)

    def close(self) -> None:
        """End the warm process."""
        self._warm.communicate(timeout=60)


def local_model(server: ChatServer) -> list[str]:
    """Return the options that evaluate a local server's model."""
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url]


def environment(folder: Path) -> dict[str, str]:
    """Return this process's variables without those that steer `bench`, and with a key for local servers."""
    steering = ("BENCH_", "INSPECT_", "HF_", "PYTEST_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(steering) and not k.endswith("_API_KEY")}
    own = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "80"}
    return {**kept, **own, "LOCAL_API_KEY": "x", "NO_COLOR": "1"}


def write_quiz(folder: Path, count: int = 6, name: str = "quiz") -> list[dict[str, Any]]:
    """Write the quiz and its rows; the answers go A, B, C, A, … and the topics odd, even, odd, …"""
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


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """`bench` command lines in processes of their own."""
    runner = Bench(tmp_path_factory.mktemp("bench"))
    yield runner
    runner.close()


@pytest.fixture
def quiz(tmp_path):
    """A directory with `quiz.py` and its six rows."""
    write_quiz(tmp_path)
    return tmp_path


@pytest.fixture
def fresh_bench(tmp_path):
    """`bench` as a shell starts it, which takes seconds: for what a warm process could hide."""

    def run(*arguments: object, cwd: Path, seconds: int = 100, **variables: str) -> Done:
        command = [str(Path(sys.executable).with_name("bench")), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**environment(tmp_path), **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


class Site:
    """A folder of distributions installed by hand, which processes of their own have on their path.

    Its module `acme` has `made(...)`, which makes metadata of the category "acme".
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write({"acme.py": METADATA, "acme_quiz/__init__.py": "", "acme_quiz/task.py": "def quiz(): ..."})

    def write(self, files: dict[str, str]) -> None:
        """Write files by their paths."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def install(
        self,
        name: str,
        files: dict[str, str],
        *,
        version: str = "1.0",
        benchmarks: dict[str, str] | None = None,
        groups: dict[str, str] | None = None,
        commands: dict[str, str] | None = None,
        executors: dict[str, str] | None = None,
        engines: dict[str, str] | None = None,
        loaders: dict[str, str] | None = None,
        styles: dict[str, str] | None = None,
        scorers: dict[str, str] | None = None,
        solvers: dict[str, str] | None = None,
        requires: Sequence[str] = (),
    ) -> None:
        """Install a distribution with files, requirements and the entry points of the groups `openbench.…`."""
        given = {"benchmarks": benchmarks, "groups": groups, "commands": commands, "executors": executors}
        given |= {"engines": engines, "loaders": loaders, "styles": styles, "scorers": scorers, "solvers": solvers}
        points = {f"openbench.{group}": of or {} for group, of in given.items()}
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in of.items()) for group, of in points.items() if of]
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"
        metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        self.write({**files, f"{info}/METADATA": metadata, f"{info}/entry_points.txt": "\n".join(lines)})

    def python(self, *arguments: object, **variables: str) -> Done:
        """Run Python with arguments."""
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.folder,
            env={**environment(self.folder), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def bench(self, *arguments: object, **variables: str) -> Done:
        """Run `bench` with arguments."""
        return self.python("-c", "from openbench.cli.main import main; main()", *arguments, **variables)


@pytest.fixture
def site(tmp_path):
    """A folder to install distributions in."""
    return Site(tmp_path / "site")


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


@pytest.fixture(scope="session")
def engine_cases() -> ModuleType:
    """Import what the tests of engines share: a directory of tests is no package."""
    spec = spec_from_file_location("engine_cases", Path(__file__).with_name("engine_cases.py"))
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
