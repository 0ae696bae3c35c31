"""`--batch`: requests go through the batch API of a provider, at half the price, and none is paid for twice."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench.errors import UsageError
from openbench.run.models import BATCH_PROVIDERS, check_batches
from openbench_testing import BatchServer, ChatServer, Fault
from openbench_testing.commands.quiz import write_quiz

BENCH = str(Path(sys.executable).with_name("bench"))
QUICK = ("--batch", "--batch-tick", "0.1")
KEY = {"OPENAI_API_KEY": "x"}
PRICES = '[tool.openbench.prices]\n"openai/local" = { input = 2, output = 8 }\n'


def right(request):
    number = int(re.search(r"Question (\d+)", request.prompt)[1])
    return f"Answer: {'ABC'[number % 3]}"


def command(server, *more):
    model = ["--model", "openai/local", "-M", "responses_api=false", "--model-base-url", server.base_url]
    return ["eval", "quiz.py", *model, *QUICK, *more]


@pytest.fixture
def long_quiz(tmp_path):
    """A quiz of 250 questions, and the price of the model that answers them."""
    write_quiz(tmp_path, 250)
    (tmp_path / "openbench.toml").write_text(PRICES, "utf-8")
    return tmp_path


def test_requests_are_sent_in_batches_at_half_the_price(bench, long_quiz):
    with BatchServer(right, looks=2) as server:
        done = bench(*command(server, "--json"), cwd=long_quiz, **KEY)
        assert (done.code, sum(server.batches), len(server.requests)) == (0, 250, 250), done.err
        assert len(server.batches) < 25
    [result] = done.json()
    assert (result["score"], result["completed"], result["status"]) == (1.0, 250, "success")
    tokens = result["input_tokens"], result["output_tokens"]
    assert result["cost"] == pytest.approx((tokens[0] * 1 + tokens[1] * 4) / 1e6)
    assert re.search(r"requests \(pending/completed/failed\)", done.err)
    assert re.search(r"250/250 samples", done.err)
    log = read_eval_log(result["log"], header_only=True)
    assert log.eval.metadata["openbench"]["engine"]["name"] == "inspect"


def test_the_size_of_a_batch_is_chosen(bench, quiz):
    with BatchServer(right) as server:
        done = bench(*command(server, "--batch-size", "4"), cwd=quiz, **KEY)
        assert (done.code, sum(server.batches)) == (0, 6), done.err


def test_a_request_that_fails_in_a_batch_makes_errors_and_no_wrong_answer(bench, quiz):
    faults = lambda request, _: Fault.status(400) if "Question 4?" in request.prompt else None  # noqa: E731
    with BatchServer(right, faults=faults) as server:
        done = bench(*command(server, "--json", "--no-fail-on-error"), cwd=quiz, **KEY)
    [result] = done.json()
    # Inspect fails the requests beside it, too.
    assert result["errors"] >= 1, done.err
    assert (result["completed"] + result["errors"], result["score"] in {None, 1.0}) == (6, True), done.err


@pytest.mark.stress
def test_an_interrupt_loses_no_finished_sample(bench, long_quiz):
    with BatchServer(right) as server:
        # The first batch is complete at once; those that follow never are.
        def slower(request):
            server.looks = 10**6
            return right(request)

        server._answer = slower
        child = subprocess.Popen(
            [BENCH, *command(server, "--batch-size", "100", "--max-connections", "120", "--json")],
            cwd=long_quiz,
            env={**os.environ, **KEY},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + 50
        while len(server.batches) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        finished = len(server.requests)
        assert child.returncode == 130, err
        assert 0 < finished < 250
        printed = re.search(r"Continue with: bench (eval --resume logs/runs/\S+)", err)
        server._answer, server.looks = right, 1
        done = bench(*printed[1].split(), "--json", "--batch", "--batch-tick", "0.1", cwd=long_quiz, **KEY)
        [result] = done.json()
        assert (done.code, result["score"], result["completed"]) == (0, 1.0, 250), done.err
        assert len(server.requests) == 250
        assert len({request.prompt for request in server.requests}) == 250


@pytest.mark.parametrize(
    "model", ["openai-api/local/m", "groq/m", "anthropic/bedrock/m", "google/vertex/m", "ollama/m"]
)
def test_a_model_without_batches_is_refused_before_anything_is_sent(bench, quiz, model):
    with ChatServer(right) as server:
        done = bench("eval", "quiz.py", "--model", model, "--model-base-url", server.base_url, *QUICK, cwd=quiz)
        assert (done.code, server.requests) == (2, [])
    assert done.err.splitlines()[-1] == (
        f"bench: {model}: --batch needs a provider with a batch API that Inspect speaks: anthropic, google, grok, "
        "openai, together (not through Bedrock or Vertex). Leave out --batch."
    )


def test_settings_of_batches_need_batches(bench, quiz):
    done = bench("eval", "quiz.py", "--model", "openai/m", "--batch-size", "5", cwd=quiz)
    assert (done.code, done.err) == (2, "bench: --batch-size and --batch-tick need --batch.\n")


def test_the_direct_engine_leaves_batches_to_inspect(bench, quiz):
    with BatchServer(right) as server:
        done = bench(*command(server, "--engine", "direct"), cwd=quiz, **KEY)
        assert (done.code, server.batches) == (2, [])
    assert done.err.splitlines()[-1] == "bench: quiz: --engine direct cannot run it: --batch needs Inspect's engine."


def test_a_dry_run_and_a_limit_of_cost_know_the_price_in_batches(bench, long_quiz):
    with BatchServer(right) as server:
        done = bench(*command(server, "--dry-run", "--json"), cwd=long_quiz, **KEY)
        assert (done.code, server.batches) == (0, []), done.err
        [estimate] = done.json()
        assert estimate["price"] == {"input": 1.0, "output": 4.0}
        done = bench(*command(server, "--cost-limit", "5", "--limit", "2", "--json"), cwd=long_quiz, **KEY)
    assert done.code == 0, done.err
    log = read_eval_log(done.json()[0]["log"])
    limits = log.eval.metadata["openbench"]["identity"]["limits"]
    assert limits["prices"]["openai/local"]["input"] == 1.0
    used = log.samples[0].model_usage["openai/local"]
    assert used.total_cost == pytest.approx((used.input_tokens + 4 * used.output_tokens) / 1e6)


def test_every_provider_of_the_list_has_batches():
    for provider in BATCH_PROVIDERS:
        check_batches(f"{provider}/model")
    check_batches("openai/azure/model")
    with pytest.raises(UsageError):
        check_batches("mockllm/model")
