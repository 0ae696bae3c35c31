"""`bench export hf` and `bench eval --hub-repo`, against a local Hub over HTTP."""

import io
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from openbench_testing import ChatServer
from openbench_testing.commands import local_model, write_quiz

LOAD = """
import json, sys
import datasets
for name in ("results", "stats", "samples"):
    print(json.dumps(datasets.load_dataset("team/results", name, split="train").to_list()))
"""
PUBLIC = (
    "bench: team/open is public, and --hub-private asks for a private dataset. Make it private in its settings, or "
    "name another with --hub-repo. Nothing was uploaded.\n"
)
DENIED, SET = "team/denied: the upload failed:", "Set HF_TOKEN to a token that may write to it."
CARD = b"---\nlicense: mit\nconfigs:\n- config_name: mine\n  data_files: mine.csv\n---\n\nWhat I wrote.\n"


def results(hub, repo):
    files = hub.files(repo)
    return {path: pq.read_table(io.BytesIO(files[path])) for path in files if path.startswith("results/")}


def test_logs_become_configurations_of_a_dataset(bench, hub, hub_variables, ours, theirs, tmp_path):
    upload = ["export", "hf", "--hub-repo", "team/results"]
    both = bench(*upload, theirs, ours, "--hub-private", cwd=tmp_path)
    address = f"{hub.endpoint}/datasets/team/results"
    assert (both.code, both.out) == (0, f"{address}: 2 rows of results, 2 rows of stats, 14 rows of samples\n")
    again = bench(*upload, ours, cwd=tmp_path)
    assert (again.code, again.out) == (0, f"{address}: 1 row of results, 1 row of stats, 12 rows of samples\n")
    command = [sys.executable, "-c", LOAD]
    loaded = subprocess.run(command, env=hub_variables, capture_output=True, text=True, check=True).stdout
    rows, stats, samples = map(json.loads, loaded.splitlines())
    assert sorted((row["benchmark"], row["score"]) for row in rows) == [
        ("capitals", 0.5),
        ("quiz", pytest.approx(1 / 3)),
    ]
    assert (len(stats), len(samples)) == (2, 14)
    assert "abcdef" not in loaded
    assert str(ours.parent) not in loaded  # nothing of this machine's folders


def test_the_earlier_name_of_the_command_and_other_names_of_the_rest(bench, hub, ours, tmp_path):
    upload = ["export-hf", "--log-files", ours, "--hub-repo", "team/open"]
    done = bench(*upload, "--hub-model-name", "m 2", cwd=tmp_path, BENCH_HUB_BENCHMARK_NAME="Quiz")
    assert done.code == 0, done.err
    ((path, table),) = results(hub, "team/open").items()
    assert path.startswith("results/Quiz_m-2_")
    assert table.select(["benchmark", "model"]).to_pylist() == [{"benchmark": "Quiz", "model": "m 2"}]
    done = bench(*upload, "--hub-private", cwd=tmp_path)
    assert (done.code, done.err) == (1, PUBLIC)


def test_a_card_that_is_there_stays(bench, hub, ours, tmp_path):
    hub.commit("team/carded", {"README.md": CARD})
    done = bench("export", "hf", ours, "--hub-repo", "team/carded", cwd=tmp_path)
    assert done.code == 0, done.err
    card = hub.files("team/carded")["README.md"].decode()
    assert card.startswith("---\nlicense: mit\nconfigs:\n- config_name: mine\n  data_files: mine.csv\n")
    assert card.count("config_name") == 4
    assert card.endswith("---\n\nWhat I wrote.\n")


@pytest.mark.parametrize(
    ("repo", "token", "code", "message"),
    [
        (
            "team/denied",
            "reader",
            1,
            f"{DENIED} HTTP 403: You don't have the rights to write to this repository. {SET}",
        ),
        ("team/denied", "forged", 1, f"{DENIED} HTTP 401: Invalid credentials in Authorization header. {SET}"),
        ("team/denied", "", 2, "--hub-repo team/denied: the Hub needs a token. Set HF_TOKEN, or run hf auth login."),
        ("denied", "writer", 2, "--hub-repo denied: expected the name of a dataset, as organisation/name."),
        (
            "team/a--b",
            "writer",
            2,
            "--hub-repo team/a--b: not a valid name on the Hub: Cannot have -- or .. in repo_id: 'team/a--b'.",
        ),
    ],
)
def test_what_cannot_be_uploaded(bench, hub, ours, tmp_path, repo, token, code, message):
    done = bench("export", "hf", ours, "--hub-repo", repo, cwd=tmp_path, HF_TOKEN=token)
    assert (done.code, done.out, done.err) == (code, "", f"bench: {message}\n")
    assert hub.files(repo) == {}


def test_eval_uploads_its_log(bench, hub, tmp_path):
    write_quiz(tmp_path)
    with ChatServer("Answer: A") as server:
        run = ["eval", "quiz.py", *local_model(server), "--logfile", "a.json"]
        done = bench(*run, "--hub-repo", "team/after", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.err.endswith(f"uploaded to {hub.endpoint}/datasets/team/after\n")
    assert [table.num_rows for table in results(hub, "team/after").values()] == [1]


def test_after_an_upload_that_fails_eval_says_how_to_upload_again(bench, hub, tmp_path):
    write_quiz(tmp_path)
    options = ["--hub-repo", "team/broken", "--no-hub-private", "--hub-model-name", "a b"]
    with ChatServer("Answer: A") as server:
        done = bench("eval", "quiz.py", *local_model(server), "--logfile", "b.json", *options, cwd=tmp_path)
    assert (done.code, results(hub, "team/broken")) == (1, {})
    assert done.err.endswith(
        "bench: team/broken: the upload failed: HTTP 500: Scripted fault: HTTP 500.\n"
        "bench: the logs are complete. Upload them with: bench export hf b.json --hub-repo team/broken "
        "--no-hub-private --hub-model-name 'a b'\n"
    )
    assert (tmp_path / "b.json").exists()


def test_eval_checks_the_upload_before_it_runs(bench, tmp_path):
    for name in ("quiz", "copy"):
        write_quiz(tmp_path, name=name)
    run = ["eval", "quiz.py", "copy.py", "--baseline", "random"]
    named = ["--hub-repo", "team/r", "--hub-benchmark-name", "x"]
    for options, token, message in (
        (["--hub-private"], "writer", "--hub-private needs --hub-repo."),
        (named, "writer", "--hub-benchmark-name x: one name cannot stand for copy, quiz."),
        (named[:2], "", "--hub-repo team/r: the Hub needs a token. Set HF_TOKEN, or run hf auth login."),
    ):
        done = bench(*run, *options, cwd=tmp_path, HF_TOKEN=token)
        assert (done.code, done.err.splitlines()[-1]) == (2, f"bench: {message}")
    assert not (tmp_path / "logs").exists()
