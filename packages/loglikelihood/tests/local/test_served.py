"""Servers that return the log-probabilities of prompts: a real HTTP server with a small model behind it."""

import json

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model

import openbench
from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.request import Request
from openbench_ranking.perplexity import perplexity, read
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank

NAME = "openai-api-completions/local/m"
SAMPLES = [
    ranking_sample(input="The capital of France is", continuations=[" Paris", " one two", " 東京"], gold=[0], id=1),
    ranking_sample(input="one two  ", continuations=["three", " three"], gold=[1], id=2),
    ranking_sample(input="Grüße aus 東東京", continuations=[" Köln.", " Köln.", " Köln"], gold=[1], id=3),
]
ASKED = sum(len(sample.metadata["openbench_ranking"]["continuations"]) + 1 for sample in SAMPLES)
PROBES = {"prompt": 1, "echo": 2}
RUN = """
from inspect_ai import Task, task
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank


@task
def capitals():
    return Task(
        [
            ranking_sample(input=f"The capital of {n} is", continuations=[" one", " two two", " Paris"], gold=[0], id=n)
            for n in range(6)
        ],
        solver=rank(),
        scorer=ranking(),
    )
"""


def ranked(folder, server, samples=SAMPLES, **options):
    model = get_model(NAME, base_url=server.base_url, memoize=False)
    task = Task(samples, solver=rank(), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(folder), display="none", **options)
    return log


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs a ranked local eval as `bench eval` does, on a server."""
    (tmp_path / "capitals.py").write_text(RUN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))

    def started(server, **options):
        spec = {"model_base_url": server.base_url, "log_dir": "logs", **options}
        [log] = openbench.eval("./capitals.py", NAME, **spec)
        assert log.status == "success", log.error
        return log

    return started


@pytest.mark.parametrize("adds", ["<s> $A", "$A"])
@pytest.mark.parametrize("way", ["prompt", "echo"])
def test_the_values_are_those_of_the_model(tmp_path, serve, llama, tokenizer_that_adds, way, adds):
    tokenizer = tokenizer_that_adds(adds)
    server = serve(way, tokenizer)
    log = ranked(tmp_path, server)
    assert log.status == "success", log.error
    requests = [Request(sample.input, sample.metadata["openbench_ranking"]["continuations"]) for sample in SAMPLES]
    expected = dict(LocalModel(llama, tokenizer).loglikelihoods(requests))
    for index, sample in enumerate(log.samples):
        recorded, scores = sample.output.metadata, expected[index]
        assert recorded["loglikelihoods"] == pytest.approx([each.loglikelihood for each in scores], abs=1e-4)
        assert recorded["tokens"] == [each.tokens for each in scores]
        assert recorded["greedy"] == [each.greedy for each in scores]
    assert len(server.requests) == ASKED + PROBES[way]
    read = sum(len(tokenizer(asked["prompt"])["input_ids"]) for asked in server.requests)
    assert log.stats.model_usage[NAME].input_tokens == read


@pytest.mark.parametrize(
    ("way", "words"), [("none", ""), ("refuse", " It said: Error code: 400 - logprobs of prompts are switched off.")]
)
def test_a_server_without_log_probabilities_is_found_out_at_once(tmp_path, serve, way, words):
    server = serve(way)
    log = ranked(tmp_path, server, max_samples=1)
    assert log.status == "error"
    assert (
        f"{NAME} returns no log-probabilities of prompts. Use a server that does: vLLM or SGLang, with the provider "
        "vllm-completions or openai-api-completions, or one whose completions take echo and logprobs. Of a chat "
        f"server, --loglikelihood first-token ranks letters.{words}"
    ) in log.error.message
    assert len(server.requests) == 2


def test_texts_are_read(tmp_path, serve, llama, tokenizer_that_adds):
    """Without a token that the tokenizer puts before it, the first token has no log-probability, which is recorded."""
    text = "The capital of France is Paris."
    for adds, unscored in (("<s> $A", 0), ("$A", 1)):
        tokenizer = tokenizer_that_adds(adds)
        model = get_model(NAME, base_url=serve("prompt", tokenizer).base_url, memoize=False)
        task = Task([Sample(text)], solver=read(), scorer=perplexity())
        [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
        assert log.status == "success", log.error
        local, recorded = LocalModel(llama, tokenizer), log.samples[0].output.metadata
        context = tokenizer.decode(tokenizer(text)["input_ids"][:1]) if unscored else ""
        [(_, [expected])] = local.loglikelihoods([Request(context, [text.removeprefix(context)])])
        assert recorded["loglikelihood"] == pytest.approx(expected.loglikelihood, abs=1e-4)
        assert (recorded["tokens"], recorded.get("unscored", 0)) == (expected.tokens, unscored)
        assert log.samples[0].scores["perplexity"].metadata["sums"].get("unscored", 0) == unscored


def test_a_text_without_context_needs_a_first_token(tmp_path, serve, tokenizer_that_adds):
    sample = ranking_sample(input=" ", continuations=["one", "two"], gold=[0])
    log = ranked(tmp_path, serve("prompt", tokenizer_that_adds("$A")), [sample])
    assert "does not score the first token of a text without context" in log.error.message
    assert ranked(tmp_path, serve("prompt"), [sample]).status == "success"


def test_a_prompt_beyond_the_window(tmp_path, serve):
    long = ranking_sample(input="one two three " * 30, continuations=[" one", " two"], gold=[0], id="long")
    server = serve("prompt", window=40)
    log = ranked(tmp_path, server, [*SAMPLES, long], fail_on_error=False)
    assert [sample.id for sample in log.samples if sample.error] == ["long"]
    error = next(sample.error.message for sample in log.samples if sample.error)
    assert "refuses a prompt of 41" in error
    assert "the maximum context length is 40 tokens" in error
    assert "use fewer examples, or the provider openbench-hf, which cuts contexts from the left." in error


@pytest.mark.parametrize(
    ("adds", "message"), [("<s> $A", "read another text than the prompt"), ("$A", "cut a prompt from the left")]
)
def test_a_server_that_cuts_prompts_is_found_out(tmp_path, serve, tokenizer_that_adds, adds, message):
    words = " ".join(f"{n} Paris" for n in range(12))
    sample = ranking_sample(input=words, continuations=[" one", " two"], gold=[0])
    tokenizer = tokenizer_that_adds(adds)
    server = serve("prompt", tokenizer, window=len(tokenizer(words)["input_ids"]) - 2, cuts=True)
    log = ranked(tmp_path, server, [sample])
    assert log.status == "error"
    assert message in log.error.message


def test_a_server_that_writes_prompts_into_a_template_is_found_out(tmp_path, serve, tokenizer_that_adds):
    log = ranked(tmp_path, serve("echo", tokenizer_that_adds("<s> $A </s>")))
    assert log.status == "error"
    assert f"{NAME} read another text than the prompt 'a b': 'a b</s>'. Its server cuts prompts" in log.error.message


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_the_cache_answers_a_second_run(run, serve, engine):
    server = serve()
    first = run(server, engine=engine, cache=True)
    asked = len(server.requests)
    second = run(server, engine=engine, cache=True)
    assert len(server.requests) == asked == 6 * 4 + 1
    assert [sample.scores for sample in first.samples] == [sample.scores for sample in second.samples]


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_busy_server_is_asked_again(run, serve, engine):
    server = serve(failures=[429, 503, 429])
    log = run(server, engine=engine, max_connections=2)
    assert len(server.requests) == 6 * 4 + 1 + 3
    assert all(sample.scores["ranking"].value["acc"] in {0, 0.5, 1} for sample in log.samples)


def test_options_go_out_together_within_the_connections(run, serve):
    wide, narrow = serve(pause=0.1), serve(pause=0.02)
    run(wide, limit=1)
    assert wide.most_in_flight == 4  # the context and three options
    run(narrow, max_connections=2)
    assert narrow.most_in_flight == 2


def test_usage_is_in_the_log(run, serve, tokenizer):
    server = serve()
    log = run(server)
    used = log.stats.model_usage[NAME]
    assert used.input_tokens == sum(len(tokenizer(asked["prompt"])["input_ids"]) for asked in server.requests)
    assert used.output_tokens == len(server.requests)
    assert json.loads(log.model_dump_json())["samples"][0]["model_usage"]
