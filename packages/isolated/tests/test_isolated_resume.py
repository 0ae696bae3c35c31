"""A run in several environments is one run: one command continues it, each job in the version that it had."""

import json
import os
import re
import shlex
import signal
import subprocess
import time

import pytest
from inspect_ai.log import read_eval_log

from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

BOTH = ["--with", "acme-left==1.0", "--with", "acme-right"]


def said(request):
    return re.search(r"acme-dep \d", request.prompt)[0]


def number_of(request):
    return int(re.search(r"question (\d)", request.prompt)[1])


def model(server):
    address = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
    return [*address, "--max-connections", "1", "--no-fail-on-error"]


def runs(folder):
    return list((folder / "logs" / "runs").iterdir())


def way_on(done):
    [line] = [line for line in done.splitlines() if line.startswith("Continue with: ")]
    return shlex.split(line.removeprefix("Continue with: bench "))


@pytest.fixture
def server():
    """A server whose second and fifth answers are no answers: one of each environment."""
    with ChatServer(said, faults=[None, Fault.status(400), None, None, Fault.status(400)]) as server:
        yield server


def test_one_command_continues_all_environments(bench, seen, server, tmp_path):
    first = bench("eval", "left", "right", "--isolated", *BOTH, *model(server))
    assert (first.code, len(server.requests)) == (0, 6), first.err
    [run] = runs(tmp_path)
    assert way_on(first.err) == ["eval", "--resume", f"logs/runs/{run.name}"]

    done = bench(*way_on(first.err), "--json")
    assert done.code == 0, done.err
    told = [(each["benchmark"], each["version"], each["score"], each["completed"]) for each in done.json()]
    assert told == [("left", "1.0", 1.0, 3), ("right", "1.0", 1.0, 3)]
    assert [seen(each["log"]) for each in done.json()] == [{"acme-dep 1"}, {"acme-dep 2"}]
    assert [number_of(request) for request in server.requests[6:]] == [1, 1]
    assert (runs(tmp_path), done.made()) == ([run], [])

    again = bench(*way_on(first.err), "--json")
    assert (again.code, again.json(), len(server.requests)) == (0, done.json(), 8), again.err
    assert again.err.splitlines() == ["left: already complete", "right: already complete"]


def test_a_log_leads_back_to_its_environment(bench, seen, server):
    first = bench("eval", "left", "--isolated", *BOTH[:2], *model(server), "--json")
    done = bench("eval-retry", first.json()[0]["log"], "--json")
    [result] = done.json()
    assert (done.code, result["version"], result["completed"], len(server.requests)) == (0, "1.0", 3, 4), done.err
    assert seen(result["log"]) == {"acme-dep 1"}


def test_versions_side_by_side_go_on_as_such(bench, server):
    versions = ["--with", "acme-left==1.0", "--with", "acme-left==1.1"]
    first = bench("eval", "left", "--isolated", *versions, *model(server), "-T", "level=2")
    assert first.code == 0, first.err
    done = bench(*way_on(first.err), "--json")
    assert done.code == 0, done.err
    assert [(each["version"], each["completed"]) for each in done.json()] == [("1.0", 3), ("1.1", 3)]
    assert len(server.requests) == 8
    arguments = [read_eval_log(each["log"], header_only=True).eval.task_args for each in done.json()]
    assert arguments == [{}, {"level": 2}]


def test_another_version_is_refused_and_said(bench, server, tmp_path):
    assert bench("eval", "left", "--isolated", *BOTH[:2], *model(server)).code == 0
    [run] = runs(tmp_path)
    before = {path: path.read_bytes() for path in run.iterdir() if path.suffix == ".jsonl"}
    for command in (["eval", "--resume", run], ["eval", "left", *model(server), "--resume", run]):
        done = bench(*command, "--isolated", "--with", "acme-left==1.1")
        assert done.code == 2
        assert "would not be comparable: version was 1.0, is 1.1; " in done.err, done.err
    done = bench("eval", "--resume", run, "--executor", "local")
    begin, *_, end = done.err.splitlines()
    assert done.code == 2
    assert begin.startswith(f"bench: {run} cannot be resumed: left@acme-left: no benchmark, group or path of this ")
    assert end == "It ran with acme-left 1.0: install that, or run bench eval again."
    assert {path: path.read_bytes() for path in run.iterdir() if path.suffix == ".jsonl"} == before
    assert len(server.requests) == 3
    # The whole command continues it, too.
    done = bench("eval", "left", *model(server), "--isolated", *BOTH[:2], "--resume", run, "--json")
    assert (done.code, done.json()[0]["completed"], len(server.requests)) == (0, 3, 4), done.err


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_what_was_never_started_runs_as_well(bench, bench_command, variables, seen, tmp_path, end):
    with ChatServer(said, faults=[None, Fault.slow(60)]) as server:
        child = subprocess.Popen(
            bench_command("eval", "left", "right", "--isolated", *BOTH, *model(server)),
            cwd=tmp_path,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with child:
            while len(server.requests) < 2:
                assert child.poll() is None, child.communicate()
                time.sleep(0.05)
            os.kill(child.pid, end)
            _, err = child.communicate(timeout=60)
        [run] = runs(tmp_path)
        command = ["eval", "--resume", f"logs/runs/{run.name}"]
        if end == signal.SIGINT:
            assert way_on(err) == command
        deadline = time.monotonic() + 60
        while (done := bench(*command, "--json")).code == 2 and "is in use by another process" in done.err:
            assert time.monotonic() < deadline  # the worker of a host that was killed ends by itself
    assert done.code == 0, done.err
    assert [(each["benchmark"], each["completed"]) for each in json.loads(done.out)] == [("left", 3), ("right", 3)]
    assert [seen(each["log"]) for each in done.json()] == [{"acme-dep 1"}, {"acme-dep 2"}]
    assert len(server.requests) == 7  # the one that was waited for is asked again
