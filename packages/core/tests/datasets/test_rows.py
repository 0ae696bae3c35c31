"""From a pinned source to samples: what is read, what is refused, and what stays the same for ever."""

import gzip
import hashlib
import json
from datetime import date

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.dataset import Sample

from openbench.datasets import (
    Rows,
    bundled_rows,
    content_digest,
    load_samples,
    read_configs,
    read_parts,
    read_rows,
    rows_read,
    stored_rows,
)
from openbench.errors import DataError, NotStoredError
from openbench.metadata import DatasetSource
from openbench_testing import HubServer

ROWS = [{"question": f"What is {n}?", "answer": str(n)} for n in range(6)]
A, B, C = "a" * 40, "b" * 40, "c" * 40


def to_sample(row):
    """A sample with the row's own id, if it has one."""
    return Sample(id=row.get("id"), input=row["question"], target=row["answer"])


def samples(rows, record_to_sample=to_sample, **options):
    return load_samples(Rows("quiz.csv", rows), record_to_sample, name="quiz", **options)


def ids(rows, **options):
    return [sample.id for sample in samples(rows, **options)]


def sample_error(rows, record_to_sample=to_sample):
    with pytest.raises(DataError) as error:
        samples(rows, record_to_sample)
    return str(error.value)


# --- ids --------------------------------------------------------------------------------------------------------------


def test_a_rows_own_id_stands():
    assert ids([{**ROWS[0], "id": "q-1"}, {**ROWS[1], "id": 7}]) == ["q-1", 7]


def test_other_rows_get_a_digest_of_their_content():
    # These values are in logs: another digest would keep every old log from being resumed or compared.
    assert ids(ROWS[:2]) == ["529d8067980e3638", "4571c12a9736b352"]
    assert ids([dict(reversed(ROWS[0].items()))]) == ids(ROWS[:1])


def test_ids_and_order_are_the_same_in_every_process(site):
    code = """
import json, sys
from inspect_ai.dataset import Sample
from openbench.datasets import Rows, load_samples
rows = Rows("quiz.csv", json.loads(sys.argv[1]))
made = load_samples(rows, lambda r: Sample(input=r["question"], target=r["answer"]), name="quiz", shuffle=True)
print(json.dumps([sample.id for sample in made]))
"""
    rows = [*ROWS, *ROWS]
    assert site.python("-c", code, json.dumps(rows), PYTHONHASHSEED="7").json() == ids(rows, shuffle=True)


def test_identical_rows_get_a_suffix():
    first, second = ids(ROWS[:2])
    assert ids([ROWS[0], ROWS[1], ROWS[0], ROWS[0]]) == [first, second, f"{first}-2", f"{first}-3"]


def test_several_samples_of_a_row_get_a_number():
    made = samples([ROWS[0], ROWS[0]], lambda row: [to_sample(row), to_sample(row)])
    digest = ids(ROWS[:1])[0]
    assert [sample.id for sample in made] == [digest, f"{digest}.2", f"{digest}-2", f"{digest}.2-2"]


def test_without_auto_id_no_id_is_made():
    assert ids([{**ROWS[0], "id": "q"}, ROWS[1]], auto_id=False) == ["q", None]


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates()
CONTENT = st.lists(st.dictionaries(st.text(), VALUES | st.lists(VALUES, max_size=3), max_size=3), min_size=1)


@given(CONTENT)
def test_ids_are_unique_whatever_the_rows(rows):
    made = [s.id for s in samples(rows, lambda _: Sample(input="?", target="!"))]
    assert len({*made}) == len(rows)


@given(CONTENT, st.randoms(use_true_random=False))
def test_ids_do_not_depend_on_the_order_of_rows(rows, random):
    made = {s.id for s in samples(rows, lambda _: Sample(input="?", target="!"))}
    random.shuffle(rows)
    assert {s.id for s in samples(rows, lambda _: Sample(input="?", target="!"))} == made


def test_explicit_ids_that_clash_are_refused():
    rows = [{**ROWS[0], "id": "q"}, {**ROWS[1], "id": "r"}, {**ROWS[2], "id": "q"}]
    assert sample_error(rows) == "rows 1 and 3 of quiz.csv have the same id 'q'"
    assert sample_error(rows[:1], lambda row: [to_sample(row), to_sample(row)]) == (
        "row 1 of quiz.csv has two samples with the same id 'q'"
    )


def test_ids_that_logs_cannot_tell_apart_are_refused():
    assert sample_error([{**ROWS[0], "id": 1}, {**ROWS[1], "id": "1"}]) == (
        "rows 1 and 2 of quiz.csv have the same id '1'"
    )


def test_the_digest_of_plain_data():
    assert content_digest({"b": 1, "a": "é"}) == hashlib.sha256('{"a":"é","b":1}'.encode()).hexdigest()
    assert content_digest(b"x") != content_digest("x")
    assert content_digest(date(2024, 1, 2)) == content_digest("2024-01-02")
    assert content_digest("\ud800")  # half a character, as some rows hold
    assert content_digest({"a", "b"}) == content_digest({"b", "a"})


# --- rows that do not fit ---------------------------------------------------------------------------------------------


def test_a_missing_column_names_row_column_and_columns():
    assert sample_error([ROWS[0], {"question": "?", "reply": "!"}]) == (
        "row 2 of quiz.csv has no 'answer' (columns: question, reply). "
        "Check the mapping of its columns, or pin the revision."
    )


@pytest.mark.parametrize(
    ("record_to_sample", "message"),
    [
        (lambda row: {"A": 0}[row["answer"]], "KeyError: '0'"),
        (lambda row: row["answer"][5], "IndexError: string index out of range"),
        (lambda row: int(row["question"]), "invalid literal for int() with base 10: 'What is 0?'"),
        (lambda row: row["answer"].nothing, "'str' object has no attribute 'nothing'"),
        (lambda row: row["answer"] + 1, 'can only concatenate str (not "int") to str'),
        (lambda _: Sample(input=3), "input.str: Input should be a valid string (received 3)"),
        (lambda _: None, "the mapping returned a NoneType, expected a Sample or a list of them"),
        (lambda row: row, "the mapping returned a _Record, expected a Sample or a list of them"),
        (lambda row: row["answer"], "the mapping returned a str, expected a Sample or a list of them"),
        (lambda _: [None], "the mapping returned a list, expected a Sample or a list of them"),
    ],
)
def test_whatever_a_mapping_stumbles_over_names_the_row(record_to_sample, message):
    assert sample_error(ROWS[:1], record_to_sample).startswith(f"row 1 of quiz.csv: {message}")


def test_a_mapping_may_leave_rows_out_but_not_all():
    made = samples(ROWS, lambda row: to_sample(row) if int(row["answer"]) % 2 else [])
    assert [sample.target for sample in made] == ["1", "3", "5"]
    assert sample_error(ROWS, lambda _: []) == "quiz.csv has no rows"


def test_no_rows_are_refused():
    assert sample_error([]) == "quiz.csv has no rows"


def test_a_mapping_cannot_change_the_rows():
    rows = [dict(ROWS[0])]

    def pop(row):
        return Sample(input=row.pop("question"), target=row.pop("answer"))

    first = [sample.id for sample in samples(rows, pop)]
    assert (rows, first) == ([ROWS[0]], ids(ROWS[:1]))


# --- order ------------------------------------------------------------------------------------------------------------


def targets(**options):
    return [sample.target for sample in samples(ROWS, **options)]


def test_shuffling_is_always_seeded():
    assert targets(shuffle=True) == targets(shuffle=True) == targets(shuffle=True, seed=0)
    assert targets(shuffle=True) != targets(shuffle=True, seed=1)
    assert sorted(targets(shuffle=True)) == targets() == targets(seed=5)


def test_a_limit_keeps_the_first_of_the_order():
    assert targets(limit=2) == ["0", "1"]
    assert targets(limit=2, shuffle=True) == targets(shuffle=True)[:2]
    assert targets(limit=100) == targets(limit=None) == targets()


def test_shuffled_choices_keep_their_answer():
    def choose(row):
        return Sample(input=row["question"], choices=["right", "x", "y", "z"], target="A")

    def made(value):
        return [(s.choices, s.target) for s in samples(ROWS, choose, shuffle_choices=value)]

    assert made(True) == made(True) == made(0)
    assert made(True) != made(3)
    assert made(False) == made(None)
    assert len({target for _, target in made(True)}) > 1
    assert all(choices["ABCD".index(target)] == "right" for choices, target in made(True))


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read the rows of a file with some content, and keep pinned ones below the test's folder."""
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "store"))

    def rows(content, kind, *, name="rows", sha256=None, md5=None, remote=False, **options):
        path = f"memory:/{tmp_path / name}" if remote else str(tmp_path / name)
        if content is not None:
            with fsspec.open(path, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
        source = DatasetSource(source=path, type=kind, sha256=sha256, md5=md5)
        return [dict(row) for row in read_rows(source, **options).rows]

    return rows


@pytest.fixture
def read_error(read):
    """Return what reading a file complains of."""

    def message(content, kind, **options):
        with pytest.raises(DataError) as error:
            read(content, kind, **options)
        return str(error.value)

    return message


XY = [{"x": "1", "y": "a"}, {"x": "2", "y": "b"}]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("x,y\n1,a\n2,b\n", {}),
        ("x,y\r\n1,a\r\n2,b", {}),
        ("\ufeffx,y\n1,a\n2,b\n", {}),
        ('"x","y"\n"1","a"\n\n"2","b"\n', {}),
        ("x;y\n1;a\n2;b\n", {"delimiter": ";"}),
        ("x\ty\n1\ta\n2\tb\n", {"delimiter": "\t"}),
        ("x\ty\n1\ta\n2\tb\n", {"dialect": "excel-tab"}),
        ("x;y\n1;a\n2;b\n", {"dialect": "excel-tab", "delimiter": ";"}),
        ("1,a\n2,b\n", {"fieldnames": ["x", "y"]}),
        ("x,y\n1,a\n2,b\n".encode("utf-16"), {"encoding": "utf-16"}),
        (gzip.compress(b"x,y\n1,a\n2,b\n", mtime=0), {"name": "rows.csv.gz"}),
    ],
)
def test_csv(read, content, options):
    assert read(content, "csv", **options) == XY


def test_csv_fields_hold_anything(read):
    long = "word " * 100_000
    content = f'x,y\n"a ""quoted"" word","two\nlines, one\u2028separator"\n"{long}",\u00e9\n'
    assert read(content, "csv") == [
        {"x": 'a "quoted" word', "y": "two\nlines, one\u2028separator"},
        {"x": long, "y": "\u00e9"},
    ]


def test_a_csv_row_that_is_too_long_is_refused_and_a_short_one_has_gaps(read, read_error, tmp_path):
    assert read_error("x,y\n1,a\n2,b, or c,d\n", "csv") == (
        f"row 2 of {tmp_path / 'rows'} has 4 fields, but there are 2 columns"
    )
    assert read("x,y\n1\n", "csv") == [{"x": "1", "y": None}]


@pytest.mark.parametrize(
    ("content", "kind"), [("", "csv"), ("x,y\n", "csv"), ("", "json"), ("\n \n", "json"), ("[]", "json")]
)
def test_an_empty_file_has_no_rows(read, content, kind):
    assert read(content, kind) == []


def test_a_file_in_another_encoding_is_refused(read_error, tmp_path):
    path = tmp_path / "rows"
    assert read_error("x\né\n".encode("latin-1"), "csv") == f"{path} is not utf-8: byte 2 cannot be decoded"
    assert read_error("é", "csv", encoding="ascii") == f"{path} is not ascii: byte 0 cannot be decoded"


JSON_ROWS = [{"q": "one\u2028line\u0085here", "n": [1, {"a": None}]}, {"q": "\U0001f600\nnext"}]
LINES = [json.dumps(row, ensure_ascii=False) for row in JSON_ROWS]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(LINES),
        "\n".join([*LINES, ""]),
        "\r\n".join(LINES),
        f"\n{LINES[0]}\n\n  {LINES[1]}  \n\n",
        "\ufeff" + "\n".join(LINES),
        json.dumps(JSON_ROWS),
        f"\n {json.dumps(JSON_ROWS, indent=2, ensure_ascii=False)}\n",
    ],
)
def test_json_arrays_and_json_lines(read, content):
    assert read(content, "json") == JSON_ROWS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n\n{"a": }\n', "{path}, line 3: Expecting value (column 7)"),
        ('{"a": 1} {"b": 2}', "{path}, line 1: Extra data (column 10)"),
        ('{\n"a": 1\n}', "{path}, line 1: Expecting property name enclosed in double quotes (column 2)"),
        ('[\n{"a": 1},\n{"a" 2}]', "{path}, line 3: Expecting ':' delimiter (column 6)"),
        ('[{"a": 1}', "{path}, line 1: Expecting ',' delimiter (column 10)"),
        ('{"a": 1}\n3', "row 2 of {path} is of type int, expected an object"),
        ('[{"a": 1}, ["b"]]', "row 2 of {path} is of type list, expected an object"),
        ("null", "row 1 of {path} is of type NoneType, expected an object"),
    ],
)
def test_bad_json_names_its_line_or_row(read_error, tmp_path, content, message):
    assert read_error(content, "json") == message.format(path=tmp_path / "rows")


def test_a_file_that_is_not_there(read_error, tmp_path):
    assert read_error(None, "csv").startswith(f"{tmp_path / 'rows'} cannot be read: FileNotFoundError: ")
    with pytest.raises(DataError, match=r"^nonsense://rows cannot be read: ValueError: Protocol not known: nonsense"):
        read_rows(DatasetSource(source="nonsense://rows", type="json"))


# --- pinned files -----------------------------------------------------------------------------------------------------

CONTENT_XY = b"x,y\n1,a\n2,b\n"
DIGEST = hashlib.sha256(CONTENT_XY).hexdigest()


def kept(folder):
    """The files in a store, without the manifests."""
    return [path for path in folder.glob("store/entries/*/*") if path.name != "manifest.json"]


def test_a_pinned_remote_file_is_kept_as_it_is_published(read, tmp_path):
    assert read(CONTENT_XY, "csv", sha256=DIGEST, remote=True) == XY
    assert [path.read_bytes() for path in kept(tmp_path)] == [CONTENT_XY]
    fsspec.filesystem("memory").rm(str(tmp_path / "rows"))
    assert read(None, "csv", sha256=DIGEST, remote=True) == XY


def test_a_kept_file_that_was_damaged_is_refused(read, read_error, tmp_path):
    assert read(CONTENT_XY, "csv", sha256=DIGEST, remote=True) == XY
    [path] = kept(tmp_path)
    path.write_bytes(other := b"x,y\n3,c\n")
    where, key = f"memory:/{tmp_path / 'rows'}", path.parent.name
    assert read_error(None, "csv", sha256=DIGEST, remote=True) == (
        f"the stored copy of {where} is damaged: source has the sha256 {hashlib.sha256(other).hexdigest()[:12]}…, "
        f"{DIGEST[:12]}… was stored (in {path.parent}). 'bench data verify' lists all damaged copies; "
        f"'bench data pull NAME' of its benchmark fetches it again, 'bench data rm {key}' removes it."
    )


@pytest.mark.parametrize("remote", [False, True])
def test_a_file_that_is_not_the_pinned_one_is_refused_and_not_kept(read_error, tmp_path, remote):
    changed = b"x,y\n1,a\n2,c\n"
    where = f"memory:/{tmp_path / 'rows'}" if remote else tmp_path / "rows"
    assert read_error(changed, "csv", sha256=DIGEST, remote=remote) == (
        f"{where} is not the pinned file: its sha256 is {hashlib.sha256(changed).hexdigest()} (12 bytes), "
        f"the pin is {DIGEST}. "
        "The source has changed; pin the new file in a new version of the benchmark."
        f"{' If the download was cut off twice, try again.' if remote else ''}"
    )
    assert kept(tmp_path) == []


def test_a_file_is_kept_as_it_is_and_may_be_pinned_by_its_md5(read, read_error, tmp_path):
    data = gzip.compress(b"\0\xff")
    pin = hashlib.md5(data, usedforsecurity=False).hexdigest()
    for content in (data, None):  # read once and then from the store, never decompressed
        assert read(content, "file", name="rows.gz", md5=pin, remote=True) == [{"bytes": data}]
    [path] = kept(tmp_path)
    assert path.read_bytes() == data
    message = read_error(data + b"?", "file", name="other.gz", md5=pin, remote=True)
    wrong = hashlib.md5(data + b"?", usedforsecurity=False).hexdigest()
    assert f"is not the pinned file: its md5 is {wrong} ({len(data) + 1} bytes), the pin is {pin}." in message


def test_a_local_file_that_changes_is_never_read_from_a_kept_copy(read, read_error, tmp_path):
    assert read(CONTENT_XY, "csv", sha256=DIGEST) == XY
    assert not (tmp_path / "store").exists()
    assert read(CONTENT_XY, "csv", sha256=DIGEST, remote=True) == XY  # so that a copy is kept
    assert "is not the pinned file" in read_error(b"x,y\n9,z\n", "csv", sha256=DIGEST)


def test_a_file_that_cannot_be_kept_is_read_all_the_same(read, tmp_path, caplog):
    (tmp_path / "store").write_text("a file where the folder would be")
    assert read(CONTENT_XY, "csv", sha256=DIGEST, remote=True) == XY
    [message] = caplog.messages
    assert message == (
        f"memory:/{tmp_path / 'rows'}: it cannot be stored in {tmp_path / 'store'}: Not a directory; "
        "the next run fetches it again"
    )


def test_an_unpinned_file_is_not_kept(read, tmp_path):
    assert read(CONTENT_XY, "csv", remote=True) == XY
    assert not (tmp_path / "store").exists()


# --- the Hub and HTTP -------------------------------------------------------------------------------------------------

READ = """
import json, sys
from openbench.datasets import read_configs, read_rows
from openbench.errors import DataError, NotStoredError
from openbench.metadata import DatasetSource
for call in json.loads(sys.argv[1]):
    configs, options = call.pop("configs", None), call.pop("options", {})
    source = DatasetSource(**call)
    try:
        read = read_configs(source, configs, column="config") if configs else read_rows(source, **options)
        print(json.dumps([read.label, [*read.rows]]))
    except DataError as error:
        print(json.dumps(str(error)))
"""


def read_in_process(site, hub, cache, calls, **variables):
    """What each call reads in one new process: label and rows, or the error's text."""
    environment = {**hub.environment(cache), **variables}
    done = site.python("-W", "ignore", "-c", READ, json.dumps([*calls]), **environment)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def hub_source(source="org/quiz", split="test", **fields):
    return {"source": source, "split": split, **fields}


WAY_OUT = "log in with an account that has access: 'hf auth login', or HF_TOKEN."
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def test_hub_datasets_and_files_over_http(site, tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS[:2], config="easy", revision=A)
        hub.add("org/quiz", ROWS[2:3], config="hard", revision=A)
        hub.add("org/quiz", ROWS[3:4], config="easy", split="dev", revision=A)
        hub.add("org/quiz", ROWS[4:5], config="easy", revision=B)
        hub.add("org/closed", ROWS, gated=True)
        url = hub.add_file("quiz.csv", CONTENT_XY)
        missing = url.replace("quiz.csv", "nothing.csv")
        calls = {
            "unknown revision": hub_source(config="easy", revision=C),
            "pinned": hub_source(config="easy", revision=A),
            "other split": hub_source(config="easy", split="dev", revision=A),
            "all configs": hub_source(revision=A, configs=["easy", "hard"]),
            "unknown config": hub_source(config="medium", revision=A),
            "unknown split": hub_source(config="easy", split="train", revision=A),
            "no split": {"source": "org/quiz"},
            "unknown dataset": hub_source("org/nothing"),
            "gated": hub_source("org/closed"),
            "file": {"source": url, "type": "csv", "sha256": DIGEST},
            "changed file": {"source": url, "type": "csv", "sha256": "0" * 64},
            "missing file": {"source": missing, "type": "csv"},
            "newer": hub_source(config="easy", revision=B),
            "newest": hub_source(config="easy"),
        }
        done = dict(zip(calls, read_in_process(site, hub, tmp_path, calls.values()), strict=True))
        asked = len(hub.requests)
        again = [calls[name] for name in ("newer", "pinned", "file")]
        stored = read_in_process(site, hub, tmp_path, again, **OFFLINE)
        # Without a store `datasets` is asked, which takes the newest copy that it has, whatever the revision.
        elsewhere = {**OFFLINE, "OPENBENCH_DATA_DIR": str(tmp_path / "elsewhere")}
        again = [*again[:2], calls["gated"], hub_source("org/never", revision=A)]
        copied, other, closed, never = read_in_process(site, hub, tmp_path, again, **elsewhere)
        assert len(hub.requests) == asked
    assert done["pinned"] == ["org/quiz easy test", ROWS[:2]]
    assert stored == [done["newer"], done["pinned"], done["file"]]
    assert done["newer"] == done["newest"] == copied == ["org/quiz easy test", ROWS[4:5]]
    assert done["other split"] == ["org/quiz easy dev", ROWS[3:4]]
    assert done["all configs"] == [
        "org/quiz test",
        [*({**row, "config": "easy"} for row in ROWS[:2]), {**ROWS[2], "config": "hard"}],
    ]
    assert done["unknown revision"] == (
        f"org/quiz easy test at {C} cannot be loaded: "
        f"DatasetNotFoundError: Revision '{C}' doesn't exist for dataset 'org/quiz' on the Hub."
    )
    assert done["unknown config"] == (
        f"org/quiz medium test at {A} cannot be loaded: "
        "ValueError: BuilderConfig 'medium' not found. Available: ['easy', 'hard']"
    )
    assert done["unknown split"].startswith(
        f'org/quiz easy train at {A} cannot be loaded: ValueError: Unknown split "train".'
    )
    assert done["no split"] == "org/quiz: the split to load is not set (split=...)"
    assert done["unknown dataset"] == (
        "org/nothing test cannot be loaded: "
        "Dataset 'org/nothing' doesn't exist on the Hub or cannot be accessed. "
        f"If {hub.endpoint}/datasets/org/nothing exists, {WAY_OUT}"
    )
    assert done["gated"].startswith(
        "org/closed test cannot be loaded: Dataset 'org/closed' is a gated dataset on the Hub"
    )
    assert done["gated"].endswith(f"If {hub.endpoint}/datasets/org/closed exists, {WAY_OUT}")
    assert done["file"] == [url, XY]
    assert done["changed file"].startswith(f"{url} is not the pinned file: its sha256 is {DIGEST} (12 bytes), ")
    assert done["missing file"] == f"{missing} cannot be read: HTTP 404 Not Found"
    way_out = (
        "Run 'bench data pull' on a machine that can reach it, "
        "then 'bench data export' there and 'bench data import' here."
    )
    assert other == (
        f"org/quiz easy test at {A} cannot be loaded: the Hub does not answer, and the copy in its library's "
        f"cache is of another revision. {way_out}"
    )
    assert closed == (
        "org/closed test cannot be loaded: HF_HUB_OFFLINE is set, and there is no local copy. "
        "It is not pinned, so it is never stored: each run needs the Hub."
    )
    assert never == (
        f"org/never test at {A} cannot be loaded: HF_HUB_OFFLINE is set, and there is no local copy. {way_out}"
    )


# --- rows that a package brings ---------------------------------------------------------------------------------------


@pytest.fixture
def bundle(tmp_path):
    """A folder with sample rows of two splits."""
    for split, rows in (("test", ROWS[:2]), ("dev", [{**ROWS[2], "subject": "sums"}])):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


@pytest.mark.parametrize("source", ["org/quiz", "https://example.org/quiz.csv"])
def test_bundled_rows_take_the_place_of_any_source(bundle, source):
    kind = "csv" if source.endswith("csv") else "hf"
    with bundled_rows(bundle):
        read = read_rows(DatasetSource(source=source, type=kind, split="test", sha256="0" * 64), encoding="latin-1")
    assert read == Rows(str(bundle / "test.jsonl"), ROWS[:2])


def test_bundled_rows_hold_the_configurations_column(bundle):
    with bundled_rows(bundle):
        read = read_configs(DatasetSource(source="org/quiz", split="dev"), ["a", "b"], column="subject")
    assert read.rows == [{**ROWS[2], "subject": "sums"}]


def test_configurations_are_read_with_the_same_options(monkeypatch):
    asked = []

    def rows(source, _fetch, options):
        asked.append((source.config, options))
        return Rows("quiz", ROWS[:1], source)

    monkeypatch.setattr("openbench.datasets.rows._rows", rows)
    source = DatasetSource(source="org/quiz", split="dev")
    read = read_configs(source, ["a", "b"], column="subject", keep_default_na=False)
    assert asked == [("a", {"keep_default_na": False}), ("b", {"keep_default_na": False})]
    assert read.rows == [{**ROWS[0], "subject": "a"}, {**ROWS[0], "subject": "b"}]


def test_a_split_that_is_not_bundled_is_refused(bundle):
    with bundled_rows(bundle), pytest.raises(DataError) as error:
        read_rows(DatasetSource(source="org/quiz", split="train"))
    assert str(error.value) == f"{bundle} has no sample rows of the split 'train' (splits there: dev, test)"


def test_without_a_split_there_must_be_one_file(bundle):
    anything = DatasetSource(source="quiz.csv", type="csv")
    with bundled_rows(bundle), pytest.raises(DataError) as error:
        read_rows(anything)
    assert str(error.value) == f"{bundle} has no sample rows of the split None (splits there: dev, test)"
    (bundle / "dev.jsonl").unlink()
    with bundled_rows(bundle):
        assert len(read_rows(anything).rows) == 2
    (bundle / "test.jsonl").unlink()
    with bundled_rows(bundle), pytest.raises(DataError, match=r"\(splits there: none\)$"):
        read_rows(anything)


def test_bundled_rows_that_nobody_reads_are_an_error(bundle):
    with pytest.raises(DataError) as error, bundled_rows(bundle):
        pass
    assert str(error.value) == f"it does not read its rows through openbench, so {bundle} cannot replace them"


def test_an_error_inside_is_not_hidden_and_the_context_ends(bundle, tmp_path):
    with pytest.raises(ZeroDivisionError), bundled_rows(bundle):
        _ = 1 / 0
    (tmp_path / "own.csv").write_text("x,y\n1,a\n2,b\n")
    read = read_rows(DatasetSource(source=str(tmp_path / "own.csv"), type="csv", split="test"))
    assert [*read.rows] == XY


def test_parts_are_read_as_one_and_only_stored_parts_where_nothing_may_be_fetched(bundle, tmp_path):
    for name in ("x", "y"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"part": name}), "utf-8")
    whole = DatasetSource(source="org/quiz", split="dev")
    parts = [DatasetSource(source=str(tmp_path / f"{name}.json"), type="json") for name in ("x", "y")]

    def read():
        return [row for part in parts for row in read_rows(part).rows]

    with stored_rows(), rows_read() as seen:
        assert read_parts(whole, read).rows == [{"part": "x"}, {"part": "y"}]
    assert [rows.label for rows in seen] == [*(part.source for part in parts), "org/quiz"]
    parts.append(DatasetSource(source="https://localhost:1/z.jsonl", type="json"))
    with stored_rows(), pytest.raises(NotStoredError, match=r"z\.jsonl is not in the data store"):
        read_parts(whole, read)
    with bundled_rows(bundle):
        assert read_parts(whole, read).rows == [{**ROWS[2], "subject": "sums"}]
