"""Limits of samples: what reaches one ends there and says so, and what ran under others is not taken for the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.log import read_eval_log

from openbench.run.identity import limits_of
from openbench.run.plan import EvalOptions, Plan
from openbench.run.resume import are_looser
from openbench_testing import ChatServer, Fault


def evaluate(bench, folder, server, *more):
    model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
    return bench("eval", "quiz.py", *model, *more, cwd=folder)


def right(request):
    number = int(re.search(r"Question (\d)", request.prompt)[1])
    return f"Answer: {'ABC'[number % 3]}" + " indeed" * (10 * number)


@pytest.mark.parametrize(
    ("options", "limits", "text"),
    [
        (["--token-limit", "65"], {"token": 3}, "3 of 6 samples reached a limit and were scored as they were"),
        (["--token-limit", "1000", "--turn-limit", "5"], {}, None),
        (["--cost-limit", "0.05", "--price", "0,1000"], {"cost": 1}, "1 of 6 samples reached a limit"),
    ],
)
def test_a_sample_that_reaches_a_limit_is_scored_and_counted(bench, quiz, options, limits, text):
    with ChatServer(right) as server:
        done = evaluate(bench, quiz, server, *options)
        assert len(server.requests) == 6
    [result] = done.json()
    assert (done.code, result["status"], result["completed"], result["errors"]) == (0, "success", 6, 0), done.err
    assert result["limits"] == limits, done.err
    assert (text is None) == ("reached a limit" not in done.err)
    assert text is None or f"bench: quiz: {text}" in done.err
    log = read_eval_log(result["log"])
    assert [sample.limit.type for sample in log.samples if sample.limit] == [
        kind for kind, count in limits.items() for _ in range(count)
    ]
    assert all(sample.scores for sample in log.samples)
    assert log.eval.metadata["openbench"]["engine"]["name"] == "inspect"


def test_time_is_limited(bench, quiz):
    def slow(request, _number):
        return Fault.silent() if "Question 2?" in request.prompt else None

    with ChatServer(right, faults=slow) as server:
        done = evaluate(bench, quiz, server, "--time-limit", "4")
    [result] = done.json()
    assert (done.code, result["limits"], result["completed"]) == (0, {"time": 1}, 6), done.err


def test_a_cost_without_a_price_is_wrong_use(bench, quiz):
    with ChatServer(right) as server:
        done = evaluate(bench, quiz, server, "--cost-limit", "1")
        assert server.requests == []
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "bench: a cost limit needs the price of openai-api/local/m, which is unknown. Set it with --price IN,OUT,"
        ' or in [tool.openbench.prices]: "openai-api/local/m" = { input = 2, output = 8 }.\n'
    )


def test_the_price_of_the_project(bench, quiz):
    prices = '[tool.openbench.prices]\n"openai-api/local/m" = { input = 0, output = 1000 }\n'
    (quiz / "pyproject.toml").write_text(prices, "utf-8")
    with ChatServer(right) as server:
        done = evaluate(bench, quiz, server, "--cost-limit", "0.05")
    [result] = done.json()
    assert (done.code, result["limits"]) == (0, {"cost": 1}), done.err
    log = read_eval_log(result["log"])
    [used] = log.stats.model_usage.values()
    assert used.total_cost == pytest.approx(used.output_tokens / 1000)
    prices = {"input": 0, "output": 1000, "input_cache_read": 0, "input_cache_write": 0}
    limits = {"cost_limit": 0.05, "prices": {"openai-api/local/m": prices}}
    assert log.eval.metadata["openbench"]["identity"]["limits"] == limits


def test_the_direct_engine_watches_no_limit(bench, quiz):
    with ChatServer(right) as server:
        done = evaluate(bench, quiz, server, "--engine", "direct", "--working-limit", "9")
    text = "bench: quiz: --engine direct cannot run it: --working-limit needs Inspect's engine.\n"
    assert (done.code, done.out, done.err) == (2, "", text)


def test_another_limit_is_another_run(bench, quiz):
    """With --rerun-changed, a higher limit runs again what reached the lower one, and a lower limit everything."""
    with ChatServer(right) as server:
        assert evaluate(bench, quiz, server, "--token-limit", "65").code == 0
        [run] = (quiz / "logs" / "runs").iterdir()

        def again(limit, *more):
            before = len(server.requests)
            done = evaluate(bench, quiz, server, "--token-limit", limit, "--resume", run, *more)
            return done, len(server.requests) - before

        done, asked = again("1000")
        assert (done.code, asked) == (2, 0)
        assert "limits was {'token_limit': 65}, is {'token_limit': 1000}" in done.err
        done, asked = again("1000", "--rerun-changed")
        assert (done.code, asked, done.json()[0]["limits"]) == (0, 3, {}), done.err
        done, asked = again("65", "--rerun-changed")
        assert (done.code, asked, done.json()[0]["limits"]) == (0, 6, {"token": 3}), done.err
        done = bench("eval", "--resume", run, "--token-limit", "9", cwd=quiz)
    assert done.code == 2
    assert done.err.startswith("bench: --token-limit: --resume without benchmarks runs everything as it was.")


def test_limits_of_the_plan_come_before_those_of_the_task():
    task = Task(token_limit=5, time_limit=3)
    plan = Plan(jobs=[], options=EvalOptions(token_limit=9, turn_limit=2))
    assert limits_of(task, plan) == {"time_limit": 3, "token_limit": 9, "turn_limit": 2}
    assert limits_of(Task(), Plan(jobs=[])) == {}


def test_another_price_is_another_limit_of_cost(bench, quiz):
    """Another price runs everything again."""
    with ChatServer(right) as server:
        limited = ["--cost-limit", "0.000001"]
        done = evaluate(bench, quiz, server, *limited, "--price", "1,1")
        assert (done.code, done.json()[0]["limits"]) == (0, {"cost": 6}), done.err
        [run] = (quiz / "logs" / "runs").iterdir()

        def again(price, *more):
            before = len(server.requests)
            done = evaluate(bench, quiz, server, *limited, "--price", price, "--resume", run, *more)
            return done, len(server.requests) - before

        done, asked = again("1,1")
        assert (done.code, asked) == (0, 0), done.err
        done, asked = again("0.0001,0.0001")
        assert (done.code, asked) == (2, 0)
        assert "limits was {'cost_limit': 1e-06, 'prices': {'openai-api/local/m': {'input': 1.0" in done.err
        for price, requests, reached in (("0.0001,0.0001", 6, {}), ("0.00001,0.0001", 6, {}), ("1,1", 6, {"cost": 6})):
            done, asked = again(price, "--rerun-changed")
            assert (done.code, asked, done.json()[0]["limits"]) == (0, requests, reached), done.err


def test_looser_prices():
    def limits(limit, **prices):
        return {"cost_limit": limit, "prices": {model: {"input": price} for model, price in prices.items()}}

    assert are_looser(limits(1, a=2), limits(2, a=2))
    assert not are_looser(limits(1, a=2), limits(1, a=1))
    assert are_looser(limits(1, a=2), {})
    assert not are_looser(limits(1, a=2), limits(1, a=3))
    assert not are_looser(limits(1, a=2), limits(1, a=2, b=1))
    assert not are_looser({"cost_limit": 1}, limits(1, a=1))


LIMITS = st.dictionaries(st.sampled_from(["token_limit", "time_limit", "cost_limit"]), st.integers(1, 9))


@given(LIMITS, LIMITS)
def test_looser_limits_let_pass_what_stricter_ones_do(before, after):
    def passes(use, limits):
        return all(use <= limit for limit in limits.values())

    if are_looser(before, after):
        assert all(passes(use, after) for use in range(10) if passes(use, before))
    assert are_looser(before, {})
    assert are_looser(before, before)
    assert not are_looser({}, {"token_limit": 1})
