"""The dataset store: what is kept comes back exactly, and what goes wrong in between leaves nothing half."""

import os
import subprocess
import sys
import threading
from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbench.datasets import Rows, read_rows, rows_digest, rows_read
from openbench.datasets.formats import InexactError, pack, unpack
from openbench.datasets.pin import Pin, pin_of
from openbench.datasets.store import Content, DamagedError, Entry, Store
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench_bundles.maintenance import clean, entries_of, verify

COMMIT = "c" * 40
PIN = Pin("org/quiz", "hf", "all", "test", COMMIT)
ROWS = [{"question": f"What is {n}?", "choices": ["a", "b"], "answer": n % 2} for n in range(6)]


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store that is empty, and the one that is used."""
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "store"))
    return Store(tmp_path / "store")


def content(rows=ROWS):
    return Content(rows, lambda: pack(rows))


def refuse():
    raise AssertionError("it was fetched although it is stored")


def kept(store, pin=PIN, rows=ROWS, **options):
    return store.get(pin, lambda: content(rows), **options).entry


def tree(store):
    """Everything in a store but its locks."""
    paths = (path.relative_to(store.root) for path in store.root.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if path.parts[0] != "locks")


# --- rows come back exactly -------------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.binary() | st.decimals(allow_nan=False)
MOMENTS = st.dates() | (st.datetimes(timezones=st.just(UTC)) | st.times()).map(lambda moment: moment.replace(fold=0))
VALUES = st.recursive(
    SCALARS | MOMENTS | st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
)


def exactly(value):
    """A value with the type of every part of it, since 1 == 1.0 == True, and NaN is not itself."""
    if isinstance(value, list):
        return [exactly(part) for part in value]
    if isinstance(value, dict):
        return [(name, exactly(part)) for name, part in value.items()]
    return type(value).__name__, repr(value)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1), min_size=1, max_size=4))
def test_whatever_rows_hold_comes_back_with_its_type(rows):
    assert exactly(unpack(pack(rows))) == exactly(rows)


def test_what_would_come_back_otherwise_is_refused(store):
    with pytest.raises(InexactError) as error:
        pack([{"column": {1, 2}}])
    assert str(error.value) == "its rows cannot be stored exactly: a set is not JSON"
    rows = [{"column": {"$date": "2024-01-02"}}]  # looks like a date
    assert store.get(PIN, lambda: content(rows)).reason.endswith("its rows would not come back exactly")


def test_features_of_datasets_come_back_without_datasets():
    """Images, arrays, class labels and JSON objects of any shape, read by a process that lacks `datasets`."""
    write = """
import sys, datasets
from openbench.datasets.values import rows_digest
from openbench.datasets.formats import pack
picture = {"bytes": datasets.Value("binary"), "path": datasets.Value("string")}
features = datasets.Features({
    "image": picture, "grid": datasets.Array2D((2, 2), "int32"), "any": datasets.Json(),
    "label": datasets.ClassLabel(names=["no", "yes"]), "turns": [{"role": datasets.Value("string")}],
})
rows = {"image": [{"bytes": b"\\x89PNG", "path": "a.png"}, None], "grid": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
        "any": [{"a": 1}, [1, "x", None]], "label": [0, 1], "turns": [[{"role": "user"}], []]}
made = datasets.Dataset.from_dict(rows, features=features).cast_column("image", datasets.Image())
sys.stdout.buffer.write(pack(made.to_list()))
sys.stderr.write(rows_digest(made.to_list()))
"""
    read = """
import sys
from openbench.datasets.values import rows_digest
from openbench.datasets.formats import unpack
sys.stderr.write(rows_digest(unpack(sys.stdin.buffer.read())))
assert not {"datasets", "inspect_ai"} & sys.modules.keys()
"""
    command = [sys.executable, "-W", "ignore", "-c"]
    written = subprocess.run([*command, write], capture_output=True, check=True, timeout=100)
    again = subprocess.run([*command, read], input=written.stdout, capture_output=True, check=True, timeout=100)
    assert written.stderr[-64:] == again.stderr
    assert len(again.stderr) == 64


# --- what is kept, and under which key --------------------------------------------------------------------------------


def test_the_second_time_nothing_is_fetched(store):
    first = store.get(PIN, content, licence="MIT")
    again = store.get(PIN, refuse)
    assert (first.rows, first.fetched, again.rows, again.fetched) == (ROWS, True, ROWS, False)
    said = again.entry.manifest
    assert (said.pin, said.rows, said.licence, said.digest) == (PIN, 6, "MIT", rows_digest(ROWS))
    assert tree(store) == [f"entries/{PIN.key}/manifest.json", f"entries/{PIN.key}/rows.json.gz"]


def test_the_key_is_that_of_the_pin():
    # These keys are folders of stores: another digest would fetch everything again.
    assert PIN.key == "0c3c894b4dc8f02d"
    others = [
        Pin("org/quiz", "hf", "all", "dev", COMMIT),
        Pin("org/quiz", "hf", None, "test", COMMIT),
        Pin("org/quiz", "hf", "all", "test", "d" * 40),
        Pin("org/quiz", "hf", "all", "test", COMMIT, options={"data_dir": "x"}),
    ]
    assert len({pin.key for pin in [PIN, *others]}) == 5


URL = "https://example.org/quiz.csv"


@pytest.mark.parametrize(
    "source",
    [
        {"source": "org/quiz", "split": "test"},
        {"source": "org/quiz", "split": "test", "revision": "main"},
        {"source": "org/quiz", "split": "test", "sha256": "0" * 64},
        {"source": URL, "type": "csv"},
        {"source": URL, "type": "csv", "revision": COMMIT},
        {"source": "/home/me/quiz.csv", "type": "csv", "sha256": "0" * 64},
        {"source": "file:///home/me/quiz.csv", "type": "csv", "sha256": "0" * 64},
    ],
)
def test_what_may_change_or_is_local_has_no_pin(source):
    assert pin_of(DatasetSource(**source), {}) is None


def test_a_pin_knows_what_decides_about_rows_and_no_secret():
    source = DatasetSource(source="org/quiz", config="all", split="test", revision=COMMIT, licence="MIT")
    assert pin_of(source, {"token": "hf_secret", "num_proc": 2, "streaming": None}) == PIN
    assert pin_of(source, {"data_files": ("a", "b")}).options == {"data_files": ["a", "b"]}
    assert pin_of(source, {"features": object()}) is None
    file = DatasetSource(source=URL, type="csv", split="test", sha256="0" * 64)
    assert pin_of(file, {"fs_options": {"key": "secret"}, "delimiter": ";"}) == (
        Pin(URL, "csv", sha256="0" * 64, options={"delimiter": ";"})
    )
    in_commit = DatasetSource(source=f"https://example.org/{COMMIT}/quiz.csv", type="csv", revision=COMMIT)
    assert pin_of(in_commit, {}) == Pin(in_commit.source, "csv", revision=COMMIT)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:planted-pw-1@example.org/quiz.csv", "https://[redacted]@example.org/quiz.csv"),
        ("https://planted-tk-1@example.org/quiz.csv", "https://[redacted]@example.org/quiz.csv"),
        ("ftp://me:planted-pw-1@example.org/quiz.csv", "ftp://[redacted]@example.org/quiz.csv"),
        ("https://example.org/quiz.csv?v=1&token=planted-tk-1", "https://example.org/quiz.csv?v=1&token=[redacted]"),
    ],
)
def test_a_pin_that_would_keep_a_secret_is_refused(address, shown):
    with pytest.raises(UsageError) as error:
        pin_of(DatasetSource(source=address, type="csv", sha256="0" * 64), {})
    assert str(error.value) == (
        f"{shown} contains a secret, and is pinned: the store and its bundles would keep it. Remove the secret from "
        "the address and pass it in fs_options, such as {'headers': {'Authorization': …}}."
    )
    assert pin_of(DatasetSource(source=address, type="csv"), {}) is None
    assert "planted" not in Pin(address, "csv").label


@pytest.mark.parametrize(
    "address",
    [
        "abfs://data@account.dfs.core.windows.net/quiz.csv",
        "sftp://me@example.org/quiz.csv",
        "https://example.org:443/me@home/quiz.csv?download=1&key=quiz",
    ],
)
def test_an_address_with_a_sign_of_a_secret_and_none_is_a_pin(address):
    assert pin_of(DatasetSource(source=address, type="csv", sha256="0" * 64), {}).source == address


def test_where_the_store_is(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENBENCH_DATA_DIR", "here")
    assert Store.here().root == tmp_path / "here"
    monkeypatch.setenv("OPENBENCH_DATA_DIR", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    if sys.platform == "linux":
        assert Store.here().root == tmp_path / "share" / "openbench" / "data"


def test_rows_know_what_they_are(store):
    kept(store)
    source = DatasetSource(source="org/quiz", config="all", split="test", revision=COMMIT)
    with rows_read() as outer:
        with rows_read() as inner:
            rows = read_rows(source)
        read_rows(DatasetSource(source="elsewhere"), fetch=lambda: ROWS[:1])
    assert inner == [rows]
    assert [(each.label, len(each.rows), each.source.revision, each.digest) for each in outer] == [
        ("org/quiz all test", 6, COMMIT, rows_digest(ROWS)),
        ("elsewhere", 1, None, rows_digest(ROWS[:1])),
    ]
    assert Rows("x", ROWS).digest == rows_digest(ROWS) != rows_digest(ROWS[::-1])


# --- damage -----------------------------------------------------------------------------------------------------------


def shorten(path):
    path.write_bytes(path.read_bytes()[:-2])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def edit(path):
    path.write_text(path.read_text().replace('"rows": 6', '"rows": 5'))


def later(path):
    path.write_text(path.read_text().replace('"format": 2', '"format": 3'))


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("rows.json.gz", shorten, "rows.json.gz has the sha256 "),
        ("rows.json.gz", flip, "rows.json.gz has the sha256 "),
        ("rows.json.gz", lambda path: path.unlink(), "rows.json.gz cannot be read: No such file or directory"),
        ("manifest.json", shorten, "manifest.json: "),
        ("manifest.json", edit, "manifest.json: it was changed: its checksum does not match"),
        ("manifest.json", later, "manifest.json: its format is 3; this version of openbench reads format 2"),
        ("manifest.json", lambda path: path.write_text("[]"), "manifest.json: it is not a manifest"),
        ("manifest.json", lambda path: path.unlink(), "manifest.json is missing"),
    ],
)
def test_a_changed_file_is_caught_before_its_rows_are_used(store, name, change, fault):
    entry = kept(store)
    path = entry.folder / name
    change(path)
    with pytest.raises(DamagedError) as error:
        store.get(PIN, refuse)
    assert error.value.fault.startswith(fault)
    label = "org/quiz all test" if name == "rows.json.gz" else PIN.key
    assert str(error.value) == (
        f"the stored copy of {label} is damaged: {error.value.fault} (in {entry.folder}). 'bench data verify' lists "
        f"all damaged copies; 'bench data pull NAME' of its benchmark fetches it again, 'bench data "
        f"rm {PIN.key}' removes it."
    )
    with pytest.raises(DamagedError):
        verify(Entry(entry.folder))


def test_an_entry_under_another_key_is_damaged(store):
    entry = kept(store)
    other = entry.folder.with_name("0" * 16)
    entry.folder.rename(other)
    with pytest.raises(DamagedError, match=f"manifest.json is that of the entry {PIN.key}"):
        Entry(other).rows()


@settings(max_examples=40)
@given(st.data())
def test_every_flipped_bit_is_caught(tmp_path_factory, data):
    store = Store(tmp_path_factory.mktemp("store"))
    entry = kept(store)
    path = entry.folder / data.draw(st.sampled_from(["rows.json.gz", "manifest.json"]))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    try:
        rows = Entry(entry.folder).rows()
    except DamagedError:
        return
    assert path.name == "manifest.json"  # white space, or the letter case of a key's hex digits
    assert rows == ROWS


# --- processes that meet, and processes that die ----------------------------------------------------------------------

PROCESS = """
import hashlib, os, resource, signal, sys
from openbench.datasets import store
from openbench.datasets.store import Content, Pin, Store
ROWS = [{"text": "x" * 100_000}]
DATA = b'{"text": "%s"}' % (b"x" * 100_000)
PIN = Pin("https://example.org/large.jsonl", "json", sha256=hashlib.sha256(DATA).hexdigest())
STORE = Store.here()
def fetch():
    print("fetched", flush=True)
    return Content(ROWS, lambda: DATA)
"""


def process(tmp_path, code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS + code, *map(str, arguments)],
        env={**os.environ, "OPENBENCH_DATA_DIR": str(tmp_path / "store")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_that_want_the_same_fetch_it_once(store, tmp_path):
    together = [process(tmp_path, "print(len(STORE.get(PIN, fetch).rows))") for _ in range(4)]
    out = [each.communicate(timeout=60)[0] for each in together]
    assert sorted(out) == ["1\n", "1\n", "1\n", "fetched\n1\n"]
    [entry] = entries_of(store)
    assert len(verify(entry)) == 1


def test_who_waits_says_so_and_takes_what_the_other_stored(store, caplog):
    fetching, go_on = threading.Event(), threading.Event()

    def fetch():
        fetching.set()
        go_on.wait(20)
        return content()

    thread = threading.Thread(target=lambda: store.get(PIN, fetch))
    thread.start()
    fetching.wait(20)
    threading.Timer(1.3, go_on.set).start()
    assert store.get(PIN, refuse).rows == ROWS
    thread.join()
    assert caplog.messages == ["org/quiz all test: waiting for another process that is writing it"]


KILLED = """
calls = 0
true_sync = store.fsync
def sync(path):
    global calls
    if calls == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    calls += 1
    true_sync(path)
store.fsync = sync
STORE.get(PIN, fetch)
"""


@pytest.mark.parametrize("moment", range(4))
def test_a_kill_leaves_a_whole_entry_or_none(store, tmp_path, moment):
    killed = process(tmp_path, KILLED, moment)
    killed.communicate(timeout=60)
    assert killed.returncode == -9
    whole = moment == 3  # after the rename
    assert [verify(entry) is not None for entry in entries_of(store)] == [True] * whole
    left = [path for path in (store.root / "partial").rglob("*") if path.is_file()]
    assert len(left) == 2 * (not whole)
    assert clean(store) == (0 if whole else pytest.approx(100_000, rel=0.1))
    assert not [*(store.root / "partial").iterdir()]
    again = process(tmp_path, "print(len(STORE.get(PIN, fetch).rows))").communicate(timeout=60)[0]
    assert again == ("1\n" if whole else "fetched\n1\n")


def test_what_a_living_process_writes_is_not_cleaned_away(store):
    with store.locked(PIN.key, "quiz"), store.staged(PIN.key) as folder:
        (folder / "half").write_bytes(b"x" * 10)
        assert clean(Store(store.root)) == 0
        assert (folder / "half").exists()
    assert not folder.exists()


def test_a_full_disk_leaves_nothing_and_the_rows_are_used(store, tmp_path):
    code = """
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
kept = STORE.get(PIN, fetch)
print(len(kept.rows), kept.entry, kept.reason)
"""
    out, err = process(tmp_path, code).communicate(timeout=60)
    assert out == f"fetched\n1 None it cannot be stored in {store.root}: File too large\n"
    assert err == (
        f"https://example.org/large.jsonl: it cannot be stored in {store.root}: File too large; "
        "the next run fetches it again\n"
    )
    assert tree(store) == []


def test_an_interrupt_leaves_nothing(store):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.get(PIN, lambda: Content(ROWS, interrupt))
    assert tree(store) == []
    assert kept(store) is not None


def test_rows_that_would_not_come_back_are_not_kept(store):
    kept_rows = store.get(PIN, lambda: Content(ROWS, lambda: pack(ROWS[:3])))
    assert (kept_rows.rows, kept_rows.entry) == (ROWS, None)
    assert kept_rows.reason == f"it cannot be stored in {store.root}: its rows would not come back exactly"
    assert tree(store) == []
