"""Servers that return the log-probabilities of prompts: a real HTTP server with a small model behind it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model

from openbench_loglikelihood.request import Request
from openbench_ranking.perplexity import perplexity, read
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank

SAMPLES = [
    ranking_sample(input="The capital of France is", continuations=[" Paris", " one two", " 東京"], gold=[0], id=1),
    ranking_sample(input="one two  ", continuations=["three", " three"], gold=[1], id=2),
    ranking_sample(input="Grüße aus", continuations=[" Köln.", " Köln.", " Köln"], gold=[1], id=3),
]


class Server:
    """Answers /v1/completions with a model's own values, as vLLM does (`prompt`), by an echo, or without any."""

    def __init__(self, model, tokenizer, way):
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(asked)
                body = json.dumps(answer(model, tokenizer, asked, way)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def answer(model, tokenizer, asked, way):
    import torch

    ids = tokenizer(asked["prompt"])["input_ids"]
    with torch.inference_mode():
        logprobs = model(torch.tensor([ids])).logits[0].float().log_softmax(-1)
    best = logprobs.argmax(-1).tolist()
    values = [float(logprobs[place, token]) for place, token in enumerate(ids[1:])]
    texts = [tokenizer.decode([token]) for token in ids]
    choice = {"index": 0, "text": "x", "finish_reason": "length", "logprobs": None}
    if way == "prompt" and asked.get("prompt_logprobs"):
        choice["prompt_logprobs"] = [None] + [
            {str(token): {"logprob": value, "rank": 1, "decoded_token": text}}
            | (
                {str(best[place]): {"logprob": float(logprobs[place, best[place]]), "rank": 1, "decoded_token": "?"}}
                if best[place] != token
                else {}
            )
            for place, (token, value, text) in enumerate(zip(ids[1:], values, texts[1:], strict=True))
        ]
    if way == "echo" and asked.get("echo"):
        tops = [{text: value} for text, value in zip(texts[1:], values, strict=True)]
        choice["logprobs"] = {
            "tokens": [*texts, "x"],
            "token_logprobs": [None, *values, -1.0],
            "top_logprobs": [None, *tops, {"x": -1.0}],
            "text_offset": [0] * (len(ids) + 1),
        }
    used = {"prompt_tokens": len(ids), "completion_tokens": 1, "total_tokens": len(ids) + 1}
    return {"id": "1", "object": "text_completion", "created": 0, "model": "m", "choices": [choice], "usage": used}


@pytest.fixture
def serve(llama, tokenizer, monkeypatch):
    """A function that starts a server, and returns it and a model of it."""
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    servers = []

    def started(way):
        servers.append(Server(llama, tokenizer, way))
        url = servers[-1].base_url
        return servers[-1], get_model("openai-api-completions/local/m", base_url=url, memoize=False)

    yield started
    for server in servers:
        server.close()


@pytest.mark.parametrize("way", ["prompt", "echo"])
def test_the_values_are_those_of_the_model(tmp_path, serve, local, way):
    server, model = serve(way)
    task = Task(SAMPLES, solver=rank(), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    requests = [Request(sample.input, sample.metadata["openbench_ranking"]["continuations"]) for sample in SAMPLES]
    expected = dict(local.loglikelihoods(requests))
    for index, sample in enumerate(log.samples):
        recorded = sample.output.metadata
        scores = expected[index]
        assert recorded["loglikelihoods"] == pytest.approx([each.loglikelihood for each in scores], abs=1e-4)
        assert recorded["tokens"] == [each.tokens for each in scores]
        if way == "prompt":
            assert recorded["greedy"] == [each.greedy for each in scores]
    assert log.stats.model_usage
    asked = sum(len(sample.metadata["openbench_ranking"]["continuations"]) + 1 for sample in SAMPLES)
    assert len(server.requests) <= asked + 2  # and what finds out how it answers


def test_a_server_without_log_probabilities_is_found_out_at_once(tmp_path, serve):
    server, model = serve("none")
    task = Task(SAMPLES, solver=rank(), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "error"
    assert "returns no log-probabilities of prompts. Use a server that does: vLLM or SGLang" in log.error.message
    assert len(server.requests) == 2


def test_texts_are_read(tmp_path, serve, local):
    _, model = serve("prompt")
    text = "The capital of France is Paris."
    task = Task([Sample(text)], solver=read(), scorer=perplexity())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    [(_, [expected])] = local.loglikelihoods([Request("", [text])])
    assert log.samples[0].output.metadata["loglikelihood"] == pytest.approx(expected.loglikelihood, abs=1e-4)


def test_the_cache_answers_a_second_run(tmp_path, serve):
    server, model = serve("prompt")
    for _ in range(2):
        task = Task(SAMPLES, solver=rank(), scorer=ranking())
        [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", cache=True)
        assert log.status == "success", log.error
        asked = len(server.requests)
    assert asked <= 13
