"""Ctrl-C keeps what was paid for: the log stays, and the command that is printed asks only for what is missing."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from openbench.cli.results_table import report
from openbench.run.summary import Summary
from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

BENCH = str(Path(sys.executable).with_name("bench"))


def right(request):
    number = int(re.search(r"Question (\d+)", request.prompt)[1])
    return f"Answer: {'ABC'[number % 3]}"


def evaluation(server, *more):
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
    return ["eval", "quiz.py", *options, *more]


def until(condition, child, seconds=60):
    """Wait for a condition, as long as the child lives."""
    end = time.monotonic() + seconds
    while not condition():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


def interrupted(folder, server, *more, after=3, signals=1, gap=0.3, sent=signal.SIGINT, **options):
    """Start an evaluation, send it a signal when the server has seen so many requests, and return what it said."""
    child = subprocess.Popen(
        [BENCH, *evaluation(server, *more)],
        cwd=folder,
        env={**os.environ, "LOCAL_API_KEY": "x"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    try:
        until(lambda: len(server.requests) >= after, child)
        for _ in range(signals):
            child.send_signal(sent)
            time.sleep(gap)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    return child.returncode, out, err


def asked(server):
    return [re.search(r"Question (\d+)", request.prompt)[1] for request in server.requests]


@pytest.mark.parametrize(("engine", "suffix"), [("inspect", "eval"), ("direct", "json")])
def test_an_interrupted_run_goes_on_where_it_stopped(bench, quiz, engine, suffix):
    # The fourth question hangs, so that three are answered when the interrupt comes.
    with ChatServer(right, faults=[None, None, None, Fault.slow(60)]) as server:
        code, out, err = interrupted(quiz, server, "--json", "--engine", engine, after=4)
        assert code == 130, err
        [result] = json.loads(out)
        assert (result["status"], result["completed"], result["samples"], result["errors"]) == ("cancelled", 3, 6, 0)
        assert "Traceback" not in err
        assert "bench: quiz: interrupted after 3 of 6 samples." in err.splitlines()
        printed = re.fullmatch(r"Continue with: bench (eval --resume logs/runs/\S+)", err.splitlines()[-1])
        [log] = quiz.glob(f"logs/*.{suffix}")
        answered = {sample.id for sample in read_eval_log(str(log)).samples if not sample.error}
        assert len(answered) == 3

        first = len(server.requests)
        done = bench(*shlex.split(printed[1]), "--json", cwd=quiz)
        assert done.code == 0, done.err
        [result] = done.json()
        assert (result["score"], result["completed"], result["status"]) == (1.0, 6, "success")
        again = asked(server)[first:]
        assert sorted(again) == sorted({f"{n}" for n in range(6)} - {sample[1:] for sample in answered})
        said = read_eval_log(result["log"], header_only=True).eval.metadata["openbench"]
        assert said["benchmark"] == "quiz"

        # What is complete now is refused, as the log of a whole run is.
        done = bench("eval-retry", result["log"], cwd=quiz)
        text = f"bench: {result['log']} is complete: there is nothing to resume.\n"
        assert (done.code, done.out, done.err) == (2, "", text)
        assert len(server.requests) == first + 3


def ignore_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.parametrize(
    ("more", "options"),
    [
        (("--engine", "inspect"), {}),
        (("--engine", "direct"), {"preexec_fn": ignore_interrupts}),  # as a script's background is started
        (("--engine", "direct", "--processes", "2", "--max-connections", "2"), {"preexec_fn": ignore_interrupts}),
        (("--engine", "inspect", "--processes", "2", "--max-connections", "2"), {}),
    ],
    ids=["inspect", "direct", "direct-processes", "inspect-processes"],
)
def test_sigterm_does_what_an_interrupt_does(bench, quiz, more, options):
    """Containers, schedulers and `timeout` send it, the last one twice."""
    hang = [Fault.slow(60)]
    faults = lambda request, _number: hang.pop() if hang and "Question 5?" in request.prompt else None  # noqa: E731
    with ChatServer(right, faults=faults) as server:
        options |= {"after": 6, "signals": 2, "gap": 0.01, "sent": signal.SIGTERM}
        begun = time.monotonic()
        code, out, err = interrupted(quiz, server, *more, "--json", **options)
        assert time.monotonic() - begun < 50
        assert code == 143, err
        [result] = json.loads(out)
        assert (result["status"], result["completed"], result["samples"], result["errors"]) == ("cancelled", 5, 6, 0)
        assert "Traceback" not in err
        assert "bench: quiz: interrupted after 5 of 6 samples." in err.splitlines()
        printed = re.fullmatch(r"Continue with: bench (eval --resume logs/runs/\S+)", err.splitlines()[-1])
        first = len(server.requests)
        done = bench(*shlex.split(printed[1]), "--json", cwd=quiz)
        assert (done.code, done.json()[0]["completed"], asked(server)[first:]) == (0, 6, ["5"]), done.err


def test_sigterm_ends_the_processes_of_libraries_as_ever(quiz):
    (quiz / "wait.py").write_text(
        "import os, signal, time\n"
        "from openbench.run.process import handle_sigterm, sigterm_received\n"
        "handle_sigterm()\n"
        "read, write = os.pipe()\n"
        "child = os.fork()\n"
        "if child == 0:\n"  # a process of a library's, which is ended as ever
        "    os.write(write, b'.')\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "os.read(read, 1)\n"
        "os.kill(child, signal.SIGTERM)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sigterm_received(), flush=True)\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('it goes on')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', sigterm_received())\n",
        "utf-8",
    )

    def said(**options):
        return subprocess.check_output([sys.executable, "wait.py"], cwd=quiz, text=True, timeout=60, **options)

    assert said() == "-15 False\ninterrupted True\n"
    assert said(preexec_fn=ignore_interrupts) == "-15 False\ninterrupted True\n"


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_an_interrupt_before_the_first_answer_counts_what_was_planned(quiz, engine):
    with ChatServer(right, faults=[Fault.slow(60)]) as server:
        code, _, err = interrupted(quiz, server, "--limit", "2", "--epochs", "2", "--engine", engine, after=1)
    assert code == 130, err
    assert "bench: quiz: interrupted after 0 of 4 samples." in err.splitlines()


def test_impatience_keeps_the_log(quiz):
    """Two interrupts, the second while the first is being served."""
    with ChatServer(right, faults=[None, None, Fault.slow(60)]) as server:
        code, _, err = interrupted(quiz, server, after=3, signals=2)
    assert code in {130, -signal.SIGINT}, err  # a shell says 130 of both; the second may meet a process that is ending
    assert "Continue with: bench eval --resume logs/runs/" in err or "bench: interrupted" in err
    [log] = (path for path in (quiz / "logs").iterdir() if path.is_file())
    assert read_eval_log(str(log), header_only=True).status in {"cancelled", "started"}


def test_impatience_with_several_processes(quiz):
    with ChatServer(right, faults=[None, None, *[Fault.slow(60)] * 4]) as server:
        options = ["--max-connections", "2", "--processes", "2"]
        code, _, err = interrupted(quiz, server, *options, after=4, signals=2)
    assert code in {130, -signal.SIGINT}, err
    assert "RuntimeWarning" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("terminal", [True, False])
def test_the_table_begins_on_a_line_of_its_own(capsys, monkeypatch, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    summary = Summary(
        benchmark="quiz", model="m", status="cancelled", samples=3_000, completed=367, answered=1.0, log="x"
    )
    assert report([summary], as_json=False) == 130
    out, err = capsys.readouterr()
    assert err.startswith("\n") == terminal
    head, row, *_ = (line.split() for line in out.splitlines())
    assert dict(zip(head, row, strict=False)) | {"time": ""} == {
        "benchmark": "quiz",
        "model": "m",
        "score": "cancelled",
        "answered": "100.0%",
        "metric": "-",
        "missing": "2,633",
        "tokens": "0",
        "time": "",
    }


IMPORTS = """
import time
from pathlib import Path

Path("importing").touch()
try:
    time.sleep(60)
except KeyboardInterrupt as error:
    raise {kind}(f"KeyboardInterrupt: {{error}}") from error
"""


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "RuntimeError"])  # pydantic turns one into the other
def test_an_interrupt_of_an_import(quiz, site, kind):
    task = IMPORTS.format(kind=kind)
    metadata = "from acme import made\nslow = made('Slow', module='slow_task', function='slow')"
    site.install("slow", {"slow_meta.py": metadata, "slow_task.py": task}, benchmarks={"slow": "slow_meta:slow"})
    child = subprocess.Popen(
        [BENCH, "eval", "slow", "--baseline", "random"],
        cwd=quiz,
        env={**os.environ, "PYTHONPATH": str(site.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until((quiz / "importing").exists, child)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert (child.returncode, out, err.strip()) == (130, "", "bench: interrupted")


@pytest.fixture
def incomplete(bench, quiz, acme):
    """A log of acme-quiz with one sample that ended in an error, and a server that is well again."""
    broken = [Fault.status(400)]
    with ChatServer(right, faults=lambda _r, _n: broken.pop() if broken else None) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
        more = ["--no-fail-on-error", "--logfile", "run.eval", "--temperature", "0.5", "-T", "shots=2"]
        done = bench("eval", "acme-quiz", *options, *more, cwd=quiz, **acme)
        assert (done.code, len(server.requests)) == (0, 6), done.err
        yield server


def test_only_the_same_run_is_continued(bench, quiz, acme, incomplete):
    again = ". Run bench eval again, or add --rerun-changed to rerun what has changed.\n"

    def retried(*more, **variables):
        return bench("eval-retry", "run.eval", *more, cwd=quiz, **{**acme, **variables})

    rows = (quiz / "rows.jsonl").read_text("utf-8")
    [run] = (quiz / "runs").iterdir()
    begin = f"bench: {run} cannot be resumed, since its samples would not be comparable: "
    # other rows
    (quiz / "rows.jsonl").write_text(rows.replace("Question 5?", "Question 5, please?"), "utf-8")
    done = retried()
    assert re.fullmatch(
        re.escape(begin) + r"dataset was [0-9a-f]{12}…, is [0-9a-f]{12}…" + re.escape(again), done.err
    ), done.err
    assert done.code == 2
    # fewer rows
    (quiz / "rows.jsonl").write_text("".join(rows.splitlines(keepends=True)[:5]), "utf-8")
    assert retried().code == 2
    (quiz / "rows.jsonl").write_text(rows, "utf-8")
    # another version
    info = quiz / "site" / "acme_quiz-2.1.0.dist-info"
    newer = info.rename(info.with_name("acme_quiz-3.0.0.dist-info"))
    metadata = newer / "METADATA"
    metadata.write_text(metadata.read_text("utf-8").replace("2.1.0", "3.0.0"), "utf-8")
    done = retried()
    assert (done.code, done.err) == (2, f"{begin}version was 2.1.0, is 3.0.0{again}")
    newer.rename(info)
    (info / "METADATA").write_text(metadata_of(info).replace("3.0.0", "2.1.0"), "utf-8")
    # an argument that the task no longer has
    task = quiz / "site" / "acme_quiz" / "task.py"
    source = task.read_text("utf-8")
    task.write_text(source.replace(", shots: int = 0", ""), "utf-8")
    done = retried()
    text = f"bench: {run} cannot be resumed: acme-quiz no longer takes shots. Run bench eval again.\n"
    assert (done.code, done.err) == (2, text)
    task.write_text(source, "utf-8")
    assert len(incomplete.requests) == 6  # nobody was asked so far
    # the same
    done = retried("--json", "--log-dir", "again")
    [result] = done.json()
    assert (done.code, result["score"], result["completed"], result["errors"]) == (0, 1.0, 6, 0), done.err
    assert "/again/" in result["log"]
    assert len(incomplete.requests) == 7
    assert incomplete.requests[-1].body["temperature"] == 0.5
    log = read_eval_log(result["log"], header_only=True).eval
    assert log.task_args["shots"] == 2
    assert {k: log.metadata["openbench"][k] for k in ("benchmark", "distribution", "version")} == {
        "benchmark": "acme-quiz",
        "distribution": "acme-quiz",
        "version": "2.1.0",
    }


def metadata_of(info):
    return (info / "METADATA").read_text("utf-8")


def test_logs_that_cannot_be_continued(bench, quiz):
    (quiz / "corrupt.eval").write_bytes(b"PK\x03\x04 half a log")
    (quiz / "empty.json").write_text("", "utf-8")
    (quiz / "other.json").write_text('{"name": "no log"}', "utf-8")
    for log, code, text in (
        ("missing.eval", 2, "missing.eval does not exist."),
        (".", 2, ". is a directory. Name the logs in it."),
        ("corrupt.eval", 1, "corrupt.eval cannot be read as a log: "),
        ("empty.json", 1, "empty.json cannot be read as a log: "),
        ("other.json", 1, "other.json cannot be read as a log: its eval is not valid: Field required"),
    ):
        done = bench("eval-retry", log, cwd=quiz)
        assert (done.code, done.out) == (code, ""), log
        assert done.err.startswith(f"bench: {text}"), done.err
        assert len(done.err.splitlines()) == 1, done.err
    done = bench("eval-retry", cwd=quiz)
    assert (done.code, done.out) == (2, "")


def test_a_log_that_says_nothing_of_openbench(bench, quiz):
    assert bench("eval", "quiz.py", "--baseline", "empty", "--logfile", "run.eval", cwd=quiz).code == 0
    log = read_eval_log(str(quiz / "run.eval"))
    log.eval.metadata = None
    write_eval_log(log, str(quiz / "other.eval"))
    done = bench("eval-retry", "other.eval", cwd=quiz)
    assert (done.code, done.err) == (1, "bench: other.eval was not written by bench eval. Use inspect eval-retry.\n")
