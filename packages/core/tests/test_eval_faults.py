"""What a server's faults make of a run: each sample is scored or recorded as an error, and no error is an answer."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress


def right(request):
    """Answer every question of the quiz right."""
    number = int(re.search(r"Question (\d)", request.prompt)[1])
    return f"Answer: {'ABC'[number % 3]}"


def evaluate(bench, folder, server, *more):
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json", "--max-retries", "3"]
    return bench("eval", "quiz.py", *options, *more, cwd=folder)


def only(text, fault):
    """Make a script of faults that meets the requests whose prompt holds a text."""
    return lambda request, _number: fault if text in request.prompt else None


@pytest.mark.parametrize(
    "fault",
    [Fault.rate_limit(0.2), Fault.status(500), Fault.status(503), Fault.disconnect(), Fault.truncated()],
    ids=str,
)
def test_a_passing_fault_costs_nothing_but_time(bench, quiz, fault):
    with ChatServer(right, faults=[None, fault, fault]) as server:
        done = evaluate(bench, quiz, server)
        assert len(server.requests) == 8
    [result] = done.json()
    assert (done.code, result["score"], result["completed"], result["errors"]) == (0, 1.0, 6, 0), done.err


def test_a_slow_server_is_waited_for(bench, quiz):
    with ChatServer(right, faults=only("Question 2?", Fault.slow(1.5))) as server:
        done = evaluate(bench, quiz, server)
    assert (done.code, done.json()[0]["score"]) == (0, 1.0)


@pytest.mark.parametrize(
    ("fault", "more", "requests"),
    [
        (Fault.malformed(), ("--max-retries", "0"), 6),
        (Fault.status(400), (), 6),
        (Fault.disconnect(), ("--max-retries", "0"), 6),
        (Fault.slow(60), ("--timeout", "2"), 6),
    ],
    ids=str,
)
def test_a_lasting_fault_is_an_error_and_no_wrong_answer(bench, quiz, fault, more, requests):
    with ChatServer(right, faults=only("Question 4?", fault)) as server:
        done = evaluate(bench, quiz, server, "--no-fail-on-error", *more)
        assert len(server.requests) >= requests
    [result] = done.json()
    assert (done.code, result["status"], result["score"]) == (0, "success", 1.0), done.err
    assert (result["samples"], result["completed"], result["errors"], result["answered"]) == (6, 5, 1, 1.0)
    assert result["first_error"]
    samples = {sample.id: sample for sample in read_eval_log(result["log"]).samples}
    assert set(samples) == {f"q{number}" for number in range(6)}
    assert [key for key, sample in samples.items() if sample.error] == ["q4"]
    assert not samples["q4"].scores
    [run] = (quiz / "logs" / "runs").iterdir()
    assert done.err.splitlines()[-1] == f"Continue with: bench eval --resume logs/runs/{run.name}"
    assert "bench: quiz: 1 of 6 samples ended in an error, which the log holds. The first: " in done.err


def test_a_failed_sample_is_run_again_as_asked(bench, quiz):
    """Once by --retry-on-error alone, more often with a number."""
    for more, broken, code in (
        (["--retry-on-error"], 1, 0),
        (["--retry-on-error=0"], 0, 0),
        (["--retry-on-error=0"], 1, 1),
        (["--retry-on-error=2"], 2, 0),
        (["--retry-on-error=1"], 2, 1),
    ):
        left = [Fault.status(400)] * broken
        faults = only_once("Question 1?", left)
        with ChatServer(right, faults=faults) as server:
            done = evaluate(bench, quiz, server, *more)
            asked = [request for request in server.requests if "Question 1?" in request.prompt]
        [result] = done.json()
        assert (done.code, result["status"]) == (code, "success" if code == 0 else "error"), more
        if code == 0:
            assert (result["score"], result["errors"], len(asked)) == (1.0, 0, broken + 1)


def only_once(text, faults):
    """Make a script that spends a list of faults on the requests whose prompt holds a text."""
    return lambda request, _number: faults.pop() if text in request.prompt and faults else None


def test_how_many_errors_fail_a_run(bench, quiz):
    """By default the first one; else a count, or a share."""
    two = Fault.status(400)

    def faults(request, _number):
        return two if "Question 1?" in request.prompt or "Question 2?" in request.prompt else None

    with ChatServer(right, faults=faults) as server:
        for more, status in (
            ([], "error"),
            (["--fail-on-error", "3"], "success"),
            (["--fail-on-error", "0.5"], "success"),
        ):
            done = evaluate(bench, quiz, server, *more)
            [result] = done.json()
            assert (done.code, result["status"]) == (0 if status == "success" else 1, status), (more, done.err)
            assert "Continue with: bench eval --resume logs/" in done.err
            if status == "success":
                assert (result["score"], result["errors"], result["completed"]) == (1.0, 2, 4)


def test_when_every_sample_fails_there_is_no_score(bench, quiz):
    with ChatServer(right, faults=lambda _request, _number: Fault.status(400)) as server:
        done = evaluate(bench, quiz, server, "--no-fail-on-error")
    [result] = done.json()
    assert (result["score"], result["answered"], result["errors"], result["completed"]) == (None, None, 6, 0)
    assert done.code == 1, done.err


def test_a_terminal_sees_what_a_run_waits_for(quiz):
    """On a terminal one line is rewritten, and gone when the table is printed."""
    leader, follower = pty.openpty()
    with ChatServer(right, faults=[None, Fault.rate_limit(1)]) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
        running = subprocess.Popen(
            [Path(sys.executable).with_name("bench"), "eval", "quiz.py", *options],
            cwd=quiz,
            env={**os.environ, "LOCAL_API_KEY": "x"},
            stdout=subprocess.PIPE,
            stderr=follower,
        )
        os.close(follower)
        try:
            shown = read_all(leader, seconds=90)
            out, _ = running.communicate(timeout=30)
        finally:
            running.kill()
            os.close(leader)
    assert running.returncode == 0, shown
    lines = shown.split("\r")
    assert any(re.match(r"1/6 samples, .*retry 1 of \S+ in \d s \(\w+ 429\)", line) for line in lines), lines
    assert lines[-1].strip() == ""
    assert max(map(len, lines)) < 80
    assert b"1.000 " in out


def read_all(descriptor, seconds):
    """Read a terminal until its other end is closed."""
    end, chunks = time.monotonic() + seconds, []
    while time.monotonic() < end:
        if select.select([descriptor], [], [], 1)[0]:
            try:
                chunk = os.read(descriptor, 4096)
            except OSError:  # so Linux tells that nobody writes any more
                break
            if not chunk:
                break
            chunks.append(chunk)
    return b"".join(chunks).decode()
