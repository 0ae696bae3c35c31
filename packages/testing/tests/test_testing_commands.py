"""Both servers as commands."""

import contextlib
import json
import signal
import subprocess
import sys
import urllib.request

import openai
import pytest

from openbench_testing.chat.__main__ import main as chat
from openbench_testing.hub.__main__ import main as hub


@contextlib.contextmanager
def running(module, *arguments, end=signal.SIGTERM):
    """Start a command, hand over the line that it prints, and end it by a signal."""
    command = [sys.executable, "-W", "error", "-m", module, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(end)
            rest, errors = process.communicate(timeout=20)
        assert (process.returncode, rest, errors) == (0, "", "")


def ask(base_url, prompt):
    with openai.OpenAI(base_url=base_url, api_key="sk-test", max_retries=0) as model:
        messages = [{"role": "user", "content": prompt}]
        return model.chat.completions.create(model="m", messages=messages).choices[0].message.content


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_one_answer_until_a_signal(end):
    with running("openbench_testing.chat", "--answer", "yes", end=end) as base_url:
        assert base_url.startswith("http://127.0.0.1:")
        assert base_url.endswith("/v1")
        assert ask(base_url, "Is it?") == "yes"


def test_answers_from_a_file(tmp_path):
    rules = tmp_path / "answers.jsonl"
    lines = [{"contains": "prime", "answer": "7"}, {"contains": "a", "answer": "größer"}]
    text = "\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    rules.write_text(text, encoding="utf-8")
    with running("openbench_testing.chat", "--answers", rules, "--answer", "no rule") as base_url:
        assert ask(base_url, "Name a prime.") == "7"
        assert ask(base_url, "What else?") == "größer"
        assert ask(base_url, "Who?") == "no rule"


@pytest.mark.parametrize(
    "line",
    [
        '{"contains": "x"}',
        '{"contains": 1, "answer": "y"}',
        "[]",
        "{",
        '{"contains": "", "answer": "", "a": 1}',
    ],
)
def test_an_invalid_line(tmp_path, capsys, line):
    rules = tmp_path / "answers.jsonl"
    rules.write_text('{"contains": "x", "answer": "y"}\n' + line, encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        chat(["--answers", str(rules)])
    expected = f'error: {rules}, line 2: expected {{"contains": "TEXT", "answer": "TEXT"}}, got {line}\n'
    assert capsys.readouterr().err.endswith(expected)


def test_a_folder_as_a_hub(tmp_path):
    folder = tmp_path / "org" / "quiz" / "default"
    folder.mkdir(parents=True)
    (folder / "test.jsonl").write_bytes(b'{"x": 1}\n')
    commit = "a" * 40
    with running("openbench_testing.hub", tmp_path, "--revision", f"org/quiz={commit}") as endpoint:
        url = f"{endpoint}/datasets/org/quiz/resolve/main/default/test.jsonl"
        with urllib.request.urlopen(url) as response:  # noqa: S310 - our own server
            assert response.headers["X-Repo-Commit"] == commit
            assert response.read() == b'{"x": 1}\n'


def test_a_folder_without_datasets(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        hub([str(tmp_path)])
    expected = f"error: {tmp_path} has no file <organisation>/<name>/<config>/<split>.jsonl.\n"
    assert capsys.readouterr().err.endswith(expected)


def test_a_revision_of_nothing(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        hub([str(tmp_path), "--revision", "org/quiz"])
    assert capsys.readouterr().err.endswith("error: --revision takes DATASET=COMMIT, got 'org/quiz'.\n")
