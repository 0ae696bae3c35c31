"""Symbolic equivalence, with a time limit that holds in any thread."""

import asyncio
import importlib.util
import math
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Target
from inspect_ai.solver import TaskState

from openbench.errors import OpenbenchError, UsageError
from openbench_scorers.symbolic import score_symbolic, symbolic
from openbench_scorers.workers import Workers

installed = pytest.mark.skipif(
    importlib.util.find_spec("math_verify") is None, reason="needs the extra math of openbench-scorers"
)


@installed
@pytest.mark.parametrize(
    ("completion", "target", "expected"),
    [
        # by looks
        ("\\boxed{\\frac12}", "\\frac{1}{2}", True),
        ("(3,4]", "(3,4]", True),
        ("\\boxed{Evelyn}", "\\text{Evelyn}", True),
        # by value
        ("The answer is $\\frac{2}{4}$.", "\\frac{1}{2}", True),
        ("So we get $x^2+2x+1$", "(x+1)^2", True),
        ("2\\sqrt{3}", "\\sqrt{12}", True),
        ("\\boxed{1 + \\sqrt{2}}", "\\sqrt{2} + 1", True),
        ("the value is 0.5", "50\\%", True),
        ("$x = 5$", "5", True),
        ("so $\\{1,2\\}$", "\\{2,1\\}", True),
        ("$\\boxed{[1, 2)}$", "1 \\le x < 2", True),
        ("\\boxed{\\begin{pmatrix}2/2\\\\2\\end{pmatrix}}", "\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", True),
        ("$\\frac{1}{2}", "$\\frac{1}{2}$", True),
        ("<think>$7$</think> It is $8$.", "8", True),
        # not
        ("12", "\\sqrt{12}", False),
        ("$x^2+1$", "(x+1)^2", False),
        ("The answer is 7", "8", False),
        ("<think>$8$</think> It is $7$.", "8", False),
        ("$(2,1)$", "(1,2)", False),
    ],
)
def test_equivalence(completion, target, expected):
    results = score_symbolic(completion, [target], seconds=60)
    assert (results.value == CORRECT) == expected, results
    assert results.answer


@installed
def test_any_target_will_do():
    assert score_symbolic("$2^3$", ["7", "8"], seconds=60).value == CORRECT


@installed
def test_no_answer_is_wrong_with_a_reason():
    for completion, reason in [("", "no_response"), ("I do not know it.", "invalid_response_format")]:
        results = score_symbolic(completion, ["8"], seconds=60)
        assert (results.value, results.answer, results.reason) == (INCORRECT, None, reason)


def test_a_sample_without_a_target_is_unscored():
    results = score_symbolic("8", ["", " "])
    assert math.isnan(results.value)
    assert results.reason == "scoring_failed"


HANGS = "$9^{9^{9^9}} - 1$"


@installed
@pytest.mark.parametrize("thread", ["main", "another"])
def test_what_does_not_end_is_stopped_and_unscored(thread):
    results = []
    run = threading.Thread(target=lambda: results.append(score_symbolic(HANGS, ["3"], seconds=1)))
    start = time.monotonic()
    run.run() if thread == "main" else (run.start(), run.join())
    assert time.monotonic() - start < 60
    assert math.isnan(results[0].value)
    assert (results[0].reason, results[0].explanation) == (
        "scoring_failed",
        "Not scored: Math-Verify timed out after 1 s.",
    )
    # The next request goes to a fresh process.
    assert score_symbolic("$2^3$", ["8"], seconds=60).value == CORRECT


@installed
def test_the_event_loop_goes_on_meanwhile():
    async def main():
        state = TaskState(ModelName("none/none"), "id", 1, "question", [])
        state.output = ModelOutput.from_content("none", HANGS)
        scoring = asyncio.create_task(symbolic(seconds=1)(state, Target("3")))
        ticks = 0
        while not scoring.done():
            await asyncio.sleep(0.05)
            ticks += 1
        return ticks, await scoring

    ticks, results = asyncio.run(main())
    assert ticks > 10
    assert math.isnan(results.value)


def test_wrong_arguments_are_refused_before_the_run():
    for seconds in (0, -1, math.inf, math.nan):
        with pytest.raises(UsageError, match=r"^symbolic: seconds=.*: expected a number above 0\.$"):
            symbolic(seconds)


WITHOUT = """
from importlib.machinery import PathFinder

real = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name == "math_verify" else real(name, *rest)
from openbench_scorers.symbolic import symbolic
try:
    symbolic()
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_library_the_message_names_the_extra():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == (
        "UsageError symbolic needs Math-Verify, which is not installed: pip install 'openbench-scorers[math]'\n"
    )


ECHO = '''
"""Echoes, sleeps, dies, or prints nonsense."""

import json, os, sys, time

print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "sleep" in request:
        time.sleep(request["sleep"])
    if "die" in request:
        os._exit(1)
    print(json.dumps({"pid": os.getpid()}), flush=True)
'''


@pytest.fixture
def workers(tmp_path, monkeypatch):
    """A pool of processes of a module that follows requests."""
    (tmp_path / "echo_worker.py").write_text(ECHO, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    pool = Workers("echo_worker")
    yield pool
    pool.close()


def test_a_worker_is_kept_unless_it_failed(workers):
    first = workers.ask({}, 60)
    assert first["pid"] != os.getpid()
    assert workers.ask({}, 60) == first
    assert workers.ask({"die": True}, 60) is None
    second = workers.ask({}, 60)
    assert second != first
    assert workers.ask({"sleep": 100}, 0.2) is None
    assert workers.ask({}, 60) != second


def test_a_worker_that_was_killed_from_outside_costs_one_request(workers):
    os.kill(workers.ask({}, 60)["pid"], signal.SIGKILL)
    assert workers.ask({}, 60) is None
    assert workers.ask({}, 60)


def test_requests_from_many_threads(workers):
    results = []
    threads = [threading.Thread(target=lambda: results.append(workers.ask({"sleep": 0.01}, 60))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20
    assert 1 <= len({reply["pid"] for reply in results}) <= (os.cpu_count() or 1)


def test_a_worker_that_does_not_start():
    with pytest.raises(OpenbenchError, match="no_such_module does not start in a process of its own"):
        Workers("no_such_module").ask({}, 1)
