"""What belongs to whom in a store, and what is removed."""

import pytest

from openbench.datasets.formats import pack
from openbench.datasets.pin import Pin, pin_of
from openbench.datasets.store import Content, Entry, Store
from openbench.metadata import DatasetSource
from openbench_bundles.maintenance import fits, record_benchmark, remove, verify

COMMIT = "c" * 40
PIN = Pin("org/quiz", "hf", "all", "test", COMMIT)
ROWS = [{"question": f"What is {n}?", "choices": ["a", "b"], "answer": n % 2} for n in range(6)]
URL = "https://example.org/rows.csv"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def kept(store):
    return store.get(PIN, lambda: Content(ROWS, lambda: pack(ROWS))).entry


def test_an_entry_notes_the_benchmarks_that_it_was_pulled_for(store):
    entry = kept(store)
    before = entry.manifest
    record_benchmark(store, entry, "quiz")
    record_benchmark(store, Entry(entry.folder), "arith")
    record_benchmark(store, Entry(entry.folder), "quiz")
    after = Entry(entry.folder).manifest
    assert after.benchmarks == ("arith", "quiz")
    assert (after.digest, after.fetched_at) == (before.digest, before.fetched_at)
    assert verify(Entry(entry.folder)) == ROWS


def test_an_entry_fits_the_source_of_any_split_and_perhaps_configuration():
    source = DatasetSource(source="org/quiz", split="dev", revision=COMMIT)
    assert fits(PIN, source)
    assert fits(PIN, DatasetSource(source="org/quiz", config="all", revision=COMMIT))
    assert not fits(PIN, DatasetSource(source="org/quiz", config="some", revision=COMMIT))
    assert not fits(PIN, DatasetSource(source="org/quiz", revision="d" * 40))
    file = pin_of(DatasetSource(source=URL, type="csv", sha256="0" * 64, revision=COMMIT), {})
    assert fits(file, DatasetSource(source=URL, type="csv", sha256="0" * 64, revision=COMMIT))
    assert not fits(file, DatasetSource(source=URL, type="csv", sha256="1" * 64))


def test_removing_frees_what_it_says(store):
    entry = kept(store)
    size = sum(path.stat().st_size for path in entry.folder.iterdir())
    assert remove(store, entry) == size > 0
    assert not [path for path in store.root.rglob("*") if path.is_file() and path.parent.name != "locks"]
    assert store.find(PIN) is None
