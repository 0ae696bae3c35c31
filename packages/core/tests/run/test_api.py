"""`openbench.eval` and `openbench.list_benchmarks`: what `bench eval` and `bench list` do, for Python code."""

import asyncio
import subprocess
import sys

import pytest

import openbench
from openbench.errors import OpenbenchError, UsageError
from openbench_testing import ChatServer


def test_what_the_package_offers():
    assert openbench.__all__ == ["eval", "get_task", "list_benchmarks"]
    assert all(callable(getattr(openbench, name)) for name in openbench.__all__)


def test_benchmarks_are_listed_without_inspect():
    code = "import openbench, sys; print(openbench.list_benchmarks(), 'inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split()[-1] == "False"


def test_a_benchmark_is_evaluated(quiz, tmp_path):
    [log] = openbench.eval(
        str(quiz / "quiz.py"),
        baseline="reference",
        task_args={"level": "hard", "top": 2},
        log_dir=str(tmp_path / "logs"),
        limit=1,
        temperature=0.5,
    )
    assert (log.status, len(log.samples)) == ("success", 1)
    assert log.eval.task_args_passed == {"level": "hard", "top": 2}
    assert log.eval.model_generate_config.temperature == 0.5
    assert log.results.scores[0].metrics["accuracy"].value == 1
    assert (tmp_path / "logs").is_dir()
    assert log.location.startswith(str(tmp_path / "logs"))


def test_models_are_asked_with_what_was_given(quiz, tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "k")
    with ChatServer("Answer: A") as server:
        logs = openbench.eval(
            [str(quiz / "quiz.py")],
            ["openai-api/local/one", "openai-api/local/two"],
            model_base_url=server.base_url,
            log_dir=str(tmp_path),
            limit=1,
            max_tokens=7,
        )
        asked = [(request.body["model"], request.body["max_tokens"]) for request in server.requests]
    assert [log.eval.model for log in logs] == ["openai-api/local/one", "openai-api/local/two"]
    assert sorted(asked) == [("one", 7), ("two", 7)]


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_notebook_has_a_loop_that_runs_already(quiz, tmp_path, engine):
    async def cell():
        return openbench.eval(str(quiz / "quiz.py"), baseline="reference", log_dir=str(tmp_path), engine=engine)

    [log] = asyncio.run(cell())
    assert log.status == "success"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"baseline": "reference", "limitt": 3}, "openbench.eval has no option 'limitt'. Did you mean limit?"),
        ({}, "No model to evaluate"),
        (
            {"baseline": "reference", "task_args": {"levels": 1}},
            "quiz has no argument 'levels'. Did you mean level? quiz takes ",
        ),
    ],
)
def test_what_is_wrong_is_refused_before_anything_runs(quiz, tmp_path, arguments, message):
    with pytest.raises(UsageError) as caught:
        openbench.eval(str(quiz / "quiz.py"), log_dir=str(tmp_path / "logs"), **arguments)
    assert str(caught.value).startswith(message)
    assert not (tmp_path / "logs").exists()


def test_a_benchmark_that_cannot_start_costs_the_others_nothing(quiz, tmp_path):
    (quiz / "other.py").write_text((quiz / "quiz.py").read_text().replace("rows.jsonl", "nowhere.jsonl"))
    with pytest.raises(OpenbenchError) as caught:
        openbench.eval(
            [str(quiz / "other.py"), str(quiz / "quiz.py")], baseline="reference", log_dir=str(tmp_path / "logs")
        )
    [log] = (tmp_path / "logs").glob("*.json")
    assert "nowhere.jsonl cannot be read" in str(caught.value)
    assert str(log) in str(caught.value)


def test_a_task_of_sample_rows(quiz):
    with pytest.raises(UsageError, match="ships no sample rows"):
        openbench.get_task(str(quiz / "quiz.py"), sample=True)
