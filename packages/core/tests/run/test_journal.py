"""The writer of journals: at once in the hands of the operating system, soon on the disk, and honest when it cannot."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from openbench.errors import LogError, UsageError
from openbench.run.journal import SYNC_SECONDS, JournalWriter, read_journal
from openbench.run.plan import Plan
from openbench.run.run_directory import RecordedJob, RunDirectory


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


def held(run):
    return {(sample.id, sample.epoch): sample for sample in read_journal(run, "job").read()}


def test_a_sample_is_there_when_append_returns(run):
    writer = JournalWriter(run.path)
    writer.append("job", sample("q0", error_retries=[]))
    writer.append("job", sample("q0", 2, error="boom"))
    assert read_journal(run, "job").completed == {("q0", 1)}
    assert held(run)[("q0", 2)].error.message == "boom"
    writer.close()


def test_of_several_the_last_that_was_answered_counts(run):
    answers = [("q0", "first", None), ("q0", "second", None), ("q0", "third", "boom")]
    for id_, text, error in [*answers, ("q1", "", "x"), ("q1", "", "y")]:  # each by a command of its own
        with JournalWriter(run.path) as writer:
            writer.append("job", sample(id_, text=text, error=error))
    assert [path.name for path in run.journals("job")] == [f"job.{number}.jsonl" for number in range(5)]
    assert held(run)[("q0", 1)].output.completion == "second"
    assert held(run)[("q1", 1)].error.message == "y"


def test_the_eleventh_file_is_not_the_second(run):
    for number in range(12):
        with JournalWriter(run.path) as writer:
            writer.append("job", sample(text=str(number)))
    assert held(run)[("q0", 1)].output.completion == "11"


def test_copies_of_files_are_ignored(run):
    with JournalWriter(run.path) as writer:
        writer.append("job", sample("q0"))
    for name in ("job.0 (1).jsonl", "job.copy.jsonl", "run (1).jsonl", "run.0 (1).jsonl"):
        (run.path / name).write_bytes(b"{}\n")
    assert [path.name for path in run.journals("job")] == ["job.0.jsonl"]


def test_no_file_stays_open(run):
    """A process may have some hundred, and a run thousands of jobs."""
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    with JournalWriter(run.path) as writer:
        for number in range(10):
            writer.append(f"job{number}", sample())
            assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_many_jobs_are_made_durable_at_once(run, monkeypatch):
    jobs = [RecordedJob(id=f"job{number}", benchmark="quiz", model="acme/m", identity={}) for number in range(50)]
    synced, fsync = [], os.fsync
    with run.locked():
        run.add_plan(Plan(jobs=[]))
        monkeypatch.setattr(os, "fsync", lambda file: synced.append(file) or fsync(file))
        run.add_jobs(*jobs)
        assert len(synced) == 1
        assert run.jobs() == jobs
    assert RunDirectory(run.path).jobs() == jobs


def test_once_a_second_and_at_the_end_samples_are_made_durable(run, monkeypatch):
    synced = []

    def fsync(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", fsync)
    with JournalWriter(run.path) as writer:
        writer.append("job", sample())
        assert not synced
        time.sleep(SYNC_SECONDS)
        writer.append("job", sample())
        assert len(synced) == 1
        writer.append("job", sample())
    assert synced[-1] == run.journals("job")[0].stat().st_size  # closing leaves nothing behind
    assert len(synced) == 2


def append_many(writer):
    for number in range(1000):
        writer.append("job", sample(f"q{number}"))


def test_a_full_disk_damages_nothing(run):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
        with JournalWriter(run.path) as writer:
            with pytest.raises(LogError) as error:
                append_many(writer)
            with pytest.raises(LogError) as again:  # what would follow half a line would be lost with it
                writer.append("job", sample("late"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)
    text = (
        f"{run.path}/job.0.jsonl cannot be written: File too large. What it contains is intact: make room, and resume "
    )
    assert str(error.value) == str(again.value) == f"{text}with bench eval --resume {run.path}"
    journal = read_journal(run, "job")
    whole = len(journal.completed)
    assert whole > 10
    assert journal.damage == [f"{run.path}/job.0.jsonl, line {whole + 1}: cut short by a crash; skipped."]


def test_a_run_that_another_process_works_on(run):
    code = f"""
from pathlib import Path
from openbench.run.run_directory import RunDirectory
with RunDirectory(Path({str(run.path)!r})).locked():
    print("locked", flush=True)
    input()
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(UsageError) as error, run.locked():
            pass
        assert str(error.value) == f"{run.path} is in use by another process. Wait for it to end."
        other.kill()
    with run.locked():  # a lock ends with its process, however that ends
        pass


def test_a_lock_is_not_of_the_processes_that_its_own_divides(run):
    """One that outlives its host would hold it without end."""
    code = f"""
import os, time
from pathlib import Path
from openbench.run.run_directory import RunDirectory
with RunDirectory(Path({str(run.path)!r})).locked():
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
    time.sleep(60)
"""
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with host:
        child = int(host.stdout.readline())
        with pytest.raises(UsageError, match="in use by another process"), run.locked():
            pass
        host.kill()
        host.wait()
        try:
            with run.locked():
                pass
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_directory_that_is_no_run(tmp_path):
    with pytest.raises(UsageError) as error:
        RunDirectory.open(tmp_path)
    assert str(error.value) == (
        f"{tmp_path} is not a run: it has no run.0.jsonl. Runs are the directories in runs/ of a log directory."
    )


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "runs").write_text("", "utf-8")
    with pytest.raises(UsageError, match=r"^the run directory \S+ cannot be written: Not a directory\. Use"):
        RunDirectory.create(str(tmp_path))


def test_remote_logs_have_their_runs_here(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert RunDirectory.create("memory://logs").path.is_relative_to(tmp_path / "openbench" / "runs")
    assert RunDirectory.create(f"file://{tmp_path}/logs").path.parent == tmp_path / "logs" / "runs"
