"""Fetching into the store: servers in trouble, gates and tokens, and files that arrive damaged."""

import json
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pytest

from openbench.datasets import fetch, read_rows
from openbench.datasets.fetch import read_file
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench_testing import Fault, HubServer

pytestmark = pytest.mark.stress

ROWS = [{"question": f"What is {n}?", "answer": str(n)} for n in range(200)]
A = "a" * 40

READ = """
import json, os, sys
from openbench.datasets import fetch, read_rows
from openbench.errors import DataError
from openbench.metadata import DatasetSource
fetch.PAUSES = (0.01, 0.01, 0.01)
for source, variables in json.loads(sys.argv[1]):
    os.environ.update(variables)
    try:
        read = read_rows(DatasetSource(source=source, split="test", revision="a" * 40))
        print(json.dumps([len(read.rows), read.rows[-1], read.kept.fetched]))
    except DataError as error:
        print(json.dumps(str(error)))
"""


def read_in_process(site, hub, cache, calls, **variables):
    """What each call reads in one new process, or the error's text; and what it wrote to stderr."""
    environment = {**hub.environment(cache), **variables}
    done = site.python("-W", "ignore", "-c", READ, json.dumps(calls), **environment)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()], done.err


def in_trouble():
    """Faults by dataset: the first request of a kind meets one."""
    faults = {
        ("org/busy", "GET", "README.md"): Fault.status(503),
        ("org/limited", "GET", A): Fault.rate_limit(0.01),  # what the revision holds
        ("org/leaving", "HEAD", "README.md"): Fault.disconnect(),
        ("org/cut", "GET", ".jsonl"): Fault.truncated(),
    }

    def fault(request, _number):
        if "org/broken" in request.path and request.method == "GET":
            return Fault.status(500)
        for kind in faults:
            dataset, method, end = kind
            if dataset in request.path and request.method == method and request.path.endswith(end):
                return faults.pop(kind)
        return None

    return fault


def test_a_hub_in_trouble_is_asked_again(site, tmp_path):
    names = ["org/busy", "org/limited", "org/leaving", "org/cut"]
    with HubServer(in_trouble()) as hub:
        for name in [*names, "org/broken"]:
            hub.add(name, ROWS, revision=A)
        read, said = read_in_process(site, hub, tmp_path, [[name, {}] for name in [*names, "org/broken"]])
    assert read[:-1] == [[200, ROWS[-1], True]] * 4
    assert read[-1].startswith(f"org/broken test at {A} cannot be loaded: HfHubHTTPError: Server error '500 ")
    assert said.count("org/broken test: ") == 3
    assert "; retrying in 0 s (attempt 2 of 4)" in said
    assert "Retry 1/5" not in said  # of the Hub's library


@pytest.mark.parametrize("kept", [True, False])
def test_a_hub_out_of_reach_is_asked_once(site, tmp_path, kept):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS, revision=A)
        if kept:  # by the Hub's library alone
            read_in_process(site, hub, tmp_path, [["org/quiz", {}]])
            [store] = [path for path in tmp_path.rglob("openbench") if path.parent.name != "huggingface"]
            store.rename(tmp_path / "before")
    start = time.monotonic()
    [read], said = read_in_process(site, hub, tmp_path, [["org/quiz", {}]])
    assert time.monotonic() - start < 20  # the library's own tries take 23 s
    assert "retrying" not in said
    assert "Retry" not in said
    if kept:
        assert read == [200, ROWS[-1], True]
        return
    assert read == (
        f"org/quiz test at {A} cannot be loaded: {hub.endpoint} cannot be reached: [Errno 111] Connection refused. "
        "Run 'bench data pull' on a machine that can reach it, "
        "then 'bench data export' there and 'bench data import' here."
    )


def test_a_hub_whose_name_does_not_resolve_is_asked_once(site, tmp_path):
    endpoint = "http://hub.invalid"
    with HubServer() as hub:
        [read], said = read_in_process(site, hub, tmp_path, [["org/quiz", {}]], HF_ENDPOINT=endpoint, NO_PROXY="*")
    assert read.startswith(f"org/quiz test at {A} cannot be loaded: {endpoint} cannot be reached: [Errno -")
    assert read.endswith("then 'bench data export' there and 'bench data import' here.")
    assert "retrying" not in said


def test_gates_and_tokens(site, tmp_path):
    with HubServer(tokens={"granted", "waiting"}) as hub:
        hub.add("org/gated", ROWS, revision=A, gated=True, granted={"granted"})
        calls = [["org/gated", {"HF_TOKEN": token}] for token in ("waiting", "expired", "granted", "")]
        (waiting, expired, granted, stored), _ = read_in_process(site, hub, tmp_path, calls)
    way_out = (
        f"If {hub.endpoint}/datasets/org/gated exists, log in with an account that has access: 'hf auth login', or "
        "HF_TOKEN."
    )
    for refused in (waiting, expired):
        assert refused.startswith(f"org/gated test at {A} cannot be loaded: ")
        assert refused.endswith(way_out)
    assert granted == [200, ROWS[-1], True]
    assert stored == [200, ROWS[-1], False]  # what is stored asks nobody


def test_processes_that_pull_the_same_download_it_once(site, tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS, revision=A)
        read = []
        threads = [
            threading.Thread(target=lambda: read.extend(read_in_process(site, hub, tmp_path, [["org/quiz", {}]])[0]))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        downloads = [path for method, path in hub.requests if method == "GET" and path.endswith(".jsonl")]
    assert sorted(fetched for _, _, fetched in read) == [False, True]
    assert len(downloads) == 1


# --- plain files ------------------------------------------------------------------------------------------------------

DATA = b"x,y\n" + b"1,a\n" * 2_000_000


@pytest.fixture
def impatient(monkeypatch, tmp_path):
    """Wait for nothing between tries, go through no proxy, and keep what is read below the test's folder."""
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "store"))
    monkeypatch.setattr(fetch, "PAUSES", (0, 0, 0))
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    fsspec.filesystem("https").clear_instance_cache()


@pytest.mark.parametrize(
    ("faults", "tries"),
    [
        ([Fault.status(503), Fault.status(503)], 2),  # fsspec asks for the size twice
        ([None, Fault.rate_limit(0.01)], 2),
        ([None, Fault.truncated()], 2),
        ([None, None, Fault.status(502)], 2),  # in the middle
        ([Fault.disconnect()] * 4, 2),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_file_is_asked_for_again(caplog, faults, tries):
    with HubServer(faults) as hub:
        assert read_file(hub.add_file("quiz.csv", DATA), sha256=None, fs_options={}) == DATA
    assert len(caplog.messages) == tries - 1


@pytest.mark.usefixtures("impatient")
def test_a_transfer_goes_on_where_it_broke_off():
    ranges = []

    def fault(request, number):
        ranges.append(request.headers.get("range"))
        return Fault.status(503) if number == 2 else None

    with HubServer(fault) as hub:
        assert read_file(hub.add_file("quiz.csv", DATA), sha256=None, fs_options={}) == DATA
    starts = [int(each.removeprefix("bytes=").partition("-")[0]) for each in ranges if each]
    assert starts[:2] == [0, 5 * 2**20 + 2**20]  # fsspec's blocks, and what was read beyond the first
    assert starts.count(0) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
@pytest.mark.usefixtures("impatient")
def test_what_is_refused_is_not_asked_for_again(caplog, status):
    with HubServer([Fault.status(status)] * 9) as hub, pytest.raises(DataError, match=f"be read: HTTP {status} [A-Z]"):
        read_file(hub.add_file("quiz.csv", DATA), sha256=None, fs_options={})
    assert caplog.messages == []


@pytest.mark.usefixtures("impatient")
def test_the_last_error_is_told(caplog):
    with HubServer([Fault.status(503)] * 99) as hub, pytest.raises(DataError) as error:
        read_rows(DatasetSource(source=hub.add_file("quiz.csv", DATA), type="csv", sha256="0" * 64))
    url = f"{hub.endpoint.replace('127.0.0.1', 'localhost')}/files/quiz.csv"
    assert str(error.value) == (
        f"{url} cannot be read: HTTP 503 Service Unavailable. Run 'bench data pull' on a machine that can "
        "reach it, then 'bench data export' there and 'bench data import' here."
    )
    assert {text.partition(";")[0] for text in caplog.messages} == {f"{url}: HTTP 503 Service Unavailable"}
    assert len(hub.requests) == 8


class Cut(BaseHTTPRequestHandler):
    """Ends its answers after the length that comes next, and no header says how long they are.

    fsspec asks twice for each transfer, the first time for the size alone.
    """

    lengths = iter(())

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_GET(self):
        self.do_HEAD()
        self.wfile.write(DATA[: next(self.lengths)])

    def log_message(self, *_):
        pass


@pytest.fixture
def cut():
    """The address of a file whose server gives no length."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Cut)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/quiz.csv"
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("impatient")
def test_a_pinned_file_that_is_cut_off_unseen_is_fetched_once_more(cut):
    Cut.lengths, pin = iter([1000, 1000, len(DATA), len(DATA)]), sha256(DATA).hexdigest()
    assert read_file(cut, sha256=pin, fs_options={}) == DATA
    assert not [*Cut.lengths]
    Cut.lengths = iter([1000, 1000, 2000, 2000])
    with pytest.raises(DataError) as error:
        read_file(cut, sha256=pin, fs_options={})
    assert str(error.value) == (
        f"{cut} is not the pinned file: its sha256 is {sha256(DATA[:2000]).hexdigest()} (2,000 bytes), the pin is "
        f"{pin}. The source has changed; pin the new file in a new version of the benchmark. If the download was cut "
        "off twice, try again."
    )


@pytest.mark.usefixtures("impatient")
def test_no_error_of_a_file_shows_a_secret(caplog):
    with HubServer([Fault.status(503)] * 99) as hub:
        url = hub.add_file("quiz.csv", DATA).replace("//", "//bob:planted-pw-1@")
        source = DatasetSource(source=f"{url}?token=planted-tk-1", type="csv")
        with pytest.raises(DataError) as error:
            read_rows(source)
    assert "//[redacted]@localhost" in str(error.value)
    assert "?token=[redacted] cannot be read: HTTP 503" in str(error.value)
    assert len(caplog.messages) == 3
    assert not [text for text in (str(error.value), *caplog.messages) if "planted" in text]


@pytest.mark.usefixtures("impatient")
def test_a_server_that_refuses_connections_is_asked_once(caplog):
    with HubServer() as hub:
        url = hub.add_file("quiz.csv", DATA)
    with pytest.raises(
        DataError, match=r"quiz\.csv cannot be read: ConnectionRefusedError: .*111.*Run 'bench data pull'"
    ):
        read_rows(DatasetSource(source=url, type="csv", sha256="0" * 64))
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("asked", "pause"), [("7", 7.0), ("0", 0.0), ("-1", None), ("nan", None), ("inf", None), ("tomorrow", None)]
)
def test_only_a_pause_that_there_can_be_is_kept_to(asked, pause):
    error = OSError()
    error.headers = {"Retry-After": asked}
    assert fetch.retry_after(error) == pause


def test_pauses_grow_and_follow_what_the_server_asks():
    waited, answers = [], iter([503, 503, 200])

    class Refused(Exception):  # noqa: N818 - as an HTTP library has it
        def __init__(self, status, headers):
            self.status_code, self.headers = status, headers

    def attempt():
        status = next(answers)
        if status != 200:
            raise Refused(status, {"Retry-After": "7"} if waited else {})
        return "done"

    assert fetch.with_retries("quiz", attempt, sleep=waited.append) == "done"
    assert 0.8 <= waited[0] <= 1.2
    assert waited[1] == 7
    assert list(fetch.PAUSES) == sorted(fetch.PAUSES)
