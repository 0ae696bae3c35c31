"""`bench eval --ray`: the same as a local run, on nodes that have what is installed here."""

import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import boto3
import pytest
from inspect_ai.log import read_eval_log
from moto.server import ThreadedMotoServer

from openbench_testing.chat import ChatServer, Fault

pytestmark = pytest.mark.stress

PLANTED = "sk-planted-in-a-variable-4711"


def told(log):
    """What a log says of samples and scores, without what no two runs share."""
    read = read_eval_log(log)
    samples = [
        (sample.id, sample.epoch, sample.target, [(message.role, message.text) for message in sample.messages],
         sample.output.completion, {name: (score.value, score.answer) for name, score in sample.scores.items()},
         sample.model_usage["openai-api/local/m"].total_tokens)
        for sample in read.samples
    ]  # fmt: skip
    metrics = [
        (score.name, {name: each.value for name, each in score.metrics.items()}) for score in read.results.scores
    ]
    return sorted(samples), metrics, read.status, read.results.total_samples, read.results.completed_samples


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_run_is_equal_to_a_local_one(bench, cluster, server, model, engine):
    command = ["quiz", *model(server), "--engine", engine, "--epochs", "2", "--json"]
    local = bench("eval", *command)
    remote = bench.on(cluster, *command, BENCH_WORKERS="").wait()
    assert (local.code, remote.code) == (0, 0), local.err + remote.err
    assert told(remote.json()[0]["log"]) == told(local.json()[0]["log"])
    assert len(server.requests) == 400
    assert "4 workers on 2 nodes of 127.0.0.1:" in remote.err
    assert "200/200 samples" in remote.err


def test_connections_are_shared_among_workers(bench, cluster, server, model):
    """No more requests at once than --max-connections, over all workers."""
    answer, lock, at_once, highest = server._answer, threading.Lock(), set(), 0

    def counting(request):
        nonlocal highest
        with lock:
            at_once.add(request.prompt)
            highest = max(highest, len(at_once))
        time.sleep(0.05)
        with lock:
            at_once.remove(request.prompt)
        return answer(request)

    server._answer = counting
    done = bench.on(cluster, "quiz", *model(server), "--max-connections", "4", "--workers", "4", "--json").wait()
    assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
    assert "4 workers on 2 nodes" in done.err
    assert highest == 4


def test_a_job_of_which_too_many_samples_fail_ends_for_all_workers(bench, cluster, model):
    """The first part is q0 to q499 and the second q500 to q999: neither has so many failures as are too many."""

    def faults(request, _):
        return Fault.status(400) if int(request.prompt.split()[0]) in failing else None

    failing = {*range(10, 16), *range(510, 516)}
    with ChatServer(lambda _: time.sleep(0.02) or "1", faults) as server:
        options = ["-T", "count=2000", "--max-connections", "4", "--fail-on-error", "10", "--json"]
        done = bench.on(cluster, "quiz", *model(server), *options).wait()
        assert len(server.requests) < 1000
    assert done.code == 1, done.err
    log = read_eval_log(done.json()[0]["log"])
    assert log.status == "error"
    assert "Scripted fault: HTTP 400." in log.error.message
    assert 10 <= len([sample for sample in log.samples if sample.error]) <= 12
    assert len(log.samples) < 1000


def test_a_sample_that_ends_its_process_is_an_error(bench, cluster):
    options = ["-T", "deadly=true", "-T", "count=2", "--fail-on-error", "1", "--baseline", "echo", "--json"]
    done = bench.on(cluster, "quiz", *options).wait()
    assert done.code == 1, done.err
    log = read_eval_log(done.json()[0]["log"])
    assert log.status == "error"
    assert log.error.message == "the process that ran this sample ended by a crash"


def test_a_grader_has_its_key_and_a_task_its_dates(bench, cluster, model):
    def adding(request):
        return str(int(request.prompt.split()[0]) + 31)

    with ChatServer(adding, api_key="asked") as asked, ChatServer("GRADE: C", api_key="grading") as grading:
        options = ["-T", "graded=true", "-T", "days=[2024-05-31]", "-T", "count=30", "--json"]
        roles = ["--model-role", "grader=openai-api/judge/m"]
        keys = {"LOCAL_API_KEY": "asked", "JUDGE_API_KEY": "grading", "JUDGE_BASE_URL": grading.base_url}
        done = bench.on(cluster, "quiz", *model(asked), *roles, *options, **keys).wait()
        assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
        assert (len(asked.requests), len(grading.requests)) == (30, 30)
        assert {request.prompt for request in asked.requests} == {f"{number} + 31 is" for number in range(30)}


def test_keys_are_passed_on_and_shown_nowhere(bench, cluster, server, model, tmp_path):
    server._api_key = PLANTED
    done = bench.on(cluster, "quiz", *model(server), "-T", "count=30", "--env", "ACME_WORD", "--json",
                    LOCAL_API_KEY=PLANTED, ACME_WORD="a-word-for-workers-0815").wait()  # fmt: skip
    assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
    script = (
        "import json, ray, logging; ray.init(logging_level=logging.ERROR, log_to_driver=False);"
        "from ray._private.state import state, jobs;"
        "print(jobs(), ray.nodes(), state.workers(), ray.timeline())"
    )
    env = {**cluster.environment(), "RAY_ADDRESS": cluster.address, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    state = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=100, check=False
    )
    assert "openbench_ray" in state.stdout, state.stderr
    session = Path(cluster._folder)
    texts = [
        state.stdout,
        done.out,
        done.err,
        *(path.read_text("utf-8", errors="replace") for path in files(session, tmp_path)),
    ]
    for secret in (PLANTED, "a-word-for-workers-0815"):
        assert not [text[:200] for text in texts if secret in text]


def files(*folders):
    """What Ray and the run have written."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 10**8]


def test_ctrl_c_cancels_what_runs(bench, cluster, server, model, until):
    server._answer = lambda _: time.sleep(0.3) or "1"
    running = bench.on(cluster, "quiz", *model(server), "-T", "count=2000", "--max-connections", "8")
    until(lambda: len(server.requests) > 20)
    running.interrupt()
    done = running.wait()
    sent = len(server.requests)
    assert done.code == 130, done.err
    assert "quiz: interrupted after " in done.err
    assert "Continue with: bench eval --resume logs/" in done.err
    assert "Traceback" not in done.err
    time.sleep(2)
    assert len(server.requests) == sent
    [log] = (bench.folder / "logs").glob("*.json")
    assert read_eval_log(str(log)).status == "cancelled"


CLIENT = (
    "--address ray://x:1: expected HOST:PORT. bench eval must run on a node of the cluster to receive results; "
    "Ray clients (ray://) and jobs are not supported."
)
REFUSED = [
    (["--address", "127.0.0.1:1"], "--address 127.0.0.1:1: no cluster is reachable there: Connection refused."),
    (["--address", "ray://x:1"], CLIENT),
    (["--env", "ACME_NOTHING"], "--env ACME_NOTHING: this variable is not set. Set it, or omit the option."),
    (["--with", "acme=1"], "--with acme=1: expected a requirement such as openbench-simpleqa==1.0.0."),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_can_be_known_before_is_refused_in_one_line(bench, options, message):
    done = bench("eval", "quiz", "--baseline", "echo", "--ray", *options)
    assert (done.code, done.out, done.err) == (2, "", f"bench: {message}\n")
    assert not (bench.folder / "logs").exists()


def test_a_path_and_processes_are_refused(bench, cluster):
    (bench.folder / "mine.py").write_text("", "utf-8")
    done = bench.on(cluster, "./mine.py", "--baseline", "echo").wait()
    assert (done.code, done.err) == (
        2,
        "bench: mine.py: a local eval cannot run with --ray, since workers do not have it. Omit --ray.\n",
    )
    done = bench.on(cluster, "quiz", "--baseline", "echo", "--processes", "2").wait()
    assert (done.code, done.err) == (
        2,
        "bench: --processes is for one machine. On a cluster, use --workers.\n",
    )


AS_ON_THE_HEAD = "RAY_AUTH_MODE, RAY_AUTH_TOKEN and RAY_AUTH_TOKEN_PATH must be as on its head."
REFUSES = "the cluster requires a token, which is missing or wrong here: "
CANNOT = "the cluster's token cannot be read: "
NO_PATH = {"RAY_AUTH_TOKEN_PATH": ""}
TOKENS = [
    ({"RAY_AUTH_MODE": "disabled", **NO_PATH}, REFUSES),
    ({"RAY_AUTH_TOKEN": "no-token-of-this-cluster", **NO_PATH}, REFUSES),
    ({"RAY_AUTH_TOKEN_PATH": "/nowhere"}, CANNOT),
    ({"HOME": "/nowhere", **NO_PATH}, CANNOT),
]


@pytest.mark.parametrize(("variables", "reason"), TOKENS, ids=["no mode", "another token", "no file", "no token"])
def test_a_cluster_that_asks_for_a_token_is_named(bench, cluster, variables, reason):
    done = bench.on(cluster, "quiz", "--baseline", "echo", **variables).wait()
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert done.err.startswith(f"bench: --address {cluster.address}: {reason}{AS_ON_THE_HEAD}")
    assert "no-token-of-this-cluster" not in done.err


def test_workers_that_lack_a_benchmark_are_said_to(bench, cluster, server, model, packages):
    """Here, another distribution registers the benchmark a second time, under a name that workers do not know."""
    about = bench.folder / "packages" / "acme_other-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-other\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text("[openbench.benchmarks]\nother = acme_quiz.metadata:quiz\n", "utf-8")
    path = f"{packages}{os.pathsep}{about.parent}"
    done = bench.on(cluster, "other", *model(server), "--json", PYTHONPATH=path).wait()
    assert done.code == 1, done.err
    [said] = done.json()
    assert said["status"] == "error"
    assert "other" in said["error"]
    assert server.requests == []


@pytest.fixture
def bucket():
    """A bucket on an S3-compatible server: the variables that reach it, and what lists its objects."""
    logging.getLogger("werkzeug").setLevel("ERROR")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    own = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    keys = {**{name.upper(): value for name, value in own.items()}, "AWS_DEFAULT_REGION": "eu"}
    client = boto3.client("s3", endpoint_url=url, region_name="eu", **own)
    client.create_bucket(Bucket="acme", CreateBucketConfiguration={"LocationConstraint": "eu"})
    yield (
        {**keys, "AWS_ENDPOINT_URL": url},
        lambda: [f"s3://acme/{each['Key']}" for each in client.list_objects_v2(Bucket="acme")["Contents"]],
    )
    client.close()
    server.stop()


def test_logs_in_a_bucket_of_a_cluster_that_was_started_here(bench, cluster, server, model, bucket, tmp_path):
    """Without an address, it is where `ray start` notes its head, in a folder that RAY_TMPDIR may move."""
    variables, objects = bucket
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text(cluster.address, "utf-8")
    here = {**variables, "XDG_STATE_HOME": str(tmp_path / "state"), "RAY_TMPDIR": str(tmp_path)}
    command = ["quiz", *model(server), "-T", "count=30", "--ray", "--no-install", "--log-dir", "s3://acme/a", "--json"]
    done = bench("eval", *command, **here, **bench.token(cluster))
    [result] = done.json()
    assert (done.code, result["score"], result["completed"]) == (0, 1.0, 30), done.err
    assert f" on 2 nodes of {cluster.address}\n" in done.err
    assert objects() == [result["log"]]
    [run] = (tmp_path / "state" / "openbench" / "runs").iterdir()
    done = bench("eval", "--resume", run, "--json", **here)
    assert (done.code, done.json(), len(server.requests)) == (0, [result], 30), done.err


def test_logs_at_an_address_of_files_and_a_complete_run_that_needs_no_cluster(bench, cluster, server, model):
    folder = bench.folder / "of mine"
    command = [
        "quiz",
        *model(server),
        "-T",
        "count=30",
        "--ray",
        "--no-install",
        "--log-dir",
        folder.as_uri(),
        "--json",
    ]
    done = bench("eval", *command, **bench.token(cluster), RAY_ADDRESS=cluster.address)
    assert (done.code, done.json()[0]["completed"]) == (0, 30), done.err
    assert f" on 2 nodes of {cluster.address}\n" in done.err
    [run] = (folder / "runs").iterdir()
    [log] = folder.glob("*.json")
    again = bench("eval", "--resume", run, "--ray", "--address", "127.0.0.1:1", "--env", "ACME_NOTHING", "--json")
    assert (again.code, again.json()) == (0, done.json()), again.err
    assert again.err.splitlines()[0] == "quiz: already complete"
    assert [*folder.glob("*.json")] == [log]


def test_a_dry_run_needs_no_cluster(bench):
    done = bench("eval", "quiz", "--baseline", "echo", "--ray", "--address", "127.0.0.1:1", "--dry-run", "--json")
    assert done.code == 0, done.err
    assert done.json()[0]["provenance"]["distribution"] == "acme-quiz"


def test_the_help_shows_the_options_and_imports_no_ray(bench):
    done = bench("eval", "--ray", "--help")
    assert done.code == 0
    assert {"--address", "--workers", "--with", "--no-install", "--env"} <= set(done.out.replace("/", " ").split())
    script = "import sys, openbench_ray.executor; print({'inspect_ai', 'datasets', 'pydantic', 'ray'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "set()\n"
