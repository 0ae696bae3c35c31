"""The Hub server: by bare HTTP here, by the real `datasets` in processes of their own."""

import http.client
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from openbench_testing import Fault, HubServer

PINNED = "0123456789abcdef0123456789abcdef01234567"
ROWS = [{"question": f"What is {n}?", "choices": ["a", "b"], "answer": n % 2} for n in range(5)]

LOAD = """
import json, sys
import datasets
for call in json.loads(sys.argv[1]):
    path = call.pop("path")
    try:
        result = list(datasets.load_dataset(path, **call))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    print(json.dumps(result))
"""


def load(hub, cache, *calls, **environment):
    """What `load_dataset` gives for each call, in one new process: rows, or the error as text."""
    command = [sys.executable, "-c", LOAD, json.dumps(calls)]
    variables = {**os.environ, **hub.environment(cache), **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(path="org/quiz", name=None, split="test", **options):
    return {"path": path, "name": name, "split": split, **options}


def fetch(url, method="GET", headers=None):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request(method, urlsplit(url).path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_datasets_loads_configs_splits_and_revisions(tmp_path):
    with HubServer() as hub:
        old = hub.add("org/quiz", ROWS[:2], config="easy")
        assert hub.add("org/quiz", ROWS[:3], config="easy", revision=PINNED) == PINNED
        hub.add("org/quiz", ROWS[:1], config="easy", split="dev", revision=PINNED)
        new = hub.add("org/quiz", ROWS, config="hard", revision="v2")
        results = load(
            hub,
            tmp_path,
            call(name="easy", revision=old),
            call(name="easy", revision=PINNED),
            call(name="easy", split="dev", revision=PINNED),
            call(name="hard"),
            call(name="hard", revision="v2"),
            call(name="hard", revision=new),
            call(name="easy", split="test+dev"),
        )
    assert results == [ROWS[:2], ROWS[:3], ROWS[:1], ROWS, ROWS, ROWS, [*ROWS[:3], *ROWS[:1]]]


def test_datasets_raises_its_own_errors(tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS, config="easy")
        hub.add("org/quiz", ROWS, config="hard")
        hub.add("org/closed", ROWS, gated=True)
        # The unknown revision comes first: with the dataset in its cache, datasets 4 would fall back on that.
        results = load(
            hub,
            tmp_path,
            call(name="easy", revision=PINNED),
            call("org/nothing"),
            call("org/closed"),
            call(name="medium"),
            call(name="easy", split="dev"),
            call(),
        )
        refused = hub.requests
        assert load(hub, tmp_path, call("org/closed"), HF_TOKEN="any") == [ROWS]  # noqa: S106 - any will do
    closed = "Dataset 'org/closed' is a gated dataset on the Hub. You must be authenticated to access it."
    assert results[:4] == [
        f"DatasetNotFoundError: Revision '{PINNED}' doesn't exist for dataset 'org/quiz' on the Hub.",
        "DatasetNotFoundError: Dataset 'org/nothing' doesn't exist on the Hub or cannot be accessed.",
        f"DatasetNotFoundError: {closed}",
        "ValueError: BuilderConfig 'medium' not found. Available: ['easy', 'hard']",
    ]
    assert results[4].startswith('ValueError: Unknown split "dev"')
    assert results[5].startswith("ValueError: Config name is missing.")
    assert not any(path.endswith(".jsonl") and "closed" in path for _, path in refused)


@pytest.mark.stress
def test_the_second_load_of_a_pinned_split_fetches_no_rows(tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS, revision=PINNED)
        assert load(hub, tmp_path, call(revision=PINNED)) == [ROWS]
        before = len(hub.requests)
        assert load(hub, tmp_path, call(revision=PINNED)) == [ROWS]
        assert not any(path.endswith(".jsonl") for _, path in hub.requests[before:])
        before = len(hub.requests)
        assert load(hub, tmp_path, call(revision=PINNED), HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1") == [ROWS]
        assert len(hub.requests) == before


def test_datasets_streams_and_reads_files_over_http(tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS)
        url = hub.add_file("tables/two words.csv", b"x,y\n1,a\n2,b\n")
        assert url == f"{hub.endpoint.replace('127.0.0.1', 'localhost')}/files/tables/two%20words.csv"
        streamed, table = load(hub, tmp_path, call(streaming=True), call("csv", split="train", data_files=url))
    assert streamed == ROWS
    assert table == [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]


def test_gates_open_for_the_tokens_that_were_granted():
    with HubServer(tokens=["granted", "known"]) as hub:
        commit = hub.add("org/closed", ROWS, gated=True, granted=["granted"])
        urls = [f"{hub.endpoint}/datasets/org/closed/resolve/{commit}/default/test.jsonl"]
        urls.append(f"{hub.endpoint}/api/datasets/org/closed/auth-check")
        for url in urls:
            tokens = ("granted", "known", "forged")
            answered = [fetch(url, headers={"Authorization": f"Bearer {token}"}) for token in tokens]
            assert [status for status, _, _ in answered] == [200, 403, 401]
            assert [headers["X-Error-Code"] for _, headers, _ in answered] == [None, "GatedRepo", None]
            assert fetch(url)[0] == 401


def test_faults_come_in_order_or_by_request():
    scripted = [Fault.status(503), Fault.rate_limit(2), Fault.malformed(), None]
    with HubServer(scripted) as hub:
        url = hub.add_file("a.txt", b"whole")
        first, second, third, fourth, fifth = (fetch(url.replace("localhost", "127.0.0.1")) for _ in range(5))
    assert (first[0], second[0], second[1]["Retry-After"]) == (503, 429, "2")
    assert (third[0], third[2], fourth[2], fifth[2]) == (200, b'{"id": ', b"whole", b"whole")
    with HubServer(lambda _request, number: Fault.disconnect() if number else Fault.truncated()) as hub:
        url = hub.add_file("a.txt", b"whole").replace("localhost", "127.0.0.1")
        with pytest.raises(http.client.IncompleteRead) as cut:
            fetch(url)
        with pytest.raises(http.client.RemoteDisconnected):
            fetch(url)
    assert cut.value.partial == b"wh"
    assert len(hub.requests) == 2


def test_every_cache_is_under_the_given_folder(tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS)
        variables = hub.environment(tmp_path)
        load(hub, tmp_path, call(), HOME=str(tmp_path / "home"))
    assert not (tmp_path / "home").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["huggingface"]
    assert variables["HF_ENDPOINT"] == hub.endpoint
    assert variables["HF_TOKEN"] == ""
    folders = [value for value in variables.values() if value.startswith(str(tmp_path))]
    assert len(folders) == 8


def test_the_environment_keeps_other_hosts_that_need_no_proxy(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "intranet")
    with HubServer() as hub:
        variables = hub.environment(tmp_path)
    assert variables["NO_PROXY"] == variables["no_proxy"] == "intranet,127.0.0.1,localhost"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/datasets/org/quiz/resolve/main/nothing.txt", 404, "EntryNotFound"),
        ("/datasets/org/quiz/resolve/v9/README.md", 404, "RevisionNotFound"),
        ("/datasets/org/nothing/resolve/main/README.md", 404, "RepoNotFound"),
        ("/api/datasets/nothing", 404, "RepoNotFound"),
        ("/api/datasets/org/quiz/tree/main/nothing", 404, "EntryNotFound"),
        ("/datasets/org/closed/resolve/main/README.md", 401, "GatedRepo"),
        ("/api/models/org/quiz", 404, None),
        ("/files/nothing.csv", 404, None),
    ],
)
def test_what_is_missing_has_the_hubs_code(path, status, code):
    with HubServer() as hub:
        hub.add("org/quiz", ROWS)
        hub.add("org/closed", ROWS, gated=True)
        got, headers, body = fetch(hub.endpoint + path)
        assert hub.requests == [("GET", path)]
    assert (got, headers["X-Error-Code"]) == (status, code)
    assert json.loads(body)["error"]


def test_the_tree_and_the_info_of_a_dataset():
    with HubServer() as hub:
        commit = hub.add("org/quiz", ROWS[:1], config="easy")
        top = json.loads(fetch(f"{hub.endpoint}/api/datasets/org/quiz/tree/main")[2])
        folder = json.loads(fetch(f"{hub.endpoint}/api/datasets/org/quiz/tree/{commit}/easy")[2])
        info = json.loads(fetch(f"{hub.endpoint}/api/datasets/org/quiz")[2])
    assert [(entry["type"], entry["path"]) for entry in top] == [("file", "README.md"), ("directory", "easy")]
    assert [(entry["type"], entry["path"]) for entry in folder] == [("file", "easy/test.jsonl")]
    assert info["sha"] == commit
    assert [sibling["rfilename"] for sibling in info["siblings"]] == ["README.md", "easy/test.jsonl"]


def test_a_commit_follows_from_the_content():
    first, second = HubServer(), HubServer()
    commit = first.add("org/quiz", ROWS)
    assert re.fullmatch(r"[0-9a-f]{40}", commit)
    assert second.add("org/quiz", ROWS) == commit
    assert second.add("org/quiz", ROWS[:1]) != commit
    assert second.add("org/quiz", ROWS) == commit


def test_amending_an_old_commit_leaves_main_alone():
    with HubServer() as hub:
        hub.add("org/quiz", ROWS[:1], revision=PINNED)
        newest = hub.add("org/quiz", ROWS)
        hub.add("org/quiz", ROWS[:2], revision=PINNED)
        url = f"{hub.endpoint}/datasets/org/quiz/resolve/main/default/test.jsonl"
        _, headers, body = fetch(url)
        assert headers["X-Repo-Commit"] == newest
        assert len(body.splitlines()) == 5
        assert len(fetch(url.replace("main", PINNED))[2].splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"repo": "quiz"}, "expected a dataset 'organisation/name', got 'quiz'."),
        ({"config": "a/b"}, "The config 'a/b' must consist of letters, digits, '_', '-' and '.'."),
        ({"split": ""}, "The split '' must consist of letters, digits, '_', '-' and '.'."),
    ],
)
def test_a_name_that_the_hub_could_not_have(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        HubServer().add(**{"repo": "org/quiz", "rows": ROWS, **arguments})


@pytest.mark.parametrize(
    ("requested", "status", "answer", "content_range"),
    [
        (None, 200, b"0123456789", None),
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
        ("bytes=-3", 206, b"789", "bytes 7-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=-", 200, b"0123456789", None),
    ],
)
def test_a_range_of_a_file(requested, status, answer, content_range):
    with HubServer() as hub:
        url = hub.add_file("digits.bin", b"0123456789")
        got, headers, body = fetch(url, headers={"Range": requested} if requested else None)
    assert (got, body, headers["Content-Range"]) == (status, answer, content_range)
    assert headers["Accept-Ranges"] == "bytes"


def test_the_head_of_a_file():
    with HubServer() as hub:
        status, headers, body = fetch(hub.add_file("table.csv", b"x\n1\n"), "HEAD")
    assert (status, body) == (200, b"")
    assert (headers["Content-Length"], headers["Content-Type"]) == ("4", "text/csv")


def test_a_folder_of_datasets(tmp_path):
    for path in ("org/quiz/easy/test", "org/quiz/hard/dev", "other/words/default/train"):
        file = tmp_path / f"{path}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"x": "é"}\n', encoding="utf-8")
    with HubServer() as hub:
        commits = hub.add_directory(tmp_path, {"org/quiz": PINNED})
        body = fetch(f"{hub.endpoint}/datasets/org/quiz/resolve/{PINNED}/hard/dev.jsonl")[2]
    assert list(commits) == ["org/quiz", "other/words"]
    assert commits["org/quiz"] == PINNED
    assert body.decode() == '{"x": "é"}\n'
    with pytest.raises(ValueError, match=r"has no dataset org/none; it has org/quiz, other/words\.$"):
        HubServer().add_directory(tmp_path, {"org/none": PINNED})


def test_real_rows_come_back_in_order(tmp_path):
    if not (data := os.environ.get("OPENBENCH_REAL_DATA")):
        pytest.skip("OPENBENCH_REAL_DATA names no folder of real rows")
    folder = Path(data) / "hub"
    calls = {}
    with HubServer() as hub:
        commits = hub.add_directory(folder, {"cais/mmlu": PINNED})
        for file in sorted(folder.glob("*/*/*/*.jsonl")):
            organisation, name, config, _ = file.relative_to(folder).parts
            repo = f"{organisation}/{name}"
            calls[file] = call(repo, config, file.stem, revision=commits[repo])
        results = load(hub, tmp_path, *calls.values())
    for (file, wanted), rows in zip(calls.items(), results, strict=True):
        expected = [json.loads(line) for line in file.read_bytes().splitlines()]
        assert without_nulls(rows) == without_nulls(expected), wanted
    [mmlu] = [rows for wanted, rows in zip(calls.values(), results, strict=True) if is_mmlu_test(wanted)]
    assert len(mmlu) == 14_042


def is_mmlu_test(wanted):
    return (wanted["path"], wanted["name"], wanted["split"]) == ("cais/mmlu", "all", "test")


def without_nulls(value):
    """The value without the absent keys that a column of objects fills up with None."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


UPLOAD = """
import json, sys
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError
api, found = HfApi(), []
for token in ("reader", "writer"):
    try:
        api.create_repo("org/made", repo_type="dataset", private=True, exist_ok=True, token=token)
        files = {"README.md": b"---\\nlicense: mit\\n---\\n", "data/a.parquet": b"PAR1"}
        operations = [CommitOperationAdd(path, data) for path, data in files.items()]
        api.create_commit("org/made", operations, commit_message="Add", repo_type="dataset", token=token)
        found.append(api.dataset_info("org/made", token=token).private)
    except HfHubHTTPError as error:
        found.append(error.response.status_code)
print(json.dumps(found))
"""


def test_huggingface_hub_creates_a_dataset_and_commits_files(tmp_path):
    with HubServer(tokens=["reader", "writer"], writers=["writer"]) as hub:
        variables = {**os.environ, **hub.environment(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", UPLOAD], env=variables, capture_output=True, text=True, check=True, timeout=240
        )
        assert json.loads(done.stdout) == [403, True]
        assert hub.files("org/made") == {
            ".gitattributes": b"",
            "README.md": b"---\nlicense: mit\n---\n",
            "data/a.parquet": b"PAR1",
        }
        assert fetch(f"{hub.endpoint}/api/datasets/org/made")[0] == 404  # it is private
        assert hub.files("org/nothing") == {}
