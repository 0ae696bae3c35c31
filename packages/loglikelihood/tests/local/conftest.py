"""Tiny models with random weights and a tokenizer trained on the spot."""

import functools
import importlib.util
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]

TEXTS = [
    "The capital of France is Paris.",
    "Question: what is it?\nAnswer:",
    "Grüße aus Köln, 東京 🙂",
    "one two three " * 3,
]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 400, "bos_token_id": 0, "eos_token_id": 1}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 128}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
KINDS = {
    "llama": ("LlamaConfig", SIZES | HEADS),
    "gpt2": ("GPT2Config", {"vocab_size": 400, "bos_token_id": 0, "eos_token_id": 1} | GPT2),
    "mamba": ("MambaConfig", SIZES | {"state_size": 4, "pad_token_id": 1}),
    "sliding": ("MistralConfig", SIZES | HEADS | {"sliding_window": 16}),
}

QUIZ = """
from inspect_ai import task

from openbench.metadata import BenchmarkMetadata
from openbench.utils.mcq import MCQEval, MCQRecord

__metadata__ = BenchmarkMetadata(
    name="Quiz", description="Capitals.", category="core", tags=[], module_path="quiz", function_name="quiz"
)


def to_record(row):
    return MCQRecord(row["question"], row["options"], row["correct"])


@task
def quiz(style: str = "cloze"):
    return MCQEval(
        name="quiz", dataset_type="json", dataset_path="rows.jsonl", record_to_mcq_sample=to_record, style=style
    )
"""


def trained(adds="<s> $A"):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    pairs = [("<s>", 0), ("</s>", 1)]
    tokenizer.post_processor = processors.TemplateProcessing(single=adds, special_tokens=pairs)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106


def built(kind):
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(0)
    name, settings = KINDS[kind]
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**settings)).eval()
    with torch.no_grad():  # sharper than at the start of training, so that a wrong mask or position shows
        for weight in model.parameters():
            weight.mul_(3)
    return model


@pytest.fixture(scope="session")
def model_of():
    return functools.cache(built)


@pytest.fixture(scope="session")
def tokenizer_that_adds():
    return trained


@pytest.fixture(scope="session")
def tokenizer():
    return trained()


@pytest.fixture(scope="session")
def llama(model_of):
    return model_of("llama")


@pytest.fixture(scope="session")
def saved(tmp_path_factory, model_of, tokenizer):
    folder = tmp_path_factory.mktemp("model")
    model_of("llama").save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def quiz(tmp_path, monkeypatch):
    rows = [
        {"question": f"What is {n}?", "options": ["one two", "Paris", "东京", f"{n} is"], "correct": n % 4}
        for n in range(40)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (tmp_path / "quiz.py").write_text(QUIZ, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def local(llama, tokenizer):
    from openbench_loglikelihood.local.model import LocalModel

    return LocalModel(llama, tokenizer)


class ModelServer:
    """A server that answers completions and chats with a model's own values.

    Args:
        model: The model.
        tokenizer: Its tokenizer.
        way: How it returns the log-probabilities of prompts: `prompt` like vLLM, `echo` like OpenAI, `none`,
            or `refuse`, which answers 400.
        window: The number of tokens that it reads; longer prompts are refused, or cut.
        cuts: Whether it cuts them.
        failures: The statuses of the first answers.
        pause: Seconds that each answer takes at least.
        most_listed: The number of alternatives of a token that a chat lists at most; more are refused.
        favoured: Tokens that a chat's answers are likely to begin with.
    """

    def __init__(
        self,
        model,
        tokenizer,
        way="prompt",
        *,
        window=128,
        cuts=False,
        failures=(),
        pause=0.0,
        most_listed=20,
        favoured=(),
    ):
        self.model, self.tokenizer, self.way, self.window, self.cuts = model, tokenizer, way, window, cuts
        self.failures, self.pause, self.most_listed = list(failures), pause, most_listed
        self.favoured = [token for text in favoured for token in tokenizer(text)["input_ids"]]
        self.requests, self.in_flight, self.most_in_flight = [], 0, 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = outer.respond(asked)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                if status != 200:
                    self.send_header("Retry-After", "0")
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

    def respond(self, asked):
        with self._lock:
            self.requests.append(asked)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            failure = self.failures.pop(0) if self.failures else None
        time.sleep(self.pause)
        try:
            if failure:
                return failure, {"error": {"message": "later"}}
            with self._lock:
                return self._chat(asked) if "messages" in asked else self._completion(asked)
        finally:
            with self._lock:
                self.in_flight -= 1

    def _completion(self, asked):
        ids = self.tokenizer(asked["prompt"])["input_ids"]
        if self.way == "refuse":
            return 400, {"error": {"message": "logprobs of prompts are switched off"}}
        if len(ids) > self.window and not self.cuts:
            return 400, {"error": {"message": f"the maximum context length is {self.window} tokens"}}
        ids = ids[-self.window :]
        logprobs = self.logprobs(ids)
        best = logprobs.argmax(-1).tolist()
        values = [float(logprobs[place, token]) for place, token in enumerate(ids[1:])]
        texts = [self.tokenizer.decode([token]) for token in ids]
        choice = {"index": 0, "text": "x", "finish_reason": "length", "logprobs": None}
        if self.way == "prompt" and asked.get("prompt_logprobs"):
            choice["prompt_logprobs"] = [None] + [
                {str(token): {"logprob": value, "rank": 1, "decoded_token": text}}
                | ({} if best[place] == token else self._best(logprobs, place))
                for place, (token, value, text) in enumerate(zip(ids[1:], values, texts[1:], strict=True))
            ]
        if self.way == "echo" and asked.get("echo"):
            highest = logprobs.max(-1).values.tolist()
            tops = [{self.tokenizer.decode([token]): value} for token, value in zip(best, highest, strict=True)]
            choice["logprobs"] = {
                "tokens": [*texts, "x"],
                "token_logprobs": [None, *values, -1.0],
                "top_logprobs": [None, *tops[:-1], {"x": -1.0}],
                "text_offset": [0] * (len(ids) + 1),
            }
        return 200, self._answered("text_completion", choice, len(ids))

    def _best(self, logprobs, place):
        token = int(logprobs[place].argmax())
        return {str(token): {"logprob": float(logprobs[place, token]), "rank": 1, "decoded_token": "?"}}

    def _chat(self, asked):
        prompt = self.tokenizer.apply_chat_template(asked["messages"], tokenize=False, add_generation_prompt=True)
        if asked.get("top_logprobs", 0) > self.most_listed:
            return 400, {"error": {"message": f"top_logprobs must be at most {self.most_listed}"}}
        ids = self.tokenizer(prompt)["input_ids"]
        values, tokens = self.first(ids).topk(asked.get("top_logprobs") or 1)
        listed = [
            {"token": self.tokenizer.decode([token]), "logprob": value, "bytes": None}
            for value, token in zip(values.tolist(), tokens.tolist(), strict=True)
        ]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": listed[0]["token"]},
            "finish_reason": "length",
            "logprobs": None,
        }
        if asked.get("logprobs") and self.way != "none":
            choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}], "refusal": None}
        return 200, self._answered("chat.completion", choice, len(ids))

    def first(self, ids):
        """Return the log-probability of each token at the beginning of an answer."""
        logits = self.logprobs(ids)[-1].clone()
        logits[self.favoured] += 4
        return logits.log_softmax(-1)

    def logprobs(self, ids):
        import torch

        with torch.inference_mode():
            return self.model(torch.tensor([ids])).logits[0].float().log_softmax(-1)

    def _answered(self, kind, choice, read):
        used = {"prompt_tokens": read, "completion_tokens": 1, "total_tokens": read + 1}
        return {"id": "1", "object": kind, "created": 0, "model": "m", "choices": [choice], "usage": used}


@pytest.fixture
def serve(llama, tokenizer, monkeypatch):
    """A function that starts a server."""
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    servers = []

    def started(way="prompt", of=tokenizer, **options):
        servers.append(ModelServer(llama, of, way, **options))
        return servers[-1]

    yield started
    for server in servers:
        server.close()
