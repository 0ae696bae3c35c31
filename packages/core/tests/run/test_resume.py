"""`--resume` and `bench eval-retry`: what was paid for is kept, what is missing runs, and nothing is mixed up."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from openbench.run.journal import read_journal
from openbench.run.run_directory import RunDirectory
from openbench_testing import ChatServer, Fault

BENCH = str(Path(sys.executable).with_name("bench"))
ENGINES = pytest.mark.parametrize("engine", ["inspect", "direct"])
INCOMPLETE_OF_BOTH = pytest.mark.parametrize("incomplete", ["inspect", "direct"], indirect=True)


def mostly_right(request):
    number = number_of(request)
    return "Answer: C" if number == 4 else f"Answer: {'ABC'[number % 3]}"


def number_of(request):
    return int(re.search(r"Question (\d+)", request.prompt)[1])


def evaluation(server, *more):
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
    return ["eval", "quiz.py", *options, *more]


def run_of(folder):
    [run] = (folder / "logs" / "runs").iterdir()
    return run


def journal_of(folder):
    [journal] = [path for path in run_of(folder).glob("*.jsonl") if not path.name.startswith("run.")]
    return journal


def asked(server, since):
    return sorted(map(number_of, server.requests[since:]))


@pytest.fixture
def server():
    """A server whose third and fifth answers are no answers."""
    faults = [None, None, Fault.status(400), None, Fault.status(400)]
    with ChatServer(mostly_right, faults=faults) as server:
        yield server


@pytest.fixture
def incomplete(request, bench, quiz, server):
    """The command of a run in which two samples ended in an error."""
    command = evaluation(server, "--no-fail-on-error", "--engine", getattr(request, "param", "direct"))
    done = bench(*command, cwd=quiz)
    assert (done.code, len(server.requests)) == (0, 6), done.err
    return command


@INCOMPLETE_OF_BOTH
def test_errored_samples_run_again(bench, quiz, server, incomplete):
    wrong = {number_of(server.requests[2]), number_of(server.requests[4])}
    done = bench(*incomplete, "--resume", run_of(quiz), "--json", cwd=quiz)
    [result] = done.json()
    assert "quiz: running 2 of 6 samples, the others are complete" in done.err.splitlines()
    assert (done.code, result["score"], result["completed"], result["errors"]) == (0, 5 / 6, 6, 0)
    assert asked(server, 6) == sorted(wrong)
    log = read_eval_log(result["log"])
    assert [sample.id for sample in log.samples] == [f"q{number}" for number in range(6)]
    assert log.stats.model_usage["openai-api/local/m"].total_tokens == sum(
        sample.model_usage["openai-api/local/m"].total_tokens for sample in log.samples
    )
    # Again: there is nothing to do.
    files = sorted(run_of(quiz).iterdir())
    done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
    assert (done.code, done.json(), done.err) == (0, [result], "quiz: already complete\n")
    assert (len(server.requests), sorted(run_of(quiz).iterdir())) == (8, files)
    # The log is gone, or was never written: it is made of the journals.
    Path(result["log"]).unlink()
    done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
    [made] = done.json()
    assert (done.code, len(server.requests)) == (0, 8), done.err
    assert {**made, "log": "", "seconds": 0} == {**result, "log": "", "seconds": 0}
    assert read_eval_log(made["log"]).samples == log.samples


def test_a_whole_log_that_its_command_did_not_live_to_clean_is_cleaned(bench, quiz):
    with ChatServer(mostly_right) as server:
        [result] = bench(*evaluation(server, "--engine", "inspect", "--json"), cwd=quiz).json()
        log = read_eval_log(result["log"])
        log.eval.model_args = {"api_key": "sk-planted-0123456789abcdef0123"}
        write_eval_log(log, result["log"])
        done = bench("eval", "--resume", run_of(quiz), cwd=quiz)
    assert (done.code, "already complete" in done.err) == (0, True), done.err
    assert read_eval_log(result["log"]).eval.model_args["api_key"] != log.eval.model_args["api_key"]


def test_more_epochs_and_samples_are_only_more(bench, quiz):
    with ChatServer(mostly_right) as server:
        for options, planned, missing in (
            (["--limit", "2"], 2, 2),
            (["--limit", "4", "--epochs", "2"], 8, 6),
            (["--epochs", "2"], 12, 4),
            (["--limit", "3"], 3, 0),
        ):
            before = len(server.requests)
            resume = ["--resume", run_of(quiz)] if before else []
            done = bench(*evaluation(server, *options, *resume, "--json"), cwd=quiz)
            [result] = done.json()
            assert (done.code, result["samples"], result["completed"]) == (0, planned, planned), done.err
            assert len(server.requests) - before == missing
            assert len(read_eval_log(result["log"]).samples) == planned


CHANGES = [
    (["--temperature", "0.5"], "generation was {}, is {'temperature': 0.5}"),
    (["-T", "level=hard"], "arguments was {}, is {'level': 'hard'}"),
    (["--model", "openai-api/local/other"], "model was openai-api/local/m, is openai-api/local/other"),
    (["--sample"], "quiz ships no sample rows"),
]


def test_what_differs_is_said(bench, quiz, server, incomplete):
    run = run_of(quiz)
    contents = {path: path.read_bytes() for path in run.iterdir() if path.suffix == ".jsonl"}
    for change, text in CHANGES:
        command = incomplete[:2] + incomplete[4 if "--model" in change else 2 :]  # without its own model
        done = bench(*command, *change, "--resume", run, cwd=quiz)
        assert done.code == 2, done.err
        assert text in done.err
        if "ships" not in text:
            assert done.err.endswith("Run bench eval again, or add --rerun-changed to rerun what has changed.\n")
    assert len(server.requests) == 6
    assert {path: path.read_bytes() for path in run.iterdir() if path.suffix == ".jsonl"} == contents


GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate
from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("graded", "Graded.", "private", [], __name__, "graded")

@task
def graded() -> Task:
    samples = [Sample(id=f"q{number}", input=f"Question {number}", target="C") for number in range(6)]
    return Task(samples, solver=generate(), scorer=model_graded_qa(model_role="grader"))
"""


@ENGINES
def test_another_grader_is_told(bench, tmp_path, engine):
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")
    with ChatServer(lambda _: "GRADE: C") as server:
        variables = {"LOCAL_API_KEY": "k", "LOCAL_BASE_URL": server.base_url}
        command = ["eval", "graded.py", "--model", "openai-api/local/m", "--engine", engine]

        def graded_by(name, *more):
            grader = f"grader=openai-api/local/{name}"
            return bench(*command, "--model-role", grader, *more, cwd=tmp_path, **variables)

        done = graded_by("grader", "--limit", "4")
        assert done.code == 0, done.err
        run = run_of(tmp_path)
        done = graded_by("grader2", "--resume", run)
        assert done.code == 2
        assert (
            "model_roles was {'grader': {'model': 'openai-api/local/grader'}}, is "
            "{'grader': {'model': 'openai-api/local/grader2'}}." in done.err
        )
        done = graded_by("grader", "--resume", run, "--json")
        assert (done.code, done.json()[0]["samples"], len(server.requests)) == (0, 6, 12), done.err
        # The plan that is stored has the grader, and it is the same one.
        done = bench("eval", "--resume", run, "--json", cwd=tmp_path, **variables)
        assert (done.code, done.err) == (0, "graded: already complete\n")


def test_arguments_of_a_provider_that_change_answers_are_told(bench, quiz):
    command = ["eval", "quiz.py", "--baseline", "constant", "-M"]
    assert bench(*command, "answer=A", "--limit", "2", cwd=quiz).code == 0
    done = bench(*command, "answer=B", "--limit", "4", "--resume", run_of(quiz), cwd=quiz)
    assert done.code == 2
    assert "model_args was {'answer': 'A'}, is {'answer': 'B'}." in done.err
    assert bench(*command, "answer=A", "--limit", "4", "--resume", run_of(quiz), cwd=quiz).code == 0


def test_a_secret_in_an_argument_that_changes_answers_must_be_given_again(bench, quiz, server):
    secrets = ["-M", "project=sk-PLANTED1234567890abc", "-M", "api_key=PLANTED456"]
    command = evaluation(server, *secrets, "--no-fail-on-error")
    assert bench(*command, cwd=quiz).code == 0
    done = bench("eval", "--resume", run_of(quiz), cwd=quiz)
    assert done.code == 2
    assert done.err == (
        f"bench: {run_of(quiz)}: -M project of openai-api/local/m contains a secret, which was not saved. Repeat the "
        "run's whole command with --resume.\n"
    )
    done = bench(*command, "--resume", run_of(quiz), cwd=quiz)
    assert done.code == 0, done.err


@ENGINES
def test_samples_without_a_score_do_not_mix_with_scored_ones(bench, quiz, engine):
    command = ["eval", "quiz.py", "--baseline", "reference", "--engine", engine]
    assert bench(*command, "--limit", "2", "--no-score", cwd=quiz).code == 0
    run = run_of(quiz)
    done = bench(*command, "--limit", "4", "--resume", run, cwd=quiz)
    assert done.code == 2
    assert "scored was False, is True" in done.err
    done = bench(*command, "--limit", "4", "--resume", run, "--no-score", cwd=quiz)
    assert done.code == 0, done.err
    done = bench(*command, "--limit", "4", "--resume", run, "--rerun-changed", "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["score"]) == (0, 1), done.err
    assert all(sample.scores for sample in read_eval_log(result["log"]).samples)


def models(server, *names):
    named = [part for name in names for part in ("--model", f"openai-api/local/{name}")]
    return ["eval", "quiz.py", *named, "--model-base-url", server.base_url]


def test_jobs_are_found_in_any_order_of_models(bench, quiz):
    with ChatServer(mostly_right) as server:
        assert bench(*models(server, "m1", "m2"), cwd=quiz).code == 0
        done = bench(*models(server, "m3", "m1"), "--resume", run_of(quiz), "--rerun-changed", cwd=quiz)
        assert done.code == 0, done.err
        assert len(server.requests) == 18
    assert {request.body["model"] for request in server.requests[12:]} == {"m3"}
    assert "quiz: already complete" in done.err
    assert "(model was openai-api/local/m2, is openai-api/local/m3)" in done.err


def test_a_model_that_is_added_to_a_run(bench, quiz):
    with ChatServer(mostly_right) as server:
        assert bench(*models(server, "m1"), cwd=quiz).code == 0
        done = bench(*models(server, "m1", "m2"), "--resume", run_of(quiz), cwd=quiz)
        assert done.code == 0, done.err
        assert done.err.splitlines()[:2] == ["quiz: already complete", "quiz: running 6 of 6 samples"]
        assert [request.body["model"] for request in server.requests] == ["m1"] * 6 + ["m2"] * 6


@pytest.mark.usefixtures("incomplete")
def test_commands_that_cannot_be(bench, quiz, server):
    run = run_of(quiz)
    for command, text in (
        (["eval"], "bench: Missing argument 'BENCHMARKS...'. Try 'bench eval --help'."),
        (["eval", "--resume", "nowhere"], "bench: nowhere does not exist."),
        (["eval", "--resume", run, "-T", "level=hard"], "bench: -T: --resume without benchmarks runs everything as"),
    ):
        done = bench(*command, cwd=quiz)
        assert (done.code, done.out) == (2, ""), done.err
        assert text in done.err
    assert len(server.requests) == 6


def test_a_run_is_found_by_its_log_directory(bench, quiz, server, incomplete):
    run = run_of(quiz)
    [log] = (quiz / "logs").glob("*.json")
    done = bench("eval", "--resume", f"logs/{log.name}", cwd=quiz)
    told = f"--resume takes a run, and logs/{log.name} is a log. Resume it with: bench eval-retry logs/{log.name}"
    assert (done.code, done.err) == (2, f"bench: {told}\n")
    done = bench("eval", "--resume", "logs", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["completed"], len(server.requests)) == (0, 6, 8), done.err
    assert done.err.splitlines()[0] == f"logs/runs/{run.name} is resumed, the only run in logs"
    other = run.with_name("2999-01-01T00-00-00-abcdef")
    shutil.copytree(run, other)
    for where in ("logs", "logs/runs"):
        done = bench(*incomplete, "--resume", where, cwd=quiz)
        assert (done.code, done.err.splitlines()) == (
            2,
            [
                f"bench: {where} has several runs. Name one of them with --resume, the oldest first:",
                f"  logs/runs/{run.name}",
                f"  logs/runs/{other.name}",
            ],
        )


def test_a_whole_command_writes_its_log_beside_the_run(bench, quiz, server):
    command = evaluation(server, "--no-fail-on-error", "--limit", "4")
    assert bench(*command, "--log-dir", "T10", cwd=quiz).code == 0
    for where, folder in (([], "T10"), (["--log-dir", "new"], "new")):
        done = bench(*command, "--resume", "T10", *where, "--rerun-changed", "--temperature", "0", "--json", cwd=quiz)
        assert done.code == 0, done.err
        assert (quiz / done.json()[0]["log"]).parent == quiz / folder
    assert not (quiz / "logs").exists()


@pytest.mark.usefixtures("incomplete")
def test_complete_logs_among_those_that_are_continued(bench, quiz, server):
    [log] = (quiz / "logs").glob("*.json")
    assert bench("eval", "quiz.py", "--baseline", "empty", "--logfile", "whole.json", cwd=quiz).code == 0
    done = bench("eval-retry", "whole.json", log, log, "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], len(server.requests)) == (0, 6, 8), done.err
    assert done.err.splitlines()[0] == "whole.json is complete: there is nothing to resume."
    done = bench("eval-retry", "whole.json", result["log"], cwd=quiz)
    assert (done.code, done.err) == (2, "bench: whole.json is complete: there is nothing to resume.\n")


@INCOMPLETE_OF_BOTH
@pytest.mark.usefixtures("incomplete")
def test_a_journal_cut_in_the_middle_of_a_line(bench, quiz, server):
    journal = journal_of(quiz)
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-40])
    lost = json.loads(whole.splitlines()[-1])
    done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
    assert done.code == 0, done.err
    assert f"bench: {journal}, line 7: cut short by a crash; skipped." in done.err
    assert int(lost["id"][1:]) in asked(server, 6)
    assert len(server.requests) == 9
    assert done.json()[0]["completed"] == 6
    assert journal.read_bytes() == whole[:-40]


@INCOMPLETE_OF_BOTH
@pytest.mark.usefixtures("incomplete")
def test_a_damaged_journal(bench, quiz, server):
    journal = journal_of(quiz)
    damaged = journal.read_bytes().replace(b"Answer: ", b"Answer, ", 1)
    journal.write_bytes(damaged)
    (run_of(quiz) / "run.0 (1).jsonl").write_bytes(b"a copy")
    number = next(n for n, line in enumerate(damaged.splitlines(), 1) if b"Answer, " in line)
    done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
    assert done.code == 0, done.err
    reason = "does not match its checksum; skipped, and its sample runs again."
    assert f"bench: {journal}, line {number}: {reason}\n" in done.err
    assert "quiz: running 3 of 6 samples, the others are complete\n" in done.err
    assert len(server.requests) == 9
    assert (done.json()[0]["completed"], journal.read_bytes()) == (6, damaged)


@pytest.mark.usefixtures("incomplete")
def test_a_log_from_before_there_were_runs(bench, quiz, server):
    [log] = [path for path in (quiz / "logs").iterdir() if path.is_file()]
    old = read_eval_log(str(log))
    del old.eval.metadata["openbench"]["run"]
    write_eval_log(old, str(quiz / "old" / log.name))
    command = ["eval-retry", str(quiz / "old" / log.name), "--json"]
    done = bench(*command, cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], result["score"], len(server.requests)) == (0, 6, 5 / 6, 8), done.err
    assert Path(result["log"]).parent == quiz / "old"
    [run] = (quiz / "old" / "runs").iterdir()
    assert len(read_journal(RunDirectory(run), RunDirectory(run).jobs()[0].id).completed) == 6
    # One that is refused leaves nothing behind.
    rows = quiz / "rows.jsonl"
    rows.write_text(rows.read_text("utf-8").replace("Question 1", "Question 7"), "utf-8")
    done = bench(*command, cwd=quiz)
    assert (done.code, list((quiz / "old" / "runs").iterdir())) == (2, [run])


def test_a_run_directory_that_cannot_be_made(bench, quiz, server):
    (quiz / "logs").mkdir()
    (quiz / "logs" / "runs").write_text("", "utf-8")
    done = bench(*evaluation(server), cwd=quiz)
    assert (done.code, len(server.requests)) == (2, 0)
    text = r"bench: the run directory \S+ cannot be written: Not a directory\. Use --log-dir\.\n"
    assert re.fullmatch(text, done.err)


def test_an_address_with_a_password(bench, quiz, server):
    address = server.base_url.replace("//", "//me:planted99@")
    command = ["eval", "quiz.py", "--model", "openai-api/local/m", "--model-base-url", address, "--no-fail-on-error"]
    assert bench(*command, cwd=quiz).code == 0
    run = run_of(quiz)
    assert not [path for path in run.iterdir() if b"planted99" in path.read_bytes()]
    done = bench("eval", "--resume", run, cwd=quiz)
    text = (
        f"bench: {run}: the base URL of openai-api/local/m contains a secret, which was not saved. Repeat the "
        "run's whole command with --resume.\n"
    )
    assert (done.code, done.err, len(server.requests)) == (2, text, 6)
    done = bench(*command, "--resume", run, cwd=quiz)
    assert (done.code, len(server.requests)) == (0, 8), done.err


@pytest.mark.stress
def test_without_samples_in_the_log_a_run_goes_on_all_the_same(bench, quiz, server):
    command = evaluation(server, "--no-fail-on-error", "--no-log-samples", "--engine", "inspect")
    assert bench(*command, cwd=quiz).code == 0
    done = bench(*command, "--resume", run_of(quiz), "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], len(server.requests)) == (0, 6, 8), done.err
    assert not read_eval_log(result["log"]).samples


# --- crashes --------------------------------------------------------------------------------------------------------


def started(folder, command, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    variables = {**os.environ, "LOCAL_API_KEY": "x"}
    return subprocess.Popen([BENCH, *command], cwd=folder, env=variables, **pipes, **options)


@pytest.mark.stress
def test_the_log_of_a_killed_run_leads_to_it(bench, quiz):
    with ChatServer(mostly_right, faults=[None, None, None, Fault.slow(60)]) as server:
        child = started(quiz, evaluation(server, "--engine", "direct"))
        while len(server.requests) < 4:
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        child.kill()
        child.communicate()
        [log] = (quiz / "logs").glob("*.json")
        assert read_eval_log(str(log), header_only=True).status == "started"
        done = bench("eval-retry", log, "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], len(server.requests)) == (0, 6, 7), done.err


@pytest.mark.stress
@ENGINES
def test_a_disk_that_fills_up(bench, quiz, engine):
    with ChatServer(mostly_right) as server:
        command = evaluation(server, "--epochs", "10", "--engine", engine)
        full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # noqa: E731
        child = started(quiz, command, preexec_fn=full)
        out, err = child.communicate(timeout=100)
        assert child.returncode == 1, err
        journal = journal_of(quiz)
        assert out == ""
        text = (
            f"bench: {journal.relative_to(quiz)} cannot be written: File too large. What it contains is intact: make "
            f"room, and resume with bench eval --resume {run_of(quiz).relative_to(quiz)}"
        )
        assert text in err.splitlines()
        assert "Traceback" not in err
        first = len(server.requests)
        assert first < 60
        done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
        assert (done.code, done.json()[0]["completed"]) == (0, 60), done.err
        assert len(server.requests) <= 60 + 3


@pytest.mark.parametrize("engine", ["inspect", "direct"])
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_log_directory_that_is_removed_ends_its_run(bench, quiz, engine, processes):
    def answer(request):
        if number_of(request) == 4:
            shutil.rmtree(quiz / "logs", ignore_errors=True)
        return "Answer: A"

    with ChatServer(answer) as server:
        done = bench(*evaluation(server, "--engine", engine, "--processes", processes), cwd=quiz)
    assert (done.code, "Traceback" in done.err) == (1, False), done.err
    assert re.search(r"bench: \S+\.jsonl (was removed during the run|cannot be written: No such file)", done.err)


@pytest.mark.stress
def test_a_run_that_another_command_works_on(bench, quiz):
    with ChatServer(mostly_right, faults=[None, Fault.slow(60)]) as server:
        child = started(quiz, evaluation(server))
        while len(server.requests) < 2:
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        done = bench("eval", "--resume", run_of(quiz), cwd=quiz)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    text = f"bench: {run_of(quiz)} is in use by another process. Wait for it to end.\n"
    assert (done.code, done.err) == (2, text)


@pytest.mark.stress
@ENGINES
def test_the_processes_of_a_run_end_with_its_host(bench, quiz, engine):
    """Though the server is silent; and what they had is continued at once."""
    with ChatServer(mostly_right, faults=[None, None, Fault.slow(60), Fault.slow(60)]) as server:
        more = ("--engine", engine, "--processes", "2", "--max-connections", "2")
        child = started(quiz, evaluation(server, *more))
        while len(server.requests) < 4:
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
        child.communicate(timeout=20)  # its processes have its pipes, too
    [result] = done.json()
    assert (done.code, result["completed"], len(server.requests)) == (0, 6, 8), done.err


# --- what a run holds, and where it lies ------------------------------------------------------------------------------

DATED = """
from datetime import date

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Dated", "Days.", "made", [], __name__, "dated")


@task
def dated(days: object = (), fill: object = None, key: str = "") -> Task:
    kinds = [type(day).__name__ for day in days]
    return Task(dataset=[Sample(id="d", input=f"{kinds} {fill}", target="x")], scorer=match())
"""


def test_arguments_keep_their_types(bench, tmp_path):
    (tmp_path / "dated.py").write_text(DATED, "utf-8")
    with ChatServer("x", faults=[Fault.status(400)]) as server:
        typed = ["-T", "days=[7, '7', 0.5]", "-T", "fill={a: 1, b: .inf}"]
        command = ["eval", "dated.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url]
        assert bench(*command, *typed, "--no-fail-on-error", cwd=tmp_path).code == 1
        done = bench("eval", "--resume", run_of(tmp_path), "--json", cwd=tmp_path)
        assert (done.code, done.json()[0]["completed"]) == (0, 1), done.err
        prompt = "['int', 'str', 'float'] {'a': 1, 'b': inf}"
        assert [request.prompt for request in server.requests] == [prompt] * 2


def test_a_secret_argument_must_be_given_again(bench, tmp_path):
    (tmp_path / "dated.py").write_text(DATED.replace("key:", "api_key:"), "utf-8")
    with ChatServer("x", faults=[Fault.status(400)]) as server:
        command = ["eval", "dated.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url]
        command += ["-T", "api_key=planted-99"]
        assert bench(*command, "--no-fail-on-error", cwd=tmp_path).code == 1
        run = run_of(tmp_path)
        done = bench("eval", "--resume", run, cwd=tmp_path)
        text = f"bench: {run}: -T api_key is a secret, which was not saved. Repeat the run's whole command with "
        assert (done.code, done.err) == (2, f"{text}--resume.\n")
        assert bench(*command, "--resume", run, cwd=tmp_path).code == 0
        assert len(server.requests) == 2


@pytest.mark.usefixtures("incomplete")
def test_a_log_directory_that_was_moved_as_a_whole(bench, quiz, server, tmp_path_factory):
    there = tmp_path_factory.mktemp("there")
    (quiz / "logs").rename(there / "kept")
    [log] = (path for path in (there / "kept").iterdir() if path.is_file())
    [run] = (there / "kept" / "runs").iterdir()
    for command in (["eval-retry", log], ["eval", "--resume", run]):
        done = bench(*command, "--json", cwd=quiz)
        [result] = done.json()
        assert (done.code, result["completed"], len(server.requests)) == (0, 6, 8), done.err
        assert Path(result["log"]).parent == there / "kept"
    assert not (quiz / "logs").exists()


def test_a_local_eval_that_was_moved(bench, quiz, server, incomplete, tmp_path_factory):
    there = tmp_path_factory.mktemp("moved")
    run = run_of(quiz)
    for name in ("quiz.py", "rows.jsonl"):
        (quiz / name).rename(there / name)
    done = bench("eval", "--resume", run, cwd=there)
    text = f"bench: {run} cannot be resumed: {quiz}/quiz.py does not exist. A local eval is a directory or a .py "
    way_out = "If it has moved, repeat the run's whole command with --resume."
    text += f"file that defines __metadata__. {way_out}\n"
    assert (done.code, done.err) == (2, text)
    assert len(server.requests) == 6
    done = bench(*incomplete, "--resume", run, "--json", cwd=there)
    assert (done.code, done.json()[0]["completed"], len(server.requests)) == (0, 6, 8), done.err
    done = bench("eval", "--resume", run, cwd=there)  # the run knows where it is now
    assert (done.code, done.err, len(server.requests)) == (0, "quiz: already complete\n", 8)


@pytest.mark.usefixtures("incomplete")
def test_a_run_that_was_copied_alone(bench, quiz, server, tmp_path_factory):
    there = tmp_path_factory.mktemp("copied") / "runs-of-another"
    shutil.copytree(run_of(quiz), there / "one")
    done = bench("eval", "--resume", there / "one", "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], len(server.requests)) == (0, 6, 8), done.err
    assert Path(result["log"]).parent == there


def test_a_benchmark_that_was_uninstalled(bench, quiz, acme):
    with ChatServer("Answer: A", faults=[Fault.status(400)]) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        assert bench("eval", "acme-quiz", *model, "--no-fail-on-error", cwd=quiz, **acme).code == 0
        done = bench("eval", "--resume", run_of(quiz), cwd=quiz)
    begin, *_, end = done.err.splitlines()
    text = f"bench: {run_of(quiz)} cannot be resumed: acme-quiz@acme-quiz: no benchmark, group or path of this name. "
    assert (done.code, begin) == (2, f"{text}'bench list' shows what is installed.")
    assert end == "It ran with acme-quiz 2.1.0: install that, or run bench eval again."


def test_a_job_that_could_not_start_runs_when_it_can(bench, quiz):
    rows = (quiz / "rows.jsonl").read_text("utf-8")
    (quiz / "other.py").write_text((quiz / "quiz.py").read_text("utf-8").replace("quiz", "other"), "utf-8")
    text = (quiz / "other.py").read_text("utf-8").replace("rows.jsonl", "missing.jsonl")
    (quiz / "other.py").write_text(text, "utf-8")
    with ChatServer(mostly_right) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        done = bench("eval", "quiz.py", "other.py", *model, cwd=quiz)
        assert (done.code, len(server.requests)) == (1, 6), done.err
        (quiz / "missing.jsonl").write_text(rows, "utf-8")
        done = bench("eval", "--resume", run_of(quiz), "--json", cwd=quiz)
        told = [(each["benchmark"], each["completed"]) for each in done.json()]
        assert (done.code, told, len(server.requests)) == (0, [("quiz", 6), ("other", 6)], 12), done.err
