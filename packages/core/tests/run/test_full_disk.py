"""A real disk that is full, and one that may not be written: what was whole stays whole, and it goes on later."""

import os
import re
import shlex
import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from inspect_ai.log import read_eval_log

import openbench
from openbench.datasets.formats import pack
from openbench.datasets.store import Content, Pin, Store
from openbench.run.journal import read_journal
from openbench.run.run_directory import RunDirectory
from openbench_bundles.maintenance import verify
from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

FULL = "No space left on device"
NOBODY = 65534
ENGINES = pytest.mark.parametrize("engine", ["inspect", "direct"])
PIN = Pin("org/quiz", "hf", "all", "test", "c" * 40)


def content(count):
    rows = [{"id": n, "question": os.urandom(300).hex()} for n in range(count)]
    return Content(rows, lambda: pack(rows))


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "lock" not in path.name}


# --- a full disk ------------------------------------------------------------------------------------------------------


def test_a_full_store_keeps_what_it_has(disk):
    store = Store(disk.folder / "store")
    before = store.get(PIN, lambda: content(100))
    held = files(store.root)
    disk.leave(100)
    other = Pin("org/other", "hf", "all", "test", "c" * 40)
    unkept = store.get(other, lambda: content(1000))
    assert (len(unkept.rows), unkept.entry) == (1000, None)
    assert unkept.reason == f"it cannot be stored in {store.root}: {FULL}"
    assert files(store.root) == held
    assert store.get(PIN, lambda: content(0)).rows == before.rows
    disk.make_room()
    assert verify(store.get(other, lambda: content(1000)).entry)


@pytest.fixture
def full(bench, disk, quiz):
    """Evaluate the quiz on a disk with some kilobytes left, and return what it said and the command that it names."""

    def run(server, engine, kilobytes, *more):
        for name in ("quiz.py", "rows.jsonl"):
            shutil.copy(quiz / name, disk.folder)
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "2"]
        disk.leave(kilobytes)
        return bench("eval", "quiz.py", *model, "--engine", engine, *more, cwd=disk.folder)

    return run


@ENGINES
def test_a_full_disk_stops_a_run_that_goes_on_later(full, bench, disk, engine):
    with ChatServer("Answer: A") as server:
        done = full(server, engine, 300, "--epochs", "60")
        assert (done.code, "Traceback" in done.err) == (1, False), done.err
        [run] = (disk.folder / "logs" / "runs").iterdir()
        assert FULL in done.err
        [way_on] = re.findall(r"(?:ontinue|resume) with:? bench (.+)", done.err)
        if engine == "direct":
            assert f"{FULL}. What it contains is intact: make room, and resume with bench {way_on}" in done.err
        first, held = len(server.requests), files(run)
        directory = RunDirectory.open(run)
        [job] = directory.jobs()
        kept = len(read_journal(directory, job.id).completed)
        assert 10 < kept <= first < 360
        # While there is no room, the same command says so again, and asks no one.
        again = bench(*shlex.split(way_on), cwd=disk.folder)
        assert (again.code, "Traceback" in again.err, FULL in again.err) == (1, False, True), again.err
        assert {path: files(run)[path] for path in held} == held
        disk.make_room()
        done = bench(*shlex.split(way_on), "--json", cwd=disk.folder)
    [result] = done.json()
    assert (done.code, result["completed"], result["errors"]) == (0, 360, 0), done.err
    assert len(read_eval_log(result["log"]).samples) == 360
    assert len(server.requests) - kept <= 360 + 50


def test_a_log_that_does_not_fit_is_made_later(full, bench, disk):
    """The journal of 360 samples takes less than its log and a copy of it."""
    with ChatServer("Answer: A") as server:
        done = full(server, "direct", 8000, "--epochs", "60", "--processes", "1")
        assert done.code == 0, done.err
        [log] = (disk.folder / "logs").glob("*.json")
        log.unlink()
        [run] = (disk.folder / "logs" / "runs").iterdir()
        disk.leave(100)
        done = bench("eval", "--resume", run, cwd=disk.folder)
        assert (done.code, "Traceback" in done.err) == (1, False), done.err
        assert f"{FULL}. Every sample is recorded: make room, and resume with bench eval --resume" in done.err
        disk.make_room()
        done = bench("eval", "--resume", run, "--json", cwd=disk.folder)
        assert (done.code, done.json()[0]["completed"], len(server.requests)) == (0, 360, 360), done.err


# --- what may not be written ------------------------------------------------------------------------------------------


@pytest.fixture
def nobody(tmp_path):
    """The id of a user to whom permissions mean something, and who may come here; None if this one is such a user."""
    if os.geteuid():
        return None
    if not all(folder.stat().st_mode & 0o5 == 0o5 for folder in Path(openbench.__file__).parents):
        pytest.skip("other users cannot read where openbench is installed")
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(folder.stat().st_mode | 0o55)
        if folder.name.startswith("pytest-of-"):
            break
    return NOBODY


def protect(folder):
    """Let everyone read a folder, and no one write in it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def test_a_store_that_cannot_be_written_is_read(nobody, tmp_path):
    store = Store(tmp_path / "store")
    entry = store.get(PIN, lambda: content(10)).entry
    protect(store.root)
    if nobody:
        os.seteuid(nobody)
    try:
        assert len(store.get(PIN, lambda: content(0)).rows) == 10
        unkept = store.get(Pin("org/other", "hf", "all", "test", "c" * 40), lambda: content(5))
        assert (len(unkept.rows), unkept.reason) == (5, f"it cannot be stored in {store.root}: Permission denied")
    finally:
        if nobody:
            os.seteuid(0)
    assert verify(entry)


def test_a_run_that_cannot_be_written_is_refused(bench, nobody, quiz):
    with ChatServer("Answer: A", faults=[None, Fault.status(400)]) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        assert bench("eval", "quiz.py", *model, "--no-fail-on-error", cwd=quiz).code == 0
        [run] = (quiz / "logs" / "runs").iterdir()
        before = files(quiz)
        protect(quiz)
        denied = "cannot be written: Permission denied"
        data = Path(mkdtemp())  # Inspect's, without which nothing runs
        data.chmod(0o777)
        for arguments, text in (
            (["--resume", run, "--trust"], f"the log directory {quiz}/logs {denied}. Use --log-dir."),
            (["quiz.py", *model, "--log-dir", "other"], f"the log directory other {denied}. Use --log-dir."),
            (["--resume", run, "--trust"], f"{run}/lock {denied}."),
        ):
            done = bench("eval", *arguments, cwd=quiz, user=nobody, XDG_DATA_HOME=str(data))
            assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")
            (quiz / "logs").chmod(0o777 if "other" in arguments else 0o555)
        assert (files(quiz), len(server.requests)) == (before, 6)
