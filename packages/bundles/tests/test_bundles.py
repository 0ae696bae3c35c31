"""Bundles of the dataset store: what goes out comes in, whole, and nothing else does."""

import contextlib
import gzip
import hashlib
import io
import json
import tarfile

import pytest

from openbench.datasets.formats import pack
from openbench.datasets.store import FORMAT, Content, DamagedError, Manifest, Pin, Store
from openbench.datasets.values import content_digest
from openbench.errors import DataError, UsageError
from openbench_bundles import bundle_digest, export_entries, import_entries
from openbench_bundles.maintenance import entries_of, size_of, verify

ROWS = {split: [{"q": f"{split} {n}?", "a": [n, None]} for n in range(3)] for split in ("dev", "test")}
DEV, TEST = (Pin("org/quiz", "hf", None, split, "c" * 40) for split in ROWS)


def content(rows):
    return Content(rows, lambda: pack(rows))


@pytest.fixture
def store(tmp_path):
    """A store with two entries."""
    made = Store(tmp_path / "store")
    for pin in (DEV, TEST):
        made.get(pin, lambda pin=pin: content(ROWS[pin.split]), licence="MIT")
    return made


@pytest.fixture
def there(tmp_path):
    """A store of another machine, which is empty."""
    return Store(tmp_path / "there")


def files(root):
    """Everything in a folder but locks, with its content."""
    paths = [path for path in root.rglob("*") if path.is_file() and path.parent.name != "locks"]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def import_error(there, bundle):
    before = files(there.root)
    with pytest.raises(DataError) as error:
        import_entries(there, bundle)
    assert files(there.root) == before
    assert not [*(there.root / "partial").iterdir()]
    return str(error.value)


@pytest.mark.parametrize("name", ["bundle.tar", "bundle"])
def test_what_goes_out_comes_in(store, there, tmp_path, name):
    bundle = tmp_path / name
    size = export_entries(entries_of(store), bundle)
    assert size == sum(size_of(entry) for entry in entries_of(store))
    imported = import_entries(there, bundle)
    assert sorted(entry.label for entry in imported.new) == ["org/quiz dev", "org/quiz test"]
    assert files(there.root) == files(store.root)
    assert verify(there.find(TEST)) == ROWS["test"]
    again = import_entries(there, bundle)
    assert (again.new, len(again.known)) == ([], 2)


def test_an_exported_folder_is_a_store(store, tmp_path):
    export_entries(entries_of(store), tmp_path / "bundle")
    assert verify(Store(tmp_path / "bundle").find(DEV)) == ROWS["dev"]


def test_the_same_entries_give_the_same_file(store, tmp_path):
    for name in ("a.tar", "b.tar"):
        export_entries(entries_of(store), tmp_path / name)
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_nothing_is_written_over(store, tmp_path):
    (tmp_path / "bundle.tar").write_text("mine")
    with pytest.raises(UsageError) as error:
        export_entries(entries_of(store), tmp_path / "bundle.tar")
    assert str(error.value) == f"{tmp_path / 'bundle.tar'} already exists. Remove it, or choose another name."


def test_what_is_damaged_does_not_go_out(store, tmp_path):
    (store.find(TEST).folder / "rows.json.gz").write_bytes(b"")
    with pytest.raises(DamagedError, match=r"rows\.json\.gz has the sha256 "):
        export_entries(entries_of(store), tmp_path / "bundle.tar")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_what_is_damaged_here_is_replaced(store, there, tmp_path):
    export_entries(entries_of(store), tmp_path / "bundle.tar")
    import_entries(there, tmp_path / "bundle.tar")
    (there.find(TEST).folder / "rows.json.gz").write_bytes(b"")
    imported = import_entries(there, tmp_path / "bundle.tar")
    assert ([entry.label for entry in imported.new], len(imported.known)) == (["org/quiz test"], 1)
    assert verify(there.find(TEST)) == ROWS["test"]


def test_other_rows_under_the_same_pin_are_refused(store, there, tmp_path):
    there.get(TEST, lambda: content(ROWS["dev"]))
    export_entries(entries_of(store), tmp_path / "bundle.tar")
    assert import_error(there, tmp_path / "bundle.tar") == (
        f"{tmp_path / 'bundle.tar'}: org/quiz test is already stored with other rows under the same pin. "
        f"Nothing was imported; run 'bench data rm {TEST.key}' to import those of the bundle."
    )


# --- bundles that someone else made -----------------------------------------------------------------------------------


def member(name, data=b"", kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    return info, data


INDEX = json.dumps({"format": FORMAT, "entries": [DEV.key, TEST.key]}).encode()


@pytest.fixture
def bundle(store, tmp_path):
    """Write a bundle of the two entries, with further members before and after them, some of them changed."""

    def write(*more, first=(), **changes):
        path = tmp_path / "bundle.tar"
        own = []
        for name, data in sorted(files(store.root).items()):
            change = changes.get(name.rpartition("/")[2].partition(".")[0]) if TEST.key in name else None
            own.append(member(name, change(data) if change else data))
        with tarfile.open(path, "w") as tar:
            for info, data in [*first, member("bundle.json", INDEX), *own, *more]:
                tar.addfile(info, io.BytesIO(data))
        return path

    return write


ENTRY = f"entries/{'0' * 16}"


@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        (member("../../escaped", b"x"), "'../../escaped' does not belong in a bundle"),
        (member("/escaped", b"x"), "'/escaped' does not belong in a bundle"),
        (member(f"entries/../{ENTRY}/source", b"x"), f"'entries/../{ENTRY}/source' does not belong in a bundle"),
        (member(f"{ENTRY}/../../../source", b"x"), f"'{ENTRY}/../../../source' does not belong in a bundle"),
        (member(f"{ENTRY}/other", b"x"), f"'{ENTRY}/other' does not belong in a bundle"),
        (member("entries/ABC/source", b"x"), "'entries/ABC/source' does not belong in a bundle"),
        (
            member(f"{ENTRY}/source", kind=tarfile.SYMTYPE, link="/etc/passwd"),
            f"'{ENTRY}/source' is not a regular file",
        ),
        (
            member(f"{ENTRY}/source", kind=tarfile.LNKTYPE, link="/etc/passwd"),
            f"'{ENTRY}/source' is not a regular file",
        ),
        (member(f"{ENTRY}/source", kind=tarfile.CHRTYPE), f"'{ENTRY}/source' is not a regular file"),
        (member(f"{ENTRY}/source", kind=tarfile.FIFOTYPE), f"'{ENTRY}/source' is not a regular file"),
        (member("..", kind=tarfile.DIRTYPE), "'..' is not a regular file"),
    ],
)
@pytest.mark.parametrize("where", ["first", "last"])
def test_a_member_that_climbs_out_or_is_no_file_is_refused(bundle, there, tmp_path, extra, complaint, where):
    path = bundle(first=[extra]) if where == "first" else bundle(extra)
    before = {each.name for each in tmp_path.iterdir()} | {"there"}
    assert import_error(there, path) == f"{path} is not a bundle, or is incomplete: {complaint}. Nothing was imported."
    assert {each.name for each in tmp_path.iterdir()} == before


def test_a_member_that_comes_twice_is_refused(bundle, there):
    name = f"entries/{DEV.key}/rows.json.gz"
    path = bundle(member(name, b"other"))
    assert import_error(there, path) == (
        f"{path} is not a bundle, or is incomplete: it has {name} twice. Nothing was imported."
    )


def as_if(**fields):
    """Change a manifest, checksum and all."""

    def change(data):
        said = {**json.loads(data), **fields}
        said.pop("checksum")
        return json.dumps({**said, "checksum": content_digest(said)}).encode()

    return change


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rows": lambda data: data[:-1]}, "org/quiz test is damaged: rows.json.gz has the sha256 "),
        ({"rows": lambda data: data[:-1] + b"?"}, "org/quiz test is damaged: rows.json.gz has the sha256 "),
        ({"manifest": lambda data: data[:-5]}, f"{TEST.key} is damaged: manifest.json: "),
        ({"manifest": as_if(rows=2)}, "org/quiz test is damaged: it has 3 rows, but 2 were stored"),
        ({"manifest": as_if(digest="0" * 64)}, "org/quiz test is damaged: its rows do not have the digest 00"),
        (
            {"manifest": as_if(pin={"source": "org/other", "type": "hf"})},
            f"{TEST.key} is damaged: manifest.json is that of the entry ",
        ),
        ({"manifest": as_if(pin={"sauce": "?"})}, f"{TEST.key} is damaged: manifest.json: "),
        ({"manifest": as_if(pin=["?"])}, f"{TEST.key} is damaged: manifest.json: pin: Input should be an object"),
        ({"manifest": as_if(rows="x")}, f"{TEST.key} is damaged: manifest.json: rows: Input should be a valid integer"),
        (
            {"manifest": as_if(licence={})},
            f"{TEST.key} is damaged: manifest.json: licence: Input should be a",
        ),
        (
            {"manifest": as_if(benchmarks=[5])},
            f"{TEST.key} is damaged: manifest.json: benchmarks.0: Input should",
        ),
        (
            {"manifest": as_if(pin={"source": 7, "type": "hf"})},
            f"{TEST.key} is damaged: manifest.json: pin.source: Input should be a valid string",
        ),
        (
            {"manifest": as_if(pin={"source": "x", "type": "json", "options": [1]})},
            f"{TEST.key} is damaged: manifest.json: pin.options: Input should be",
        ),
        (
            {"manifest": as_if(pin={"source": "x", "type": "xyz"})},
            f"{TEST.key} is damaged: manifest.json: pin.type: Input should be 'hf', 'csv', 'json', 'text' or 'file' (",
        ),
        (
            {"manifest": as_if(file="../../../x")},
            f"{TEST.key} is damaged: manifest.json: file: Extra inputs are not permitted",
        ),
    ],
)
def test_a_damaged_entry_is_refused_with_all_others(bundle, there, changes, fault):
    path = bundle(**changes)
    message = import_error(there, path)
    assert message.startswith(f"{path}: {fault}")
    assert message.endswith(". Nothing was imported; export it again.")


def test_a_pinned_file_must_be_the_pinned_one(there, tmp_path):
    made = Store(tmp_path / "made")
    pin = Pin("https://example.org/quiz.jsonl", "json", sha256="0" * 64)
    made.get(pin, lambda: Content([{"q": "?"}], lambda: b'{"q": "?"}'))
    (tmp_path / "bundle").mkdir()
    (made.root / "entries").rename(tmp_path / "bundle" / "entries")
    (tmp_path / "bundle" / "bundle.json").write_text(json.dumps({"format": FORMAT, "entries": [pin.key]}))
    assert import_error(there, tmp_path / "bundle") == (
        f"{tmp_path / 'bundle'}: https://example.org/quiz.jsonl is damaged: source is not the file that is pinned. "
        "Nothing was imported; export it again."
    )


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"encoding": "nope"}, "LookupError: unknown encoding: nope"),
        ({"indent": 1}, "TypeError: parse_json() got an unexpected keyword argument 'indent'"),
        ({"encoding": "ascii"}, "https://example.org/quiz.jsonl is not ascii: byte 7 cannot be decoded"),
    ],
)
def test_an_entry_that_cannot_be_parsed_is_damaged(tmp_path, options, fault):
    made = Store(tmp_path / "made")
    data = '{"q": "é"}'.encode()
    entry = made.get(Pin("https://example.org/quiz.jsonl", "json"), lambda: Content([{"q": "é"}], lambda: data)).entry
    pin = Pin("https://example.org/quiz.jsonl", "json", options=options)
    (entry.folder / "manifest.json").write_text(entry.manifest.model_copy(update={"pin": pin}).to_json(), "utf-8")
    entry.folder.rename(made.folder(pin.key))
    with pytest.raises(DamagedError) as error:
        made.find(pin).rows()
    assert error.value.fault == f"source cannot be parsed: {fault}"


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_no_flipped_byte_of_a_packed_bundle_is_a_defect(store, there, tmp_path, kind):
    export_entries(entries_of(store), tmp_path / "bundle")
    with tarfile.open(path := tmp_path / f"bundle.tar.{kind}", f"w:{kind}") as tar:
        tar.add(tmp_path / "bundle", ".")
    data, by_key = path.read_bytes(), {entry.key: verify(entry) for entry in entries_of(store)}
    for place in range(0, len(data), max(1, len(data) // 20)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        with contextlib.suppress(DataError):  # some are in padding, or in what is not checked, and none is an error
            import_entries(there, path)
    assert [verify(entry) for entry in entries_of(there)] in ([], [rows for _, rows in sorted(by_key.items())])


def test_a_bundle_that_was_cut_off_is_refused_wherever_it_was(bundle, there):
    path = bundle()
    data = path.read_bytes()
    for end in range(0, len(data.rstrip(b"\0")), 512):  # between members and inside them
        path.write_bytes(data[:end])
        assert "Nothing was imported" in import_error(there, path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ""),
        (b"no tar at all", ""),
        (b"\0" * 10_240, "it has no bundle.json, which 'bench data export' writes"),
    ],
)
def test_what_is_no_bundle(there, tmp_path, data, message):
    (tmp_path / "bundle.tar").write_bytes(data)
    assert f"bundle.tar is not a bundle, or is incomplete: {message}" in import_error(there, tmp_path / "bundle.tar")


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ({"format": FORMAT, "entries": [TEST.key]}, "expected 1 dataset, found 1"),
        (
            {"format": FORMAT, "entries": [DEV.key, TEST.key, "0" * 16]},
            "expected 3 datasets, found 2",
        ),
        ({"format": FORMAT, "entries": ["..", "../.."]}, "expected 2 datasets, found 0"),
        ({"format": 1}, f"its format is 1; this version of openbench reads format {FORMAT}"),
        ([], "bundle.json is unreadable: list indices must be integers or slices, not str"),
    ],
)
def test_a_bundle_holds_what_it_says(store, there, tmp_path, index, message):
    export_entries(entries_of(store), tmp_path / "bundle")
    (tmp_path / "bundle" / "bundle.json").write_text(json.dumps(index))
    assert import_error(there, tmp_path / "bundle") == (
        f"{tmp_path / 'bundle'} is not a bundle, or is incomplete: {message}. Nothing was imported."
    )


def test_links_in_a_folder_are_refused(store, there, tmp_path):
    export_entries(entries_of(store), tmp_path / "bundle")
    secret = tmp_path / "secret"
    secret.write_bytes((path := tmp_path / "bundle" / "entries" / TEST.key / "rows.json.gz").read_bytes())
    path.unlink()
    path.symlink_to(secret)
    assert import_error(there, tmp_path / "bundle") == (
        f"{tmp_path / 'bundle'} is not a bundle, or is incomplete: 'entries/{TEST.key}/rows.json.gz' is not a regular "
        "file. Nothing was imported."
    )


def test_a_bundle_that_tar_itself_wrote_is_taken(store, there, tmp_path):
    export_entries(entries_of(store), tmp_path / "bundle")
    with tarfile.open(tmp_path / "bundle.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "bundle", ".")
    assert len(import_entries(there, tmp_path / "bundle.tar.gz").new) == 2


# --- bundles that become far larger than they are ---------------------------------------------------------------------


def sparse_file(path, size):
    with path.open("wb") as file:
        file.truncate(size)


def test_a_file_of_holes_is_refused_before_it_is_copied(store, there, tmp_path):
    export_entries(entries_of(store), bundle := tmp_path / "bundle")
    sparse_file(bundle / "entries" / TEST.key / "rows.json.gz", 2**40)
    assert f"entries/{TEST.key}/rows.json.gz has 1,099,511,627,776 bytes, which is too large" in import_error(
        there, bundle
    )


def test_a_tar_of_holes_is_refused_before_it_is_copied(there, tmp_path):
    info, _ = member(f"{ENTRY}/rows.json.gz")
    info.size = 2**40
    (tmp_path / "bundle.tar").write_bytes(info.tobuf())
    with (tmp_path / "bundle.tar").open("r+b") as file:
        file.truncate(2**40)
    assert f"{ENTRY}/rows.json.gz has 1,099,511,627,776 bytes, which is too large" in import_error(
        there, tmp_path / "bundle.tar"
    )


def test_a_sparse_member_is_refused(there, tmp_path):
    """Its header says in a few bytes that it is a terabyte."""
    info = tarfile.TarInfo(f"{ENTRY}/rows.json.gz")
    info.pax_headers = {
        "GNU.sparse.major": "0",
        "GNU.sparse.minor": "1",
        "GNU.sparse.map": "0,0",
        "GNU.sparse.size": str(2**40),
    }
    with tarfile.open(tmp_path / "bundle.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(info)
    assert f"'{ENTRY}/rows.json.gz' is not a regular file" in import_error(there, tmp_path / "bundle.tar")


class Zeros(io.RawIOBase):
    """As many zeros as are asked for."""

    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = bytes(len(buffer))
        return len(buffer)


@pytest.mark.parametrize("kind", ["gz", "bz2"])
@pytest.mark.parametrize("place", ["rows.json.gz", "manifest.json", "header"])
def test_a_packed_bomb_is_refused(there, tmp_path, kind, place):
    path, size = tmp_path / "bundle.tar", 2**27
    info, _ = member(f"{ENTRY}/{place}", kind=tarfile.XHDTYPE if place == "header" else tarfile.REGTYPE)
    info.size = size
    with tarfile.open(path, f"w:{kind}") as tar:
        tar.addfile(info, io.BufferedReader(Zeros()))
    assert path.stat().st_size < 2**20
    message = import_error(there, path)
    assert ("has 134,217,728 bytes, which is too large" if place != "header" else "it expands to far more") in message


def test_a_packed_source_that_is_a_bomb_is_damaged(tmp_path):
    pin = Pin("https://example.org/quiz.jsonl.gz", "json", revision="c" * 40)
    data = gzip.compress(b'{"q": "' + b"x" * 2**27 + b'"}')
    entry = forged(Store(tmp_path / "made"), pin, "source", data, rows=1)
    with pytest.raises(DamagedError, match=r"bytes become more than"):
        entry.rows()


def forged(store, pin, name, data, rows):
    """Write an entry as anyone can write it, checksums and all."""
    sha256 = hashlib.sha256(data).hexdigest()
    manifest = Manifest(pin=pin, rows=rows, digest="0" * 64, sha256=sha256, licence=None, fetched_at="")
    store.folder(pin.key).mkdir(parents=True)
    (store.folder(pin.key) / "manifest.json").write_text(manifest.to_json(), "utf-8")
    (store.folder(pin.key) / name).write_bytes(data)
    return store.find(pin)


def test_packed_rows_that_are_a_bomb_are_damaged(tmp_path):
    data = gzip.compress(b'[{"q": "' + b"x" * 2**27 + b'"}]')
    entry = forged(Store(tmp_path / "made"), TEST, "rows.json.gz", data, rows=1)
    with pytest.raises(DamagedError, match=r"bytes become more than"):
        entry.rows()


@pytest.mark.parametrize("name", ["bundle.json", "manifest.json", "source"])
def test_json_that_is_nested_too_deeply(store, there, tmp_path, name):
    deep = "[" * 200_000
    if name == "source":
        pin = Pin("https://example.org/quiz.jsonl", "json", revision="c" * 40)
        entry = forged(Store(tmp_path / "made"), pin, "source", ('{"q": ' + deep).encode(), rows=1)
        with pytest.raises(DamagedError, match="nested too deeply"):
            entry.rows()
        return
    export_entries(entries_of(store), bundle := tmp_path / "bundle")
    (bundle / name if name == "bundle.json" else bundle / "entries" / TEST.key / name).write_text(deep)
    assert "maximum recursion depth exceeded" in import_error(there, bundle)


def test_other_rows_under_a_trusted_commit_are_refused_by_the_digest(store, there, tmp_path):
    said = bundle_digest(entries_of(store))
    assert len(import_entries(Store(tmp_path / "other"), _exported(store, tmp_path / "a.tar"), digest=said).new) == 2
    evil = Store(tmp_path / "evil")
    for pin in (DEV, TEST):
        evil.get(pin, lambda: content([{"q": "planted", "a": "A"}]), licence="MIT")
    path = _exported(evil, tmp_path / "b.tar")
    with pytest.raises(DataError, match=rf"b\.tar has the digest [0-9a-f]{{32}}, not {said}: its rows differ"):
        import_entries(there, path, digest=said)
    assert entries_of(there) == []


def _exported(store, path):
    export_entries(entries_of(store), path)
    return path
