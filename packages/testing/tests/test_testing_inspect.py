"""The chat server, used through inspect_ai's own provider for OpenAI-compatible servers."""

import asyncio
import json
import subprocess
import sys

import pytest
from inspect_ai.model import GenerateConfig, get_model

from openbench_testing import ChatServer, Fault, Reply

# inspect_ai calls tenacity in a way that tenacity has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")

# A process of its own: an evaluation leaves streams unclosed, which would be errors in this one.
EVALUATION = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import match

_, base_url, log_dir = sys.argv
task = Task([Sample(f"What is {n}?", target=str(n)) for n in range(40)], scorer=match())
model = get_model("openai-api/local/small", base_url=base_url, api_key="sk-test")
[log] = eval(task, model=model, log_dir=log_dir, display="none")
usage = log.stats.model_usage["openai-api/local/small"]
print(json.dumps([log.status, log.results.scores[0].metrics["accuracy"].value, usage.total_tokens]))
"""

# Likewise, since openbench, which another test may have imported, sends such requests again.
GENERATION = """
import asyncio, sys
from inspect_ai.model import GenerateConfig, get_model

_, base_url = sys.argv
model = get_model("openai-api/local/small", base_url=base_url, api_key="sk-test")
asyncio.run(model.generate("2+2?", config=GenerateConfig(max_retries=2)))
"""


def generate(server, prompt, **config):
    async def run():
        options = {"base_url": server.base_url, "api_key": "sk-test", "memoize": False}
        async with get_model("openai-api/local/small", **options) as model:
            return await model.generate(prompt, config=GenerateConfig(**config))

    return asyncio.run(run())


def test_a_generation():
    with ChatServer(Reply("four of them", finish_reason="length")) as server:
        output = generate(server, "How many?", temperature=0, max_tokens=7)
        [request] = server.requests
    assert (output.completion, output.stop_reason) == ("four of them", "max_tokens")
    assert (output.usage.input_tokens, output.usage.output_tokens) == (2, 3)
    assert (request.model, request.prompt, request.body["max_tokens"]) == ("small", "How many?", 7)


@pytest.mark.parametrize("fault", [Fault.rate_limit(0.01), Fault.status(500), Fault.disconnect(), Fault.truncated()])
def test_a_passing_fault_is_retried(fault):
    with ChatServer("four", faults=[fault]) as server:
        assert generate(server, "2+2?", max_retries=2).completion == "four"
        assert len(server.requests) == 2


@pytest.mark.stress
def test_a_malformed_answer_is_not_retried():
    with ChatServer("four", faults=[Fault.malformed()]) as server:
        command = [sys.executable, "-c", GENERATION, server.base_url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert "JSONDecodeError" in done.stderr
        assert len(server.requests) == 1


@pytest.mark.stress
def test_an_evaluation(tmp_path):
    with ChatServer(lambda request: request.prompt.removeprefix("What is ").rstrip("?")) as server:
        command = [sys.executable, "-c", EVALUATION, server.base_url, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == ["success", 1.0, 160]
        assert len(server.requests) == 40
