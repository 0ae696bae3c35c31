"""Nodes that have nothing but Ray: packages, and pinned rows, come with the run."""

import hashlib
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from uv import find_uv_bin

from openbench_ray.cluster import LocalCluster
from openbench_testing.server import LocalServer, Response

pytestmark = pytest.mark.stress

ROWS = b"".join(b'{"n": %d}\n' % number for number in range(40))


class Files(LocalServer):
    """Serves the rows."""

    def respond(self, _):
        return Response(ROWS)


@pytest.fixture(scope="module")
def bare():
    """A cluster of one node whose Python has Ray, and what Ray needs for its runtime environments."""
    uv, needed = find_uv_bin(), [f"ray=={version('ray')}", "pip", "virtualenv"]
    # Not pytest's folder, which keeps what three sessions have installed.
    with tempfile.TemporaryDirectory(prefix="bare-") as folder:
        python = Path(folder, "bin", "python")
        subprocess.run([uv, "venv", "--python", sys.executable, "--allow-existing", folder], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *needed], check=True)
        with LocalCluster([2], python=str(python), variables={"PYTHONPATH": "", "TMPDIR": folder}) as made:
            yield made


def test_a_run_brings_its_packages_and_its_rows(bench, bare, server, model):
    store = {"OPENBENCH_DATA_DIR": str(bench.folder / "data")}
    with Files() as files:
        pinned = ["-T", f"rows={files.address}/rows.jsonl", "-T", f"sha256={hashlib.sha256(ROWS).hexdigest()}"]
        command = ["eval", "quiz", *pinned, *model(server), "--json"]
        local = bench(*command, **store)
    # The file is not there any more: what workers read is what is stored here. A library comes from pip's own index.
    on_nodes = ["--ray", "--address", bare.address, "--with", "tabulate"]
    remote = subprocess.run(  # as a shell starts it: no process but its own has imported anything
        [Path(sys.executable).with_name("bench"), *command, *on_nodes],
        cwd=bench.folder,
        env={**bench.variables, **store, **bench.token(bare)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (local.code, remote.returncode) == (0, 0), local.err + remote.stderr
    assert "2 workers on 1 node of 127.0.0.1:" in remote.stderr
    assert ", which install the packages of this run first\n" in remote.stderr
    here, there = (read_eval_log(json.loads(out)[0]["log"]) for out in (local.out, remote.stdout))
    assert len(there.samples) == 40
    assert [sample.id for sample in here.samples] == [sample.id for sample in there.samples]
    assert there.results.scores[0].metrics["accuracy"].value == 1.0
    said = [log.eval.metadata["openbench"] for log in (here, there)]
    assert said[0]["identity"] == said[1]["identity"]


def test_a_package_that_cannot_be_had_is_named(bench, bare, server, model):
    with_nothing = ["--with", "acme-nothing-such==1.0"]
    options = [*model(server), "--ray", "--address", bare.address, *with_nothing]
    done = bench("eval", "quiz", *options, **bench.token(bare))
    assert done.code == 1
    [said] = [line for line in done.err.splitlines() if line.startswith("bench: ")]
    assert said.startswith("bench: quiz: the packages of this run cannot be installed on the node ")
    assert "No matching distribution found for acme-nothing-such==1.0. If workers already have them, add" in said
    assert "Traceback" not in done.err
    assert server.requests == []
