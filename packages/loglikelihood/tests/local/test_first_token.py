"""Letters ranked by the first token that a chat server lists: a real HTTP server with a small model behind it."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import TopLogprob

import openbench
from openbench.errors import UsageError
from openbench_loglikelihood.first_token import first_token_scores

BENCH = Path(sys.executable).parent / "bench"
CHATML = (
    "{% for message in messages %}<s>{{ message['role'] }}\n{{ message['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
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
def quiz(style: str = "letters_ranked"):
    return MCQEval(
        name="quiz", dataset_type="json", dataset_path="rows.jsonl", record_to_mcq_sample=to_record, style=style
    )
"""


@pytest.fixture(scope="module")
def chatty(tokenizer_that_adds):
    tokenizer = tokenizer_that_adds("$A")
    tokenizer.chat_template = CHATML
    return tokenizer


@pytest.fixture
def quiz(tmp_path, monkeypatch):
    rows = [
        {"question": f"What is {n}?", "options": ["one two", "Paris", "Pisa", f"{n} is"], "correct": n % 4}
        for n in range(8)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (tmp_path / "quiz.py").write_text(QUIZ, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def bench(*arguments):
    return subprocess.run(
        [BENCH, *arguments], capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )


def ranked(server, **options):
    name, url = "first-token/openai-api/local/m", server.base_url
    [log] = openbench.eval("./quiz.py", name, model_base_url=url, log_dir="logs", **options)
    assert log.status == "success", log.error
    return log


def expected_of(server, sample):
    """Return the log-probability of each letter, whether it is listed, and what is not."""
    content = f"{sample.input[0].text}\nAnswer:"
    text = server.tokenizer.apply_chat_template(
        [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
    )
    probabilities = server.first(server.tokenizer(text)["input_ids"]).exp().double()
    listed = probabilities.topk(20)
    letters = {
        letter: [i for i in listed.indices.tolist() if server.tokenizer.decode([i]).strip() == letter]
        for letter in "ABCD"
    }
    values = [float(sum(probabilities[i] for i in of)) or float(listed.values[-1]) for of in letters.values()]
    return values, [not of for of in letters.values()], 1 - float(listed.values.sum())


@pytest.mark.usefixtures("quiz")
@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_the_values_are_those_of_the_model(serve, chatty, engine):
    server = serve("chat", chatty, favoured=["A", "B", "C"])
    log = ranked(server, engine=engine)
    assert log.eval.model == "first-token/openai-api/local/m"
    unseens, bounds = [], []
    for sample in log.samples:
        values, bound, unseen = expected_of(server, sample)
        recorded, score = sample.output.metadata, sample.scores["ranking"]
        assert [math.exp(value) for value in recorded["loglikelihoods"]] == pytest.approx(values, abs=1e-6)
        assert recorded["first_token"] == {"unseen": pytest.approx(unseen, abs=1e-4), "bound": bound}
        unlisted = [index for index, is_bound in enumerate(bound) if is_bound]
        assert score.metadata["first_token"] == {"unseen": pytest.approx(unseen, abs=1e-4), "unlisted": unlisted}
        unseens.append(unseen)
        bounds.append(any(bound))
    [acc] = [each for each in log.results.scores if each.name == "acc"]
    assert acc.metrics["openbench_ranking/first_token_unseen"].value == pytest.approx(sum(unseens) / 8, abs=1e-4)
    assert acc.metrics["openbench_ranking/first_token_unlisted"].value == sum(bounds) / 8
    assert any(sample.output.completion for sample in log.samples)
    assert any(bounds)
    assert len(server.requests) == 8
    [asked] = {json.dumps({k: v for k, v in each.items() if k != "messages"}) for each in server.requests}
    sent = {"max_tokens": 1, "logprobs": True, "top_logprobs": 20, "temperature": 1.0, "top_p": 1.0}
    assert json.loads(asked).items() >= sent.items()
    assert log.stats.model_usage["openai-api/local/m"].output_tokens == 8


@pytest.mark.usefixtures("quiz")
def test_a_server_that_lists_fewer_is_asked_for_fewer(serve, chatty):
    server = serve("chat", chatty, most_listed=5)
    ranked(server)
    assert [each["top_logprobs"] for each in server.requests] == [20] + [5] * 8


@pytest.mark.usefixtures("quiz")
def test_the_cache_answers_a_second_run_and_failures_are_asked_again(serve, chatty):
    server = serve("chat", chatty, failures=[429, 503])
    ranked(server, cache=True)
    ranked(server, cache=True)
    assert len(server.requests) == 8 + 2


def test_the_command(quiz, serve, chatty):
    server = serve("chat", chatty)
    given = ["eval", "./quiz.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url, "--limit", "2"]
    done = bench(*given, "--loglikelihood", "first-token", "--system-message", "Choose.")
    assert done.returncode == 0, done.stderr
    assert "first-token/openai-api/local/m" in done.stdout
    assert [each["messages"][0]["content"] for each in server.requests] == ["Choose.", "Choose."]
    [run] = (quiz / "logs" / "runs").iterdir()
    whole = [*given[:3], "openai-api-completions/local/m", *given[4:]]
    other = bench(*whole, "--resume", str(run))
    assert other.returncode == 2, other.stdout
    assert "model was first-token/openai-api/local/m, is openai-api-completions/local/m" in other.stderr


@pytest.mark.usefixtures("quiz")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["--loglikelihood", "first-token", "-T", "style=cloze"],
            (
                "the first token does not tell its options apart, since they do not begin with different "
                "characters: ' one two', ' Paris', ' Pisa', ' 0 is'. Rank letters (-T style=letters_ranked), or use a "
                "provider of whole log-probabilities, such as openbench-hf or vllm-completions."
            ),
        ),
        (
            ["--loglikelihood", "first-token", "--chat-template"],
            "--chat-template is for openbench-hf: a chat server has its own. Leave it out.",
        ),
        (["--few-shot-as", "message"], "--few-shot-as needs --chat-template, or --loglikelihood first-token."),
        (
            ["--chat-template"],
            (
                "--chat-template is for openbench-hf, which has the tokenizer of its model; openai-api/local/m is "
                "another provider's. Use --model openbench-hf/PATH_OR_ID, or --loglikelihood first-token for a chat "
                "server."
            ),
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(serve, chatty, given, message):
    server = serve("chat", chatty)
    done = bench("eval", "./quiz.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url, *given)
    assert done.returncode == 2, done.stdout
    assert message in " ".join(done.stderr.split())
    assert not server.requests


@pytest.mark.usefixtures("quiz")
def test_a_server_that_lists_nothing_is_found_out_at_once(serve, chatty):
    server = serve("none", chatty)
    [log] = openbench.eval(
        "./quiz.py", "first-token/openai-api/local/m", model_base_url=server.base_url, log_dir="logs", max_connections=1
    )
    assert log.status == "error"
    assert "openai-api/local/m lists no log-probabilities of the first token. Use a server that" in log.error.message


@given(st.lists(st.tuples(st.sampled_from(["A", " A", "B", "\u2581B", "C", "x", " "]), st.floats(-30, -3)), min_size=1))
def test_no_option_is_more_probable_than_what_is_listed_for_it(listed):
    tokens = [TopLogprob(token=token, logprob=value) for token, value in listed]
    for letter, score in zip("AB", first_token_scores([" A", " B"], tokens), strict=True):
        own = [value for token, value in listed if token.strip(" \u2581") == letter]
        assert score.bound is not bool(own)
        expected = sum(map(math.exp, own)) if own else math.exp(min(value for _, value in listed))
        assert math.exp(score.loglikelihood) == pytest.approx(min(1, expected))
        assert 0 <= score.unseen <= 1


def test_it_does_not_generate(serve, chatty, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "say.py").write_text(
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from inspect_ai.scorer import includes\n\n\n@task\ndef say():\n"
        "    return Task([Sample('a', target='a')], scorer=includes())\n"
    )
    [log] = openbench.eval(
        "./say.py", "first-token/openai-api/local/m", model_base_url=serve("chat", chatty).base_url, log_dir="logs"
    )
    assert "ranks options by their first token, and generates nothing" in log.error.message


@pytest.mark.usefixtures("quiz")
def test_the_other_model_must_exist():
    with pytest.raises(UsageError, match=r"^opena/m: the provider 'opena' is unknown\. Did you mean openai\?"):
        openbench.eval("./quiz.py", "first-token/opena/m")
