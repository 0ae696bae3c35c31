"""Requests that failed are sent again as often as was said, and when the server wants them."""

import asyncio
import importlib
import re
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig, RetryDecision

from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench_retries import policy
from openbench_retries.policy import MAX_PAUSE, MAX_RETRY_AFTER, pauses
from openbench_testing import ChatServer, Fault

importlib.import_module("openbench.run.engine")  # the policy applies only where openbench runs models


def provider(asked=None):
    return SimpleNamespace(should_retry=lambda _error: RetryDecision.rate_limit(retry_after=asked))


def attempts(number, seconds=0.0, error=None):
    error = error or RuntimeError()
    return SimpleNamespace(
        attempt_number=number, seconds_since_start=seconds, outcome=SimpleNamespace(exception=lambda: error)
    )


def test_pauses_grow_to_a_minute():
    pause = pauses(provider(), chance=lambda: 0.0)
    assert [pause(attempts(number)) for number in range(1, 10)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert pauses(provider(), chance=lambda: 1.0)(attempts(3)) == 1.5


def test_a_server_is_obeyed():
    assert pauses(provider(7.0), chance=lambda: 0.0)(attempts(5)) == 7.0
    assert pauses(provider(7.0), chance=lambda: 1.0)(attempts(1)) == pytest.approx(7.7)
    assert pauses(provider(86_400.0), chance=lambda: 0.0)(attempts(1)) == MAX_RETRY_AFTER


def test_no_pause_goes_beyond_the_timeout():
    pause = pauses(provider(7.0), 10, chance=lambda: 0.0)
    assert [pause(attempts(1, seconds)) for seconds in (0, 4, 9, 11)] == [7, 6, 1, 0]


@given(st.integers(1, 10_000), st.none() | st.floats(0.001, 1e9), st.floats(0, 1), st.none() | st.floats(0, 1e4))
def test_a_pause_is_never_negative_nor_endless(number, asked, chance, timeout):
    pause = pauses(provider(asked), timeout, chance=lambda: chance)(attempts(number, 1.0))
    assert 0 <= pause <= (MAX_PAUSE if asked is None else 1.1 * MAX_RETRY_AFTER)
    assert asked is None or timeout is not None or pause >= min(asked, MAX_RETRY_AFTER)


def local(server, **args):
    return ModelSpec(name="openai-api/local/m", base_url=server.base_url, args=args)


@pytest.fixture
def _key(monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    monkeypatch.setattr(policy, "FIRST_PAUSE", 0.05)


def ask(model):
    async def generate():
        async with model:
            return await model.generate("Well?")

    return asyncio.run(generate())


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(("retries", "args", "requests"), [(0, {}, 1), (1, {}, 2), (1, {"max_retries": 1}, 4)])
def test_as_many_requests_as_retries_and_one(retries, args, requests):
    with ChatServer(faults=lambda *_: Fault.status(500)) as server:
        with pytest.raises(Exception, match="InternalServerError"):
            ask(make_model(local(server, **args), GenerateConfig(max_retries=retries)))
        assert len(server.requests) == requests


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_waited_for(as_date):
    with ChatServer("now", faults=[Fault.rate_limit(1, as_date=as_date)]) as server:
        began = time.monotonic()
        assert ask(make_model(local(server))).completion == "now"
        assert len(server.requests) == 2
    assert time.monotonic() - began >= (0.9 if as_date else 1)


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(("retries", "requests"), [(1, 2), (None, 4)])
def test_a_stream_that_was_cut_off_is_no_answer(retries, requests):
    with ChatServer("one two three four", faults=lambda *_: Fault.cut_stream()) as server:
        with pytest.raises(Exception, match=r"FaultyResponseError|the server ended its stream"):
            ask(make_model(local(server, stream=True), GenerateConfig(max_retries=retries)))
        assert len(server.requests) == requests


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", [Fault.empty(), Fault.no_choices(), Fault.cut_stream()])
def test_what_is_no_answer_is_asked_for_again(kind, stream):
    with ChatServer("whole and well", faults=[kind]) as server:
        assert ask(make_model(local(server, stream=stream))).completion == "whole and well"
        assert len(server.requests) == 2


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize("kind", [Fault.truncated(), Fault.reset(), Fault.half_closed(), Fault.disconnect()])
@pytest.mark.parametrize("stream", [False, True])
def test_a_broken_connection_is_tried_again(kind, stream):
    with ChatServer("whole and well", faults=[kind]) as server:
        assert ask(make_model(local(server, stream=stream))).completion == "whole and well"
        assert len(server.requests) == 2


ENGINES = [("direct", 1), ("direct", 2), ("inspect", 1), ("inspect", 2)]


def asked(server, text="Question 4?"):
    return sum(text in request.prompt for request in server.requests)


def failing(text, fault):
    return lambda request, _number: fault if text in request.prompt else None


@pytest.mark.stress
@pytest.mark.parametrize(("engine", "processes"), ENGINES)
@pytest.mark.parametrize(
    ("options", "fault", "requests"),
    [
        (["--max-retries", "0"], Fault.status(500), 1),
        (["--max-retries", "1"], Fault.status(503), 2),
        (["--max-retries", "1", "--retry-on-error=1"], Fault.rate_limit(0.1), 4),
        (["--timeout", "3", "--retry-on-error=1"], Fault.silent(), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_requests_of_a_run_are_as_many_as_was_said(bench, quiz, engine, processes, options, fault, requests):
    with ChatServer("Answer: A", faults=failing("Question 4?", fault)) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json", "--no-fail-on-error"]
        how = ["--engine", engine, "--processes", processes]
        done = bench("eval", "quiz.py", *model, *how, *options, cwd=quiz)
        assert (asked(server), len(server.requests)) == (requests, requests + 5), done.err
    [result] = done.json()
    assert (done.code, result["completed"], result["errors"]) == (0, 5, 1)
    [errored] = [sample for sample in read_eval_log(result["log"]).samples if sample.error]
    assert errored.id == "q4"
    assert re.match(r"sample 'q4': (openai\.\w+Error|\S+AttemptTimeoutError)", result["first_error"])
    assert len(errored.error_retries or ()) == (int(options[-1][-1]) if "--retry" in options[-1] else 0)
