"""What goes wrong is known before the first request, or costs its own environment alone."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

ECHO = ["--isolated", "--baseline", "echo", "--json"]
LEFT = ["--with", "acme-left==1.0"]


def whole(variables):
    """Return the folders of the cache that are no look at a package, each of which must be whole."""
    folders = [path for path in Path(variables["OPENBENCH_ENVIRONMENTS"]).glob("environment-*") if path.is_dir()]
    assert all((path / "openbench.json").is_file() for path in folders)
    return folders


# --- wrong use --------------------------------------------------------------------------------------------------------


def test_requirements_that_clash_are_named(bench, variables):
    assert bench("eval", "left", *ECHO, *LEFT).code == 0
    before = whole(variables)
    done = bench("eval", "left", *ECHO, *LEFT, "--with", "acme-dep==2")
    assert (done.code, done.out) == (2, "")
    made, told = done.err.splitlines()
    assert made == "creating an environment for acme-left 1.0"
    assert told.startswith("bench: the requirements acme-left 1.0, openbench-core 1.0.0, ")
    account = told.partition("Because ")[2]  # in uv's words
    assert re.search(r"acme-left\S* depends on acme-dep==1\b", account), told
    assert re.search(r"you require (acme-left\S* and )?acme-dep==2\b", account), told
    assert "we can conclude that your requirements are unsatisfiable. Change a requirement (--with)." in told
    assert whole(variables) == before


UNKNOWN = """nothing: no benchmark, group or path of this name. 'bench list' shows what is installed.
If its package is not installed, add it: --with PACKAGE."""
NOT_THERE = """{}: not installed. Add its package: --with PACKAGE.
acme-left 1.0: nothing@acme-left: there is no such benchmark."""
MALFORMED = "--with acme left: expected a requirement such as openbench-simpleqa==1.0.0."
UNUSED = "--with acme-right: none of its benchmarks is in the run. Name one as NAME@acme-right, or omit the option."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], UNKNOWN),
        (["nothing", *LEFT], NOT_THERE.format("nothing")),
        (["nothing@acme-left", *LEFT], NOT_THERE.format("nothing@acme-left")),
        (["./quiz.py"], "quiz.py: a local eval cannot run with --isolated. Omit --isolated."),
        (["left", "--with", "acme left"], MALFORMED),
        (["left", *LEFT, "--with", "acme-right"], UNUSED),
        (
            ["left", *LEFT, "--with", "acme-left<1.1"],
            "left: several --with requirements select left@acme-left==1.0. Keep one of each.",
        ),
    ],
)
def test_wrong_use_is_told(bench, arguments, message):
    done = bench("eval", *arguments, *ECHO)
    told = "".join(line for line in done.err.splitlines(keepends=True) if not line.startswith("creating "))
    assert (done.code, done.out, told) == (2, "", f"bench: {message}\n")


def test_an_unknown_package_is_told(bench):
    done = bench("eval", "left", *ECHO, "--with", "acme-nowhere==1")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: the requirements acme-nowhere 1 conflict. Because ")
    assert "acme-nowhere" in done.err.partition("Because")[2]


def test_an_option_of_the_executor_needs_the_executor(bench):
    done = bench("eval", "left", *LEFT, "--baseline", "echo")
    assert (done.code, done.out) == (2, "")
    assert "No such option: --with" in done.err or "No such option '--with'" in done.err


def test_an_index_that_is_down_is_no_wrong_use(bench, variables):
    down = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_FIND_LINKS": "", "UV_HTTP_RETRIES": "0"}
    done = bench("eval", "left", *ECHO, "--with", "acme-elsewhere", **down)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("bench: cannot create the environment of acme-elsewhere: ")
    assert "http://127.0.0.1:9/simple/acme-elsewhere/" in done.err
    assert len(done.err.splitlines()) == 1
    assert whole(variables) is not None


def test_a_model_that_cannot_be_had_is_known_before_anything_runs(bench, tmp_path):
    arguments = ["left", "right", "--isolated", *LEFT, "--with", "acme-right", "--model", "nobody/m"]
    done = bench("eval", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "bench: nobody/m: the provider 'nobody' is unknown." in done.err
    assert not list(tmp_path.glob("logs/*"))


# --- what the user has set --------------------------------------------------------------------------------------------


def test_nothing_of_the_host_reaches_an_environment(bench, tmp_path, seen):
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "acme_dep.py").write_text("VERSION = 'trap'\n", "utf-8")
    (tmp_path / "acme_dep.py").write_text("VERSION = 'working directory'\n", "utf-8")
    # No plugin but the executor itself is left here.
    done = bench("eval", "left", *ECHO, *LEFT, PYTHONPATH=str(trap), OPENBENCH_PLUGINS="isolated")
    assert done.code == 0, done.err
    assert seen(done.json()[0]["log"]) == {"acme-dep 1"}


# --- processes --------------------------------------------------------------------------------------------------------


def test_a_process_that_dies_costs_its_own_jobs(bench):
    done = bench("eval", "killed", "left", *ECHO, *LEFT, "--with", "acme-killed")
    assert done.code == 1
    killed, left = done.json()
    assert (killed["benchmark"], killed["status"], left["status"], left["score"]) == ("killed", "error", "success", 1.0)
    text = (
        "bench: killed@acme-killed==1.0: its process was killed by SIGKILL before it returned a result. "
        "Its logs are in the log directory."
    )
    assert text in done.err.splitlines()


def started(tmp_path, variables, command, server, *benchmarks):
    model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
    return subprocess.Popen(
        command("eval", *benchmarks, "--isolated", *LEFT, "--with", "acme-right", *model, "--json"),
        cwd=tmp_path,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(condition, child, seconds=100):
    end = time.monotonic() + seconds
    while not condition():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_what_was_logged_and_starts_nothing_more(tmp_path, variables, bench_command, sent, code):
    with ChatServer("acme-dep 1", faults=[None, None, Fault.slow(60)]) as server:
        child = started(tmp_path, variables, bench_command, server, "left", "right")
        try:
            until(lambda: len(server.requests) >= 3, child)
            os.killpg(child.pid, sent)  # as a terminal does
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
    assert child.returncode == code, err
    assert "Traceback" not in err
    assert "bench: left: interrupted after 2 of 3 samples." in err.splitlines()
    assert "bench: right: not started." in err.splitlines()
    [log] = tmp_path.glob("logs/*.*")
    read = read_eval_log(str(log))
    assert (read.status, len([sample for sample in read.samples if not sample.error])) == ("cancelled", 2)
    assert '"status": "cancelled"' in out


def test_a_run_ends_with_its_host(tmp_path, variables, bench_command):
    """A host that is killed leaves no one behind who goes on paying."""
    with ChatServer("acme-dep 1", faults=[None, Fault.slow(60)]) as server:
        child = started(tmp_path, variables, bench_command, server, "left", "right")
        until(lambda: len(server.requests) >= 2, child)
        child.kill()
        child.wait()

        def ended():
            logs = list(tmp_path.glob("logs/*.*"))
            return bool(logs) and read_eval_log(str(logs[0]), header_only=True).status == "cancelled"

        end = time.monotonic() + 60
        while not ended():
            assert time.monotonic() < end
            time.sleep(0.2)
    child.stdout.close()
    child.stderr.close()


# --- the cache --------------------------------------------------------------------------------------------------------


def making(tmp_path, variables, command, requirement):
    """Start what makes an environment, and is refused once it is made."""
    return subprocess.Popen(
        command("eval", "left", *ECHO, "--with", requirement, "-T", "nothing=1"),
        cwd=tmp_path,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_two_commands_make_an_environment_once(tmp_path, variables, bench_command):
    children = [making(tmp_path, variables, bench_command, "acme-left<=1.0") for _ in range(2)]
    said = [child.communicate(timeout=100)[1] for child in children]
    assert [child.returncode for child in children] == [2, 2], said
    assert "".join(said).count("creating an environment for acme-left<=1.0\n") == 1


def test_an_interrupt_leaves_nothing_half_made(tmp_path, variables, bench_command):
    before = whole(variables)
    child = making(tmp_path, variables, bench_command, "acme-left!=1.1")
    with child:
        assert child.stderr.readline() == "creating an environment for acme-left!=1.1\n"
        os.killpg(child.pid, signal.SIGINT)
        assert (child.wait(timeout=60), child.stderr.read().strip()) == (130, "bench: interrupted")
    assert whole(variables) == before
