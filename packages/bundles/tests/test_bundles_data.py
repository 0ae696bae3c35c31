"""`bench data`: what a user sees, and a machine without a network."""

import hashlib
import json

import pytest

from openbench.datasets.store import Content, Pin, Store
from openbench_testing import HubServer

COMMIT = "c" * 40

QUIZ = """
import os
from inspect_ai import task
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.utils.mcq import MCQEval, MCQSample

SOURCE = DatasetSource(**SOURCE_FIELDS)
__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "knowledge", [], __name__, "quiz", dataset=DECLARED)


@task
def quiz(split: str = "test", name: str = "quiz"):
    return MCQEval(
        name="quiz",
        record_to_mcq_sample=lambda row: MCQSample(input=f"{row['question']}\\nA) yes\\nB) no", target=row["answer"]),
        **SOURCE.arguments(split=split),
    )
"""
ROWS = [{"question": f"Is {n} even?", "answer": "AB"[n % 2]} for n in range(40)]
DATA = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def write_quiz(folder, *, declared=True, **source):
    text = QUIZ.replace("SOURCE_FIELDS", repr({"licence": "CC0-1.0", **source}))
    (folder / "quiz.py").write_text(text.replace("DECLARED", "SOURCE" if declared else "None"), "utf-8")


@pytest.fixture
def hub():
    with HubServer() as server:
        yield server


@pytest.fixture
def data(bench, tmp_path):
    """Run `bench data` with a store of the test's own."""

    def run(*arguments, store="store"):
        return bench("data", *arguments, cwd=tmp_path, OPENBENCH_DATA_DIR=str(tmp_path / store), NO_PROXY="localhost")

    return run


@pytest.fixture
def pinned(hub, tmp_path):
    """A quiz whose rows are a pinned file on a server; return the file's URL."""
    url = hub.add_file("quiz.jsonl", DATA)
    write_quiz(tmp_path, source=url, type="json", split="test", sha256=hashlib.sha256(DATA).hexdigest())
    return url


def entry(tmp_path, store="store"):
    [folder] = (tmp_path / store / "entries").iterdir()
    return folder


def test_pull_ls_verify_rm(data, pinned, hub, tmp_path):
    digest = hashlib.sha256(DATA).hexdigest()
    empty = data("ls")
    assert (empty.code, empty.out) == (0, f"0 datasets in {tmp_path / 'store'}: 0 bytes\n")
    pulled = data("pull", "quiz.py")
    size = sum(path.stat().st_size for path in entry(tmp_path).iterdir())
    what = f"{pinned} ({digest[:7]}): 40 rows, {size / 1000:.1f} kB"
    assert (pulled.code, pulled.out) == (0, f"quiz: {what}, fetched\n")
    asked = len(hub.requests)
    assert data("pull", "quiz.py", "-T", "split=dev").out == f"quiz: {what}, already stored\n"
    assert len(hub.requests) == asked
    key = entry(tmp_path).name
    assert data("ls").out.splitlines()[1].split() == [
        *(key[:8], "quiz", pinned, "40", f"{size / 1000:.1f}", "kB", digest[:7], "CC0-1.0", "ok")
    ]
    [told] = data("ls", "--json").json()
    assert {name: told[name] for name in ("key", "benchmarks", "rows", "bytes", "sha256", "licence", "verified")} == {
        "key": key,
        "benchmarks": ["quiz"],
        "rows": 40,
        "bytes": size,
        "sha256": digest,
        "licence": "CC0-1.0",
        "verified": True,
    }
    assert data("verify").out == f"1 dataset in {tmp_path / 'store'}: all verified\n"
    removed = data("rm", "quiz.py")
    assert removed.out == f"removed {what}\n1 dataset removed: {size / 1000:.1f} kB freed\n"
    assert not [*(tmp_path / "store" / "entries").iterdir()]


def test_damage_is_named_and_the_way_out_works(data, bench, pinned, tmp_path):
    data("pull", "quiz.py")
    folder = entry(tmp_path)
    (folder / "source").write_bytes(DATA.replace(b"Is 2", b"Is 3"))
    found = data("verify")
    assert (found.code, found.out) == (1, f"1 dataset in {tmp_path / 'store'}: 1 damaged\n")
    assert found.err.startswith(f"bench: the stored copy of {pinned} is damaged: source has the sha256 ")
    assert data("ls").out.splitlines()[1].endswith("damaged")
    store = {"OPENBENCH_DATA_DIR": str(tmp_path / "store")}
    refused = bench("eval", "quiz.py", "--baseline", "reference", cwd=tmp_path, **store)
    assert refused.code == 1
    assert f"quiz: the stored copy of {pinned} is damaged: source has the sha256 " in refused.err
    again = data("pull", "quiz.py")
    assert (again.code, again.out.rpartition(", ")[2]) == (0, "fetched again: the stored copy was damaged\n")
    assert data("verify").code == 0
    assert bench("eval", "quiz.py", "--baseline", "reference", cwd=tmp_path, **store).code == 0


@pytest.mark.usefixtures("pinned")
def test_an_entry_that_cannot_say_whose_it_is_goes_by_its_key(data, tmp_path):
    data("pull", "quiz.py")
    folder = entry(tmp_path)
    (folder / "manifest.json").write_text("{")
    assert data("ls").out.splitlines()[1].split()[:2] == [folder.name[:8], "?"]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert data("rm", folder.name[:6]).out.splitlines()[0] == f"removed {folder.name} (damaged): {size / 1000:.1f} kB"


def test_an_undeclared_source_is_noted_when_it_is_pulled(data, hub, tmp_path):
    url = hub.add_file("quiz.jsonl", DATA)
    write_quiz(tmp_path, declared=False, source=url, type="json", sha256=hashlib.sha256(DATA).hexdigest())
    data("pull", "quiz.py")
    assert data("ls", "--json").json()[0]["benchmarks"] == ["quiz"]


@pytest.mark.parametrize("declared", [True, False])
def test_what_has_no_pin_or_is_local_is_not_stored(data, hub, tmp_path, declared):
    url = hub.add_file("quiz.jsonl", DATA)
    write_quiz(tmp_path, declared=declared, source=url, type="json")
    unpinned = data("pull", "quiz.py")
    line = f"quiz: {url}: not stored: not pinned, so each run reads it again\n"
    assert (unpinned.code, unpinned.out) == (0, line)
    (tmp_path / "rows.jsonl").write_bytes(DATA)
    write_quiz(tmp_path, declared=declared, source=str(tmp_path / "rows.jsonl"), type="json")
    local = data("pull", "quiz.py")
    line = f"quiz: {tmp_path / 'rows.jsonl'}: not stored: a local file, which each run reads again\n"
    assert (local.code, local.out) == (0, line)
    assert not (tmp_path / "store" / "entries").exists()


def test_rows_that_cannot_be_had_or_kept_fail(data, pinned, tmp_path):
    (tmp_path / "full").write_text("no folder")
    unkept = data("pull", "quiz.py", store="full")
    assert unkept.code == 1
    assert unkept.out == f"quiz: {pinned}: not stored: it cannot be stored in {tmp_path / 'full'}: Not a directory\n"
    write_quiz(tmp_path, source=pinned, type="json", sha256="0" * 64)
    changed = data("pull", "quiz.py")
    assert (changed.code, changed.out) == (1, "")
    assert f"bench: quiz: {pinned} is not the pinned file: its sha256 is " in changed.err


def test_a_store_that_is_no_folder_holds_nothing_that_could_be_sound(data, tmp_path):
    (tmp_path / "file").write_text("no folder")
    for arguments in (["ls"], ["verify"], ["rm", "--all"]):
        done = data(*arguments, store="file")
        assert (done.code, done.out) == (2, "")
        where = "OPENBENCH_DATA_DIR sets the folder of the store."
        assert done.err == f"bench: {tmp_path / 'file'} is not a folder. {where}\n"


def test_no_secret_of_an_address_is_shown_or_kept(data, bench, hub, tmp_path):
    url = hub.add_file("quiz.jsonl", DATA)
    source = {"source": url.replace("//", "//bob:planted-pw-1@"), "type": "json", "split": "test"}
    shown = url.replace("//", "//[redacted]@")
    write_quiz(tmp_path, **source)
    unpinned = data("pull", "quiz.py")
    line = f"quiz: {shown}: not stored: not pinned, so each run reads it again\n"
    assert (unpinned.code, unpinned.out) == (0, line)
    write_quiz(tmp_path, **source, sha256=hashlib.sha256(DATA).hexdigest())
    pinned = data("pull", "quiz.py")
    assert (pinned.code, pinned.out) == (1, "")
    assert pinned.err.startswith(
        f"bench: quiz: {shown} contains a secret, and is pinned: the store and its bundles would keep it"
    )
    store = {"OPENBENCH_DATA_DIR": str(tmp_path / "store")}
    run = bench("eval", "quiz.py", "--baseline", "reference", cwd=tmp_path, **store)
    assert run.code == 2
    kept = Pin(source["source"], "json", sha256=hashlib.sha256(DATA).hexdigest())  # as an older version did
    Store(tmp_path / "store").get(kept, lambda: Content(ROWS, lambda: DATA))
    texts = [data(*arguments) for arguments in (["ls"], ["ls", "--json"])]
    entry(tmp_path).joinpath("source").write_bytes(b"")
    texts += [data("verify"), data("ls", "--json"), data("rm", "--all")]
    assert not [done for done in (unpinned, pinned, run, *texts) if "planted" in done.out + done.err]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pull"], "Give either names or --all."),
        (["rm"], "Give either names or --all."),
        (["pull", "quiz.py", "--all"], "Give either names or --all."),
        (["pull", "--all", "-T", "a=1"], "-T requires names of benchmarks and cannot be combined with --all."),
        (
            ["pull", "quiz.py", "-T", "spilt=dev"],
            "-T spilt: no benchmark of this run has this argument. Did you mean split?",
        ),
        (["pull", "quzi"], "quzi: no benchmark, group or path of this name."),
        (
            ["rm", "quzi"],
            "quzi: no stored dataset has this key or belongs to a benchmark of this name. ",
        ),
    ],
)
def test_wrong_use(data, tmp_path, arguments, message):
    write_quiz(tmp_path, source="org/quiz", split="test", revision=COMMIT)
    done = data(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bench: {message}")


METADATA = """
from openbench.metadata import BenchmarkMetadata


def made(name):
    return BenchmarkMetadata(name, "Installed.", "knowledge", [], "acme_task", name.replace("-", "_"))


BENCHMARKS = {"acme-quiz": made("acme-quiz"), "acme_odd": made("acme_odd")}
"""
TASK = """
import os
from inspect_ai import task
from openbench.utils.mcq import MCQEval, MCQSample


@task
def acme_quiz():
    return MCQEval(
        name="acme_quiz",
        dataset_type="json",
        dataset_path=os.environ["ACME_ROWS"],
        dataset_kwargs={"sha256": "PIN"},
        record_to_mcq_sample=lambda row: MCQSample(input=f"{row['question']}\\nA) yes\\nB) no", target=row["answer"]),
    )


@task
def acme_odd():
    return acme_quiz()
"""


def test_an_installed_benchmark_goes_by_its_names(bench, hub, site, tmp_path):
    """It is pulled by its key and with all others, and removed by the key when it is not installed any more."""
    url = hub.add_file("quiz.jsonl", DATA)
    task = TASK.replace("PIN", hashlib.sha256(DATA).hexdigest())
    files = {"acme_metadata.py": METADATA, "acme_task.py": task}
    site.install("acme-quiz", files, benchmarks={"acme": "acme_metadata:BENCHMARKS"})
    store = {"PYTHONPATH": str(site.folder), "ACME_ROWS": url, "OPENBENCH_DATA_DIR": str(tmp_path / "store")}
    store["OPENBENCH_PLUGINS"] = "acme-quiz,openbench-bundles"
    pulled = bench("data", "pull", "--all", cwd=tmp_path, **store)
    assert pulled.code == 0, pulled.err
    assert [line.partition(": ")[0] for line in pulled.out.splitlines()] == ["acme-quiz", "acme_odd"]
    removed = bench("data", "rm", "acme_quiz@acme-quiz", cwd=tmp_path, **store)
    assert removed.out.splitlines()[-1].startswith("1 dataset removed"), removed.err
    assert bench("data", "pull", "acme-quiz", cwd=tmp_path, **store).code == 0
    gone = {**store, "PYTHONPATH": "", "OPENBENCH_PLUGINS": "openbench-bundles"}
    assert bench("data", "rm", "acme-quiz", cwd=tmp_path, **gone).out.splitlines()[-1].startswith("1 dataset removed")
