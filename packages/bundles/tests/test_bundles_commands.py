"""`bench data export` and `import`: what a user sees, and a machine without a network."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openbench.cli.main import run
from openbench.datasets.store import Content, Pin, Store
from openbench_bundles.maintenance import size_of
from openbench_testing import HubServer

COMMIT = "c" * 40
ROWS = [{"question": f"Is {n} even?", "answer": "AB"[n % 2]} for n in range(40)]
DATA = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
ADDRESS = "https://example.org/quiz.jsonl"

QUIZ = """
from inspect_ai import task
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.utils.mcq import MCQEval, MCQSample

SOURCE = DatasetSource(source="org/quiz", split="test", revision="c" * 40)
__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "knowledge", [], __name__, "quiz", dataset=SOURCE)


@task
def quiz():
    return MCQEval(
        name="quiz",
        record_to_mcq_sample=lambda row: MCQSample(input=f"{row['question']}\\nA) yes\\nB) no", target=row["answer"]),
        **SOURCE.arguments(),
    )
"""


@pytest.fixture
def data(tmp_path, monkeypatch, capfd):
    """Run `bench data` in this process, with a store of the test's own."""

    def call(*arguments, store="store"):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / store))
        code = run(["data", *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def stored(tmp_path):
    """A store with one pinned file."""
    pin = Pin(ADDRESS, "json", sha256=hashlib.sha256(DATA).hexdigest())
    return Store(tmp_path / "store").get(pin, lambda: Content(ROWS, lambda: DATA)).entry


def test_what_is_exported_is_imported(data, stored, tmp_path):
    what = f"{ADDRESS} ({hashlib.sha256(DATA).hexdigest()[:7]}): 40 rows, {size_of(stored) / 1000:.1f} kB\n"
    code, out, _ = data("export", "x.tar", stored.key[:8])
    head, _, command = out.partition("Import them with: bench ")
    assert (code, head) == (0, f"{what}1 dataset in x.tar: {size_of(stored) / 1000:.1f} kB. ")
    imported = f"{what}1 dataset imported to {tmp_path / 'there'}\n"
    assert data(*command.split()[1:], store="there") == (0, imported, "")
    again = f"0 datasets imported to {tmp_path / 'there'}; 1 already stored\n"
    assert data("import", "x.tar", store="there") == (0, again, "")


@pytest.mark.usefixtures("stored")
def test_an_error_of_the_disk_names_what_failed(data, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    failed = "bench: the export to file/x.tar failed: File exists (file)\n"
    assert data("export", "file/x.tar", "--all") == (1, "", failed)
    assert data("export", "x.tar", "--all")[0] == 0
    failed = f"bench: the import of x.tar to {tmp_path / 'file'} failed: Not a directory ({tmp_path / 'file/locks'})\n"
    assert data("import", "x.tar", store="file") == (1, "", failed)


def test_a_store_that_is_not_a_folder_has_nothing_to_export(data, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    code, out, err = data("export", "x.tar", "--all", store="file")
    assert (code, out, err.startswith(f"bench: {tmp_path / 'file'} is not a folder")) == (2, "", True)
    assert not (tmp_path / "x.tar").exists()


def test_no_secret_of_an_address_is_shown(data, tmp_path):
    pin = Pin("https://bob:planted-pw-1@example.org/quiz.jsonl", "json", sha256=hashlib.sha256(DATA).hexdigest())
    Store(tmp_path / "store").get(pin, lambda: Content(ROWS, lambda: DATA))
    code, out, err = data("export", "x.tar", "--all")
    assert (code, "planted" in out + err) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give either names or --all."),
        (["quiz", "--all"], "Give either names or --all."),
        (["quiz"], "quiz: no stored dataset has this key"),
    ],
)
def test_wrong_use(data, arguments, message):
    code, out, err = data("export", "x.tar", *arguments)
    assert (code, out, err.startswith(f"bench: {message}")) == (2, "", True)


def test_the_package_is_named_when_it_is_missing(data, monkeypatch):
    monkeypatch.setenv("OPENBENCH_PLUGINS", "acme-nothing")
    code, out, err = data("export", "x.tar", "--all")
    start = "bench: bench data comes with openbench-bundles: pip install openbench-bundles"
    assert (code, out, err.startswith(start)) == (2, "", True)


# --- a machine without a network --------------------------------------------------------------------------------------

NO_NETWORK = """
import sys

def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError(f"no network here: {event} {args[-1]}")

sys.addaudithook(refuse)
"""


@pytest.fixture
def fresh_bench(tmp_path):
    """Run `bench` as a shell starts it."""
    steering = ("BENCH_", "INSPECT_", "HF_", "OPENBENCH_", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    kept |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data"), "NO_COLOR": "1"}

    def call(*arguments, **variables):
        command = [str(Path(sys.executable).with_name("bench")), *arguments]
        environment = {**kept, **variables}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=False, text=True, timeout=100
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.mark.stress
def test_a_bundle_makes_a_machine_without_a_network_run_the_benchmark(fresh_bench, data, tmp_path):
    (tmp_path / "quiz.py").write_text(QUIZ, "utf-8")
    with HubServer() as hub:
        hub.add("org/quiz", ROWS, revision=COMMIT)
        pulled = fresh_bench("data", "pull", "quiz.py", **hub.environment(tmp_path / "here"))
        asked = len(hub.requests)
    assert pulled.startswith("quiz: org/quiz test (ccccccc): 40 rows, ")
    assert pulled.endswith(" bytes, fetched\n")
    (tmp_path / "here" / "openbench").rename(tmp_path / "store")
    code, exported, err = data("export", "bundle.tar", "quiz.py")
    assert code == 0, err
    _, imported, _ = data("import", "bundle.tar", store="elsewhere")
    unverified = "; without --digest, rows are not verified against their origin"
    assert imported.splitlines()[-1] == f"1 dataset imported to {tmp_path / 'elsewhere'}{unverified}"
    command = exported.split("bench data ")[-1].split()
    code, _, err = data(*command[:-1], "0" * 32, store="there")
    assert (code, "its rows differ. Nothing was imported." in err) == (1, True)
    _, imported, _ = data(*command, store="there")
    assert imported.splitlines()[-1] == f"1 dataset imported to {tmp_path / 'there'}"
    (tmp_path / "offline").mkdir()
    (tmp_path / "offline" / "sitecustomize.py").write_text(NO_NETWORK)
    isolated = {
        "PYTHONPATH": str(tmp_path / "offline"),
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path / "nothing"),
        "OPENBENCH_DATA_DIR": str(tmp_path / "there"),
    }
    done = json.loads(fresh_bench("eval", "quiz.py", "--baseline", "reference", "--json", **isolated))
    assert [(result["score"], result["completed"]) for result in done] == [(1.0, 40)]
    assert len(hub.requests) == asked
