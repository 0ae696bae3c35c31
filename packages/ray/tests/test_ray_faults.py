"""Nodes and heads that are lost: nothing is lost with them, and nothing is there twice."""

import shlex
import time
from collections import Counter

import pytest
from inspect_ai.log import read_eval_log

pytestmark = pytest.mark.stress


def last_log(bench):
    logs = [read_eval_log(str(log)) for log in (bench.folder / "logs").glob("*.json")]
    return max(logs, key=lambda log: len(log.samples))


@pytest.fixture
def slow(server):
    """A model that takes a while."""
    answer = server._answer
    server._answer = lambda request: time.sleep(0.05) or answer(request)
    return server


def check_whole(log, count):
    assert log.status == "success"
    asked = Counter((sample.id, sample.epoch) for sample in log.samples)
    assert asked == Counter((f"q{number}", epoch) for number in range(count) for epoch in (1, 2))
    assert [sample.error for sample in log.samples if sample.error] == []
    assert log.results.scores[0].metrics["accuracy"].value == 1.0


TWICE_300 = ["-T", "count=300", "--epochs", "2", "--max-connections", "8"]


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_node_that_is_killed_in_the_middle_costs_nothing(bench, frail, slow, model, until, engine):
    running = bench.on(frail, "quiz", *model(slow), *TWICE_300, "--engine", engine, BENCH_WORKERS="")
    until(lambda: len(slow.requests) > 100)
    frail.nodes.pop().kill()
    done = running.wait()
    assert done.code == 0, done.err
    check_whole(last_log(bench), 300)
    assert len({request.prompt for request in slow.requests}) == 300
    assert len(slow.requests) - 600 <= 100  # what the node had in flight, or answered within the last second


def test_a_head_that_is_lost_leaves_a_run_that_goes_on(bench, frail, slow, model, until):
    """The cluster has the nodes that the tests above have left; it is whole when it is started again."""
    running = bench.on(frail, "quiz", *model(slow), *TWICE_300)
    until(lambda: len(slow.requests) > 100)
    frail.kill_head()
    done = running.wait()
    assert done.code == 1, done.err
    assert "Traceback" not in done.err
    [way_on] = [line for line in done.err.splitlines() if line.startswith("Continue with: bench ")]
    ended = len(last_log(bench).samples)
    assert ended >= 50

    frail.restart()  # at the same address
    sent = len(slow.requests)
    done = bench(*shlex.split(way_on)[3:], **bench.token(frail))
    assert done.code == 0, done.err
    check_whole(last_log(bench), 300)
    assert len(slow.requests) - sent == 600 - ended


def test_a_run_goes_on_locally(bench, frail, slow, model, until):
    """When the last node is lost."""
    running = bench.on(frail, "quiz", *model(slow), *TWICE_300, BENCH_WORKERS="")
    until(lambda: len(slow.requests) > 100)
    for node in frail.nodes:
        node.kill()
    done = running.wait()
    assert done.code == 1, done.err
    assert f"bench: quiz: the cluster at {frail.address} no longer has a node that could run a sample" in done.err
    [run] = (bench.folder / "logs" / "runs").iterdir()
    done = bench("eval", "--resume", run, "--ray", "--address", "127.0.0.1:1")
    assert done.code == 2
    assert done.err.endswith("bench: --address 127.0.0.1:1: no cluster is reachable there: Connection refused.\n")
    done = bench("eval", "--resume", run, "--executor", "local")
    assert done.code == 0, done.err
    check_whole(last_log(bench), 300)
