"""The chat server, asked by inspect_ai's own provider for OpenAI-compatible servers."""

import asyncio

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import match
from openbench_testing import ChatServer, Fault, Reply
import pytest
import json


pytestmark = pytest.mark.filterwarnings("ignore:The .initial. parameter is deprecated:DeprecationWarning")


def model(server, **config):
    config = GenerateConfig(max_connections=20, **config)
    return get_model("openai-api/local/small", base_url=server.base_url, api_key="sk-test", config=config, memoize=False)

def generate(server, prompt, **config):
    async def run():
        async with model(server, **config) as local:
            return await local.generate(prompt)
    return asyncio.run(run())

def test_a_generation():
    with ChatServer(Reply("four", finish_reason="length")) as server:
        output = generate(server, "2+2?", temperature=0, max_tokens=7)
        [r]=server.requests
    assert output.completion == "four"
    assert output.stop_reason == "max_tokens"
    assert output.usage.total_tokens == 2
    assert (r.model, r.prompt, r.body["temperature"]) == ("small", "2+2?", 0)
    print(r.body, r.headers)


@pytest.mark.parametrize("fault",[Fault.rate_limit(0.01), Fault.status(500), Fault.disconnect(), Fault.truncated(), Fault.malformed(),Fault.status(400)])
def test_retry(fault):
    import time
    t=time.time()
    with ChatServer("four", faults=[fault]) as server:
        try: print(fault.kind, generate(server, "2+2?", max_retries=3).completion)
        except BaseException as e: print("EXC", fault.kind, type(e), e)
        print(len(server.requests), time.time()-t)


def test_an_evaluation(tmp_path):
    samples = [Sample(f"What is {n}?", target=str(n)) for n in range(40)]
    with ChatServer(lambda r: r.prompt[8:-1]) as server:
        [log] = eval(Task(samples, scorer=match()), model=model(server), log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1
    assert log.stats.model_usage["openai-api/local/small"].total_tokens == 160
    assert len(server.requests)==40
