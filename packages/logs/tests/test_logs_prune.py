"""`bench log prune`: a journal goes only when its logs hold all that it holds."""

import re
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from openbench_testing import ChatServer, Fault

SIZE = re.compile(r"\(\d\.\d MB\)")


@pytest.fixture
def ran(bench, quiz):
    """Run the quiz, and return its directory and its log."""
    with ChatServer("Answer: A") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        [result] = bench("eval", "quiz.py", *model, "--json", cwd=quiz).json()
    [run] = (quiz / "logs" / "runs").iterdir()
    return run, Path(result["log"])


def test_a_complete_run_is_removed(bench, quiz, ran):
    run, log = ran
    before = log.read_bytes()
    for options, done in (["--dry-run"], "would be removed"), ([], "removed"):
        said = bench("log", "prune", "logs", *options, cwd=quiz)
        assert (said.code, SIZE.sub("(N MB)", said.out), said.err) == (0, f"logs/runs/{run.name} (N MB): {done}\n", "")
    assert not run.exists()
    assert log.read_bytes() == before
    said = bench("eval-retry", log, cwd=quiz)
    assert (said.code, said.err) == (2, f"bench: {log} is complete: there is nothing to resume.\n")


def without_a_sample(log):
    read = read_eval_log(str(log))
    read.samples.pop()
    write_eval_log(read, str(log))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (Path.unlink, "{log} does not exist."),
        (without_a_sample, "quiz: {log} is not complete"),
        (lambda log: log.write_text("{}"), "{log} cannot be read as a log: "),
    ],
)
def test_a_run_whose_log_lacks_something_is_kept(bench, quiz, ran, harm, reason):
    run, log = ran
    held = {path: path.read_bytes() for path in run.glob("*.jsonl")}
    harm(log)
    done = bench("log", "prune", run, cwd=quiz)
    assert SIZE.sub("(N MB)", done.out).startswith(f"{run} (N MB): kept: {reason.format(log=log)}"), done.out
    assert {path: path.read_bytes() for path in run.glob("*.jsonl")} == held


def test_an_incomplete_run_is_kept(bench, quiz):
    with ChatServer("Answer: A", faults=[Fault.status(400)]) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        assert bench("eval", "quiz.py", *model, "--no-fail-on-error", cwd=quiz).code == 0
        done = bench("log", "prune", "logs", cwd=quiz)
        assert "is not complete\n" in done.out
        [run] = (quiz / "logs" / "runs").iterdir()
        assert bench("eval", "--resume", run, cwd=quiz).code == 0
        assert len(server.requests) == 7


def test_what_is_no_run_is_left_alone(bench, quiz):
    done = bench("log", "prune", quiz, cwd=quiz)
    text = f"bench: {quiz} is neither a log directory nor a run: it contains no logs, runs/ or run.0.jsonl.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    assert (quiz / "quiz.py").exists()


def test_what_has_no_runs_any_more_has_nothing_to_prune(bench, quiz, ran):
    run, log = ran
    assert bench("log", "prune", run, cwd=quiz).code == 0
    nothing = (0, "logs: nothing to prune\n", "")
    done = bench("log", "prune", "logs", cwd=quiz)
    assert (done.code, done.out, done.err) == nothing
    (quiz / "logs" / "runs").rmdir()
    done = bench("log", "prune", "logs", cwd=quiz)
    assert (done.code, done.out, done.err) == nothing
    assert log.exists()


def test_what_has_no_runs_here_is_wrong_use(bench, tmp_path):
    done = bench("log", "prune", tmp_path / "nowhere", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", f"bench: {tmp_path}/nowhere does not exist.\n")
    done = bench("log", "prune", "s3://evals/team", cwd=tmp_path)
    assert done.code == 2
    assert "s3://evals/team: the runs of remote logs are recorded on this machine. Prune /" in done.err
