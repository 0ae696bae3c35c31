"""What the tests of exports share: a Hub, `bench` in a process that uses it, and two logs."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import inspect_ai
import pytest
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes

from openbench_testing import ChatServer, Fault, HubServer
from openbench_testing.commands import environment, local_model, write_quiz

SECRET = "abcdef0123456789abcdef"  # noqa: S105 - a made-up one
# One process runs all command lines of a file, because `huggingface_hub` reads its endpoint on import.
LOOP = """
import contextlib, io, json, os, sys
from openbench.cli.main import run
for line in sys.stdin:
    request, out, err = json.loads(line), io.StringIO(), io.StringIO()
    os.chdir(request["cwd"])
    before = {name: os.environ.get(name) for name in request["variables"]}
    os.environ.update(request["variables"])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(request["arguments"])
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})
    print(json.dumps({"code": code, "out": out.getvalue(), "err": err.getvalue()}), flush=True)
"""


def fault(request, _number):
    """Fail commits to datasets named `broken`."""
    return Fault.status(500) if "broken/commit" in request.path else None


@pytest.fixture(scope="session")
def hub():
    with HubServer(fault, tokens=["writer", "reader"], writers=["writer"]) as server:
        yield server


@pytest.fixture(scope="session")
def hub_variables(hub, tmp_path_factory):
    """The variables of a process that uses the Hub, with a token that may write."""
    folder = tmp_path_factory.mktemp("home")
    own = {"HF_TOKEN": "writer", "WANDB_MODE": "offline", "MLFLOW_ALLOW_FILE_STORE": "true"}
    return {**environment(folder), **hub.environment(folder), **own}


@pytest.fixture(scope="session")
def bench(hub_variables):
    """A function that runs `bench` in a directory, and returns its code, stdout and stderr."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP], env=hub_variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def run(*arguments, cwd, **variables):
        request = {"arguments": [str(each) for each in arguments], "cwd": str(cwd), "variables": variables}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return SimpleNamespace(**json.loads(process.stdout.readline()))

    yield run
    process.communicate(timeout=60)


@pytest.fixture(scope="session")
def ours(bench, tmp_path_factory):
    """A log that `bench eval` wrote: the quiz in two epochs, answered with A."""
    folder = tmp_path_factory.mktemp("ours")
    write_quiz(folder)
    with ChatServer("Answer: A") as server:
        options = ["--epochs", 2, "--temperature", 0.5, "--log-format", "eval", "--logfile", "quiz.eval"]
        done = bench("eval", "quiz.py", *local_model(server), *options, cwd=folder)
    assert done.code == 0, done.err
    return folder / "quiz.eval"


@pytest.fixture(scope="session")
def theirs(tmp_path_factory):
    """A log that another program wrote with Inspect, with a secret in a header, in metadata and in a completion."""
    texts = ("Paris", "My key is sk-abcdefghij0123456789")
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)
    samples = [
        Sample(id=1, input="Capital of France?", target="Paris", metadata={"topic": "geo", "api_key": SECRET}),
        Sample(id=2, input="Capital of Italy?", target=["Rome", "Roma"], metadata={"topic": "geo"}),
    ]
    config = GenerateConfig(extra_headers={"X-Key": SECRET})
    (log,) = inspect_ai.eval(
        inspect_ai.Task(dataset=samples, scorer=includes(), name="capitals", config=config),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path_factory.mktemp("theirs")),
        log_format="json",
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    assert SECRET in Path(log.location.removeprefix("file://")).read_text("utf-8")
    return Path(log.location.removeprefix("file://"))
