"""Models as they are loaded: from a folder, from a Hub with a revision, over devices, and what is refused."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from openbench.errors import UsageError
from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.request import Request

COMMIT = "5" * 40
RUN = """
import json, sys
import openbench
from openbench.errors import UsageError

def run(revision):
    [log] = openbench.eval("./quiz.py", "openbench-hf/acme/tiny", model_args={"revision": revision}, log_dir="logs")
    return log

log = run("v1")
try:
    run("v9")
except UsageError as error:
    refused = str(error)
print(json.dumps([log.status, log.eval.model_args, refused]))
"""


@pytest.fixture
def hub(saved):
    """The address of a Hub that serves the model as acme/tiny, at one commit with the tag v1."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0].strip("/").split("/")
            known = not {"v1", COMMIT}.isdisjoint(path) or path[:2] == ["api", "models"]
            file = saved / path[-1]
            body = file.read_bytes() if path[2:3] == ["resolve"] and known and file.is_file() else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{path[-1]}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if not body:
                self.send_header("X-Error-Code", "EntryNotFound" if known else "RevisionNotFound")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def do_HEAD(self):
            self.do_GET()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_the_log_has_the_commit_of_a_revision_and_an_unknown_one_is_refused(quiz, hub):
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HOME": str(quiz / "cache"), "HF_HUB_OFFLINE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=quiz, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    status, arguments, refused = json.loads(done.stdout.splitlines()[-1])
    assert status == "success"
    assert arguments == {"revision": COMMIT, "dtype": "float32", "device": "cpu"}
    assert refused.startswith("acme/tiny: the tokenizer cannot be loaded (v9 is not a valid git identifier")


def test_a_folder_has_no_revision(saved):
    with pytest.raises(UsageError) as caught:
        LocalModel.load(str(saved), revision="v1")
    assert str(caught.value) == (
        f"revision: {saved} is a folder, which has no revisions. Leave it out, or name a model's id."
    )


def test_a_device_that_is_not_there_is_refused(saved):
    with pytest.raises(UsageError) as caught:
        LocalModel.load(str(saved), device="tpu9")
    assert str(caught.value).startswith("device: 'tpu9' cannot be used (")


@pytest.mark.parametrize("device_map", ["auto", {"": "cpu"}])
def test_layers_are_placed_by_accelerate(saved, local, device_map):
    pytest.importorskip("accelerate")
    requests = [Request("The capital of France is", [" Paris", " London"])]
    placed = LocalModel.load(str(saved), device_map=device_map)
    (_, found), (_, expected) = [*placed.loglikelihoods(requests), *local.loglikelihoods(requests)]
    assert [each.loglikelihood for each in found] == pytest.approx([each.loglikelihood for each in expected], abs=1e-4)


def test_an_adapter_that_is_not_there_is_refused(saved, tmp_path):
    pytest.importorskip("peft")
    with pytest.raises(UsageError) as caught:
        LocalModel.load(str(saved), device="cpu", adapter=str(tmp_path))
    assert str(caught.value).startswith(f"{tmp_path}: the adapter cannot be loaded (")
