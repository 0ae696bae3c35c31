"""Logs at addresses of fsspec's: an S3-compatible server, memory, and `file://`."""

import json
import logging
import shutil
from pathlib import Path

import boto3
import pytest
from inspect_ai.log import read_eval_log
from moto.server import ThreadedMotoServer

from openbench.errors import UsageError
from openbench.run.paths import absolute, display_path, is_remote, normalize_location, parent, relative_to, resolve
from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

KEY, SECRET = "AKIAQWERTYUIOPASDFGH", "Kq0planted/secret+of+the+bucket"
CONSTANT = ["--model", "baseline/constant", "-M", "answer=Answer: A"]


class Bucket:
    """A bucket of its own on an S3-compatible server, and what `bench` needs to reach it."""

    def __init__(self, url, name, folder):
        self.url, self.name, self.state = url, name, folder / "state"
        keys = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
        self._client = boto3.client("s3", endpoint_url=url, **keys)
        self._client.create_bucket(Bucket=name)

    @property
    def variables(self):
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "XDG_STATE_HOME": str(self.state),
        }

    @property
    def runs(self):
        return sorted((self.state / "openbench" / "runs").glob("*"))

    def objects(self):
        """Return what it holds, by name."""
        listed = self._client.list_objects_v2(Bucket=self.name).get("Contents", [])
        return {
            each["Key"]: self._client.get_object(Bucket=self.name, Key=each["Key"])["Body"].read() for each in listed
        }

    def remove(self):
        for name in self.objects():
            self._client.delete_object(Bucket=self.name, Key=name)
        self._client.delete_bucket(Bucket=self.name)

    def put(self, name, content):
        self._client.put_object(Bucket=self.name, Key=name, Body=content)

    def _read(self, name):
        return self._client.get_object(Bucket=self.name, Key=name)["Body"].read()

    def close(self):
        self._client.close()


@pytest.fixture(scope="module")
def server():
    logging.getLogger("werkzeug").setLevel("ERROR")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(server, tmp_path, request):
    bucket = Bucket(server, f"b{abs(hash(request.node.nodeid))}", tmp_path)
    yield bucket
    bucket.close()


def local(server):
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]


# --- runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ["--engine", "direct"],
        ["--engine", "direct", "--log-format", "eval"],
        ["--engine", "direct", "--processes", "2"],
        ["--engine", "inspect"],
        ["--engine", "inspect", "--log-format", "json"],
    ],
    ids=" ".join,
)
def test_logs_in_a_bucket(bench, quiz, bucket, options):
    done = bench("eval", "quiz.py", *CONSTANT, *options, "--log-dir", f"s3://{bucket.name}/a/b/", "--json", cwd=quiz,
                 **bucket.variables)  # fmt: skip
    [result], [run] = done.json(), bucket.runs
    assert (done.code, result["score"], result["completed"]) == (0, pytest.approx(1 / 3), 6), done.err
    assert [f"s3://{bucket.name}/{name}" for name in bucket.objects()] == [result["log"]]
    assert result["log"].startswith(f"s3://{bucket.name}/a/b/2")
    assert done.err.splitlines()[-1] == f"Every sample is also on this machine, in {run.relative_to(quiz)}"
    assert not (quiz / "logs").exists()
    done = bench("log", "show", result["log"], "--json", cwd=quiz, **bucket.variables)
    assert done.code == 0, done.err
    told = done.json()
    assert (told["status"], told["openbench"]["run"]) == ("success", str(run))


def test_every_command_on_a_log_in_a_bucket(bench, quiz, bucket):
    variables = bucket.variables

    def run(*arguments):
        return bench(*arguments, cwd=quiz, **variables)

    with ChatServer("Answer: A", faults=[None, Fault.status(400)]) as server:
        first = run("eval", "quiz.py", *local(server), "--no-fail-on-error", "--log-dir", f"s3://{bucket.name}/x")
        [name] = bucket.objects()
        log = f"s3://{bucket.name}/{name}"
        [directory] = bucket.runs
        told = directory.relative_to(quiz)
        assert first.code == 0, first.err
        assert first.err.splitlines()[-2:] == [
            f"Continue with: bench eval --resume {told}",
            f"Every sample is also on this machine, in {told}",
        ]
        # Elsewhere there is the log alone.
        bucket.state.rename(quiz / "away")
        done = run("eval-retry", log, "--trust", "--json")
        shutil.rmtree(bucket.state)
        (quiz / "away").rename(bucket.state)
        [result] = done.json()
        assert (done.code, result["completed"], result["errors"], len(server.requests)) == (0, 6, 0, 7), done.err
        assert result["log"].startswith(f"s3://{bucket.name}/x/")
        # Here there is the run, whose logs stay where they were.
        done = run("eval", "--resume", directory, "--json")
        [again] = done.json()
        assert (done.code, again["completed"], len(server.requests)) == (0, 6, 8), done.err
        assert again["log"].startswith(f"s3://{bucket.name}/x/")
        done = run("eval", "--resume", directory, "--json")
        assert (done.json(), len(server.requests)) == ([again], 8), done.err
        before = set(bucket.objects())
        done = run("reproduce", log, "--log-dir", f"s3://{bucket.name}/r", "--json")
        assert done.json()["reproduced"].startswith(f"s3://{bucket.name}/r/"), done.err
        done = run("eval", "quiz.py", *local(server), "--logfile", f"s3://{bucket.name}/n/mine.json", "--json")
        assert done.json()[0]["log"] == f"s3://{bucket.name}/n/mine.json", done.err
    assert run("score", again["log"]).code == 0
    assert run("score", again["log"], "--overwrite").code == 0
    assert run("score", again["log"], "--output", "here.json").code == 0
    assert read_eval_log(str(quiz / "here.json")).status == "success"
    added = {name for name in set(bucket.objects()) - before if not name.startswith("r/")}
    scored = again["log"].removeprefix(f"s3://{bucket.name}/").removesuffix(".json") + "-scored.json"
    assert added == {"n/mine.json", scored}
    assert not (quiz / "s3:").exists()


def test_memory_lasts_as_long_as_the_process(bench, quiz, bucket):
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", "memory://logs", cwd=quiz, **bucket.variables)
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].startswith("memory://logs/2")
    [run] = bucket.runs
    done = bench("eval", "--resume", run, "--log-dir", "here", "--json", cwd=quiz, **bucket.variables)
    [result] = done.json()
    assert (done.code, result["completed"], Path(result["log"]).parent) == (0, 6, quiz / "here"), done.err
    assert "quiz: already complete" in done.err


def test_a_run_is_found_by_the_address_of_its_logs(bench, quiz, bucket):
    variables, folder = bucket.variables, f"s3://{bucket.name}/team"
    done = bench("eval", "--resume", folder, cwd=quiz, **variables)
    none = f"bench: no run with logs at {folder} is recorded on this machine: there is none in state/openbench/runs.\n"
    assert (done.code, done.err) == (2, none)
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", folder, "--json", cwd=quiz, **variables)
    [result], [run] = done.json(), bucket.runs
    assert done.err.splitlines()[0] == f"The run is recorded in {run.relative_to(quiz)}"
    for command in (["eval"], ["eval", "quiz.py", *CONSTANT]):
        done = bench(*command, "--resume", f"{folder}/", "--json", cwd=quiz, **variables)
        assert (done.code, done.json()[0]["log"]) == (0, result["log"]), done.err
        assert f"{run.relative_to(quiz)} is resumed, the only run in {folder}/" in done.err.splitlines()
    done = bench("eval", "--resume", result["log"], cwd=quiz, **variables)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f" is a log. Resume it with: bench eval-retry {result['log']}\n")
    assert bench("eval", "quiz.py", *CONSTANT, "--log-dir", folder, cwd=quiz, **variables).code == 0
    done = bench("eval", "--resume", folder, cwd=quiz, **variables)
    assert done.code == 2
    assert done.err.splitlines()[1:] == [f"  {path.relative_to(quiz)}" for path in bucket.runs]


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_addresses_of_files_are_paths(bench, quiz, engine):
    folder = (quiz / "of mine").as_uri()
    assert "%20" in folder
    done = bench("eval", "quiz.py", *CONSTANT, "--engine", engine, "--log-dir", folder, cwd=quiz)
    assert done.code == 0, done.err
    log = done.out.splitlines()[-1]
    assert log.startswith("of mine/2")
    assert [path.name for path in (quiz / "of mine").iterdir() if path.is_file()] == [Path(log).name]
    assert len([*(quiz / "of mine" / "runs").iterdir()]) == 1
    assert bench("log", "show", (quiz / log).as_uri(), cwd=quiz).code == 0


# --- what goes wrong ------------------------------------------------------------------------------------------------

CANNOT = "the log directory {} cannot be written: "
IN_AN_ADDRESS = (
    "s3://[redacted]@not-there/x contains credentials that would be logged. Pass them in "
    "environment variables, such as AWS_SECRET_ACCESS_KEY."
)


@pytest.mark.parametrize(
    ("location", "changed", "text"),
    [
        ("s3://not-there/x", {}, CANNOT + "there is no bucket not-there. Make it first."),
        ("s3://", {}, "the log directory {} names no place. Use --log-dir s3://NAME/FOLDER."),
        ("nil://x/y", {}, "{}: there is no nil://. Use a path, or one of fsspec's, such as s3://NAME/FOLDER."),
        ("gs://x/y", {}, "{}: gs:// needs a package: gcsfs is not installed. Install it: pip install gcsfs."),
        (
            "s3://not-there/x",
            {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "true"},
            CANNOT + "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
        ),
        (
            f"s3://{KEY}:{SECRET.replace('/', '%2F')}@not-there/x",
            {},
            IN_AN_ADDRESS,
        ),
    ],
)
@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_what_is_known_before_the_first_request(bench, quiz, bucket, location, changed, text, engine):
    with ChatServer("Answer: A") as server:
        options = ["--engine", engine, "--log-dir", location]
        done = bench("eval", "quiz.py", *local(server), *options, cwd=quiz, **{**bucket.variables, **changed})
        assert len(server.requests) == 0
    assert (done.code, done.out, done.err) == (2, "", f"bench: {text.format(location)}\n")
    assert not bucket.runs


def test_a_server_that_cannot_be_reached(bench, quiz, bucket):
    variables = {**bucket.variables, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", "s3://b/x", cwd=quiz, **variables)
    assert done.code == 2
    assert done.err.startswith("bench: the log directory s3://b/x cannot be written: EndpointConnectionError:")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "location", "text"),
    [
        (["log", "show"], "s3://{}/none.json", "bench: s3://{}/none.json does not exist."),
        (["log", "show"], "s3://{}/x", "bench: s3://{}/x is a directory. Name the logs in it."),
        (["score"], "s3://not-there/none.json", "bench: s3://not-there/none.json does not exist."),
        (["eval-retry"], "nil://a/b", "bench: nil://a/b: there is no nil://. Use a path, or one of fsspec's, such as"),
        (["view", "--log-dir"], "s3://not-there/x", "bench: s3://not-there/x does not exist."),
        (
            ["view", "--log-dir"],
            "s3://{}/x/a.json",
            "bench: s3://{}/x/a.json is not a directory. Give the",
        ),
    ],
)
def test_mistakes_in_addresses(bench, quiz, bucket, command, location, text):
    bucket.put("x/a.json", b"{}")
    done = bench(*command, location.format(bucket.name), cwd=quiz, **bucket.variables)
    assert done.code == 2
    assert done.err.startswith(text.format(bucket.name))
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_bucket_that_goes_while_samples_run(bench, quiz, bucket, engine):
    def answer(_):
        if len(server.requests) == 6:
            bucket.remove()
        return "Answer: A"

    with ChatServer(answer) as server:
        options = ["--engine", engine, "--log-buffer", "100", "--log-dir", f"s3://{bucket.name}/x"]
        done = bench("eval", "quiz.py", *local(server), *options, cwd=quiz, **bucket.variables)
        assert done.code == 1
        [run] = bucket.runs
        assert (
            f"bench eval --log-dir logs --resume {run}" in done.err or f"--resume {run.relative_to(quiz)}" in done.err
        )
        assert "Traceback" not in done.err
        assert "defect" not in done.err
        first = len(server.requests)
        done = bench("eval", "--resume", run, "--log-dir", "logs", "--json", cwd=quiz, **bucket.variables)
        [result] = done.json()
        assert (done.code, result["completed"], Path(result["log"]).parent) == (0, 6, quiz / "logs"), done.err
        assert len(server.requests) == first


def test_no_secret_of_the_bucket_is_written(bench, quiz, bucket):
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", f"s3://{bucket.name}/x", cwd=quiz, **bucket.variables)
    [log], [run] = bucket.objects().values(), bucket.runs
    for text in (done.out, done.err, log.decode(), *(path.read_text("utf-8") for path in run.iterdir())):
        assert SECRET not in text
        assert KEY not in text


# --- locations ------------------------------------------------------------------------------------------------------


def test_locations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [is_remote(each) for each in ("logs", "/a", "file:///a", "s3://a", "memory://a")] == [False] * 3 + [True] * 2
    assert normalize_location("file:///a%20b/c") == normalize_location("file://localhost/a%20b/c") == "/a b/c"
    assert normalize_location("file:///a#1/b?c;d") == "/a#1/b?c;d"
    assert normalize_location("logs") == "logs"
    assert absolute("logs/") == str(tmp_path / "logs")
    assert absolute("s3://a/b/") == "s3://a/b"
    assert [parent(each) for each in ("a/b.json", "b.json", "s3://a/b.json", "s3://b.json")] == [
        "a",
        ".",
        "s3://a",
        "s3://",
    ]
    assert relative_to("/a/logs", "/a/logs/runs/r") == "runs/r"
    assert relative_to("s3://a/logs", "/a/runs/r") == "/a/runs/r"
    assert resolve("/b/logs", "runs/r") == "/b/logs/runs/r"
    assert resolve("s3://a/logs", "/a/runs/r") == "/a/runs/r"
    assert [display_path(each) for each in (f"{tmp_path}/a", "/elsewhere/a", "s3://a/b")] == [
        "a",
        "/elsewhere/a",
        "s3://a/b",
    ]
    for location, host in (("file://logs", "logs"), ("file://relative/x", "relative"), ("file://./x", ".")):
        with pytest.raises(UsageError) as error:
            normalize_location(location)
        assert str(error.value) == (
            f"{location} is a file of the host {host!r}. Use a path, or a URL without a host: file:///…"
        )
    with pytest.raises(UsageError, match="contains credentials"):
        normalize_location("sftp://me:planted-word@host/logs")
    assert json.loads(json.dumps(normalize_location("sftp://host/logs"))) == "sftp://host/logs"
