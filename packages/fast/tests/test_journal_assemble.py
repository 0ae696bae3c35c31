"""What is assembled of a run's journals equals the log that the engine wrote."""

import json
import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from openbench.errors import LogError
from openbench.run.identity import CONTENT_KEY
from openbench.run.inspect_engine import json_of
from openbench.run.journal import JournalWriter
from openbench.run.plan import Plan
from openbench.run.run_directory import RunDirectory
from openbench.run.usage import running_seconds
from openbench_fast.assemble import assemble
from openbench_testing import ChatServer, Fault


def local_model(server):
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url]


def mostly_right(request):
    number = int(re.search(r"Question (\d+)", request.prompt)[1])
    return "Answer: C" if number == 4 else f"Answer: {'ABC'[number % 3]}"


@pytest.mark.parametrize("engine", ["inspect", "direct"])
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--epochs", "3", "--epochs-reducer", "mean,max", "-T", "grouped=true"],
        ["--limit", "1,4", "--no-score"],
    ],
    ids=["plain", "epochs", "unscored"],
)
def test_it_equals_the_log(bench, quiz, engine, options):
    with ChatServer(mostly_right) as server:
        done = bench("eval", "quiz.py", *local_model(server), "--engine", engine, *options, "--json", cwd=quiz)
    assert done.code == 0, done.err
    [result] = done.json()
    whole = read_eval_log(result["log"])
    [run] = (quiz / "logs" / "runs").iterdir()
    [job] = RunDirectory.open(run).jobs()
    made = assemble(RunDirectory.open(run), job.id)
    made.samples = list(made.samples)
    write_eval_log(made, str(quiz / "made.json"))
    assert plain(read_eval_log(str(quiz / "made.json"))) == plain(whole)
    assert RunDirectory.open(run).logs() == {job.id: result["log"].removeprefix("file://")}
    assert whole.eval.metadata["openbench"]["run"] == f"runs/{run.name}"
    assert whole.eval.metadata["openbench"]["job"] == job.id


def test_a_log_of_inspects_binary_format_has_the_same_samples(bench, quiz):
    with ChatServer(mostly_right) as server:
        command = ["eval", "quiz.py", *local_model(server), "--engine", "direct", "--log-format"]
        logs = [read_eval_log(bench(*command, each, "--json", cwd=quiz).json()[0]["log"]) for each in ("json", "eval")]
    as_json, as_eval = (
        [(each.id, each.input, each.output.completion, each.scores) for each in log.samples] for log in logs
    )
    assert as_json == as_eval
    assert len(as_json) == 6
    assert logs[0].results == logs[1].results


@pytest.mark.parametrize("in_memory", [0, 10**6])
def test_samples_of_a_journal_are_read_when_they_are_asked_for(bench, quiz, monkeypatch, in_memory):
    monkeypatch.setattr("openbench_fast.assemble.IN_MEMORY", in_memory)
    with ChatServer(mostly_right) as server:
        bench("eval", "quiz.py", *local_model(server), cwd=quiz)
    [run] = (quiz / "logs" / "runs").iterdir()
    directory = RunDirectory.open(run)
    [job] = directory.jobs()
    log, held = (assemble(directory, job.id) for _ in range(2))
    held.samples = list(held.samples)
    assert not isinstance(log.samples, list)
    assert list(log.samples) == held.samples
    assert (next(iter(log.samples)) is next(iter(log.samples))) == (in_memory > 0)
    assert len(log.samples) == 6
    written = json.loads(b"".join(json_of(log, log.samples)))
    write_eval_log(held, str(quiz / "held.json"))
    assert list(written) == list(json.loads((quiz / "held.json").read_bytes()))  # the order of a log's parts
    assert written == json.loads((quiz / "held.json").read_bytes())


def plain(log):
    said = log.model_dump(exclude={"location", "stats", "etag"})
    stats = log.stats.model_dump(include={"model_usage", "role_usage"})
    return {**said, **stats}


def test_errors_are_in_it(bench, quiz):
    with ChatServer(mostly_right, faults=[None, Fault.status(400)]) as server:
        options = ["--no-fail-on-error", "--max-connections", "1", "--engine", "inspect", "--json"]
        [result] = bench("eval", "quiz.py", *local_model(server), *options, cwd=quiz).json()
    [run] = (quiz / "logs" / "runs").iterdir()
    directory = RunDirectory.open(run)
    log = assemble(directory, directory.jobs()[0].id)
    assert (log.status, log.results.completed_samples) == ("success", 5)
    [error] = [sample.error.message for sample in log.samples if sample.error]
    assert error == next(sample.error.message for sample in read_eval_log(result["log"]).samples if sample.error)


def test_each_sample_says_what_it_was_made_of(bench, quiz):
    with ChatServer(mostly_right) as server:
        [result] = bench("eval", "quiz.py", *local_model(server), "--json", cwd=quiz).json()
    digests = {summary.metadata[CONTENT_KEY] for summary in read_eval_log_sample_summaries(result["log"])}
    assert len(digests) == 6
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)


def test_nothing_of_a_run_looks_like_a_log(bench, quiz):
    with ChatServer(mostly_right) as server:
        bench("eval", "quiz.py", *local_model(server), cwd=quiz)
    names = [path.name for path in (quiz / "logs" / "runs").rglob("*") if path.is_file()]
    assert len(names) == 3
    assert not [name for name in names if name.endswith((".json", ".eval"))]


def test_secrets_are_not_kept(bench, quiz):
    with ChatServer(mostly_right) as server:
        secret = ["-M", "api_key=sk-planted-0123456789abcdef0123"]
        done = bench("eval", "quiz.py", *local_model(server), *secret, cwd=quiz)
        assert done.code == 0, done.err
    kept = b"".join(path.read_bytes() for path in (quiz / "logs" / "runs").rglob("*") if path.is_file())
    assert len(kept) > 1000
    assert b"planted" not in kept


@pytest.mark.stress
def test_the_time_between_two_commands_is_not_counted(bench, quiz):
    with ChatServer(mostly_right, faults=[None, Fault.status(400)]) as server:
        options = [*local_model(server), "--no-fail-on-error", "--max-connections", "1", "--json"]
        [first] = bench("eval", "quiz.py", *options, cwd=quiz).json()
        time.sleep(4)
        [run] = (quiz / "logs" / "runs").iterdir()
        [result] = bench("eval", "quiz.py", *options, "--resume", run, cwd=quiz).json()
    assert result["completed"] == 6
    assert first["seconds"] < result["seconds"] + 1
    assert 0 < result["seconds"] < first["seconds"] + 3
    log = read_eval_log(result["log"], header_only=True)
    assert log.eval.metadata["openbench"]["seconds"] == result["seconds"]
    started, ended = map(datetime.fromisoformat, (log.stats.started_at, log.stats.completed_at))
    assert (ended - started).total_seconds() > 4


def test_a_changed_clock_makes_no_time():
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def sample(after, seconds):
        start = (noon + after).isoformat()
        return EvalSample(id=1, epoch=1, input="?", target="A", started_at=start, total_time=seconds)

    beside = [sample(timedelta(seconds=5 * number), 10.0) for number in range(3)]
    assert running_seconds(beside) == 20.0
    assert (
        running_seconds([*beside, sample(timedelta(days=2), 10.0)]) == 30.0
    )  # the clock was put forward, or it paused
    assert 20.0 <= running_seconds([sample(timedelta(days=-2), 10.0), *beside]) <= 30.0
    assert running_seconds([EvalSample(id=1, epoch=1, input="?", target="A")]) == 0.0


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_the_time_without_samples(bench, quiz, engine):
    with ChatServer(mostly_right) as server:
        options = [*local_model(server), "--engine", engine, "--no-log-samples", "--json"]
        [result] = bench("eval", "quiz.py", *options, cwd=quiz).json()
    assert not read_eval_log(result["log"]).samples
    assert 0 < result["seconds"] < 30


def sample(id_="q0", epoch=1, *, text="A", error=None, **more):
    return EvalSample(
        id=id_,
        epoch=epoch,
        input="?",
        target="A",
        messages=[ChatMessageUser(content="?")],
        output=ModelOutput.from_content("m", text),
        scores={"exact": Score(value=1)},
        error=EvalError(message=error, traceback="", traceback_ansi="") if error else None,
        **more,
    )


def header(ids=("q0", "q1"), epochs=1, **config):
    spec = EvalSpec(
        created="2030-01-02T03:04:05+00:00",
        task="quiz",
        dataset=EvalDataset(samples=len(ids), sample_ids=list(ids)),
        model="acme/m",
        config=EvalConfig(epochs=epochs, **config),
    )
    return EvalLog(eval=spec)


@pytest.fixture
def run(tmp_path):
    return RunDirectory.create(str(tmp_path))


@pytest.fixture
def planned_run(run):
    """A run whose plan is recorded, as it is before the first journal is begun."""
    with run.locked():
        run.add_plan(Plan(jobs=[]))
    return run


@pytest.mark.parametrize(
    ("allowed", "errors", "status"),
    [
        (True, 0, "success"),
        (True, 1, "error"),
        (False, 4, "success"),
        (0.5, 1, "success"),
        (0.5, 2, "error"),
        (3, 2, "success"),
        (3, 3, "error"),
    ],
)
def test_a_whole_journal_says_how_its_run_ended(planned_run, allowed, errors, status):
    ids = [f"q{number}" for number in range(4)]
    with JournalWriter(planned_run.path) as writer:
        writer.start("job", header(ids, fail_on_error=allowed))
        for number, id_ in enumerate(reversed(ids)):
            writer.append("job", sample(id_, error="boom" if number < errors else None))
    log = assemble(planned_run, "job")
    assert log.status == status
    assert [each.id for each in log.samples] == ids
    assert (log.results.total_samples, log.results.completed_samples) == (4, 4 - errors)


def test_a_journal_with_samples_missing(planned_run):
    with pytest.raises(LogError, match=r"has no header for job: the run ended before its first sample\.$"):
        assemble(planned_run, "job")
    with JournalWriter(planned_run.path) as writer:
        writer.start("job", header(epochs=2))
        writer.append("job", sample("q1", 2))
        writer.append("job", sample("q0", 2))
        writer.append("job", sample("q1", 1))
    log = assemble(planned_run, "job")
    assert log.status == "started"
    assert [(each.id, each.epoch) for each in log.samples] == [("q1", 1), ("q0", 2), ("q1", 2)]
    assert (log.results.total_samples, log.results.completed_samples) == (4, 3)
