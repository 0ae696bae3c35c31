"""Perplexity of whole texts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore

from openbench.tasks.solvers import declared_reference, refusal
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.perplexity import (
    TEXT_KEY,
    byte_perplexity,
    perplexity,
    read,
    score_text,
    text_bits_per_byte,
    text_sample,
    token_perplexity,
    word_count,
    word_perplexity,
)

TEXTS = ["The sun shines.", "Grüße aus  Köln"]


def figures(scored):
    metrics = (word_perplexity, byte_perplexity, token_perplexity, text_bits_per_byte)
    return [metric()([SampleScore(score=each) for each in scored]) for metric in metrics]


def test_figures_worked_out_by_hand():
    # 3 + 3 words, 15 + 18 bytes, 4 + 6 tokens
    scored = [score_text(TEXTS[0], ContinuationScore(-10.0, 4)), score_text(TEXTS[1], ContinuationScore(-20.0, 6))]
    assert [each.value for each in scored] == [
        pytest.approx(10 / (15 * math.log(2))),
        pytest.approx(20 / (18 * math.log(2))),
    ]
    assert figures(scored) == pytest.approx(
        [math.exp(30 / 6), math.exp(30 / 33), math.exp(30 / 10), 30 / (33 * math.log(2))]
    )


def test_words_and_bytes_of_another_text_can_count():
    made = text_sample("Köln, 1,5", counted="Köln , 1 @,@ 5", id="page")
    assert made.metadata[TEXT_KEY] == {"words": 5, "bytes": 15}
    scored = score_text(made.input, ContinuationScore(-30.0, 4), made.metadata[TEXT_KEY])
    assert figures([scored]) == pytest.approx([math.exp(6), math.exp(2), math.exp(7.5), 2 / math.log(2)])
    assert text_sample("Grüße aus Köln").metadata[TEXT_KEY] == {"words": 3, "bytes": 17}


def test_without_tokens_the_token_perplexity_is_nan():
    words, bytes_, tokens, bits = figures([score_text(TEXTS[0], ContinuationScore(-10.0))])
    assert math.isnan(tokens)
    assert min(words, bytes_, bits) > 0


def test_a_text_that_a_model_holds_for_hopeless():
    assert figures([score_text("a", ContinuationScore(-1e4, 1))])[0] == math.inf


@given(st.lists(st.tuples(st.text(min_size=1), st.floats(-500, 0)), min_size=1, max_size=5))
def test_bits_per_byte_and_byte_perplexity_say_the_same(pairs):
    _, bytes_, _, bits = figures([score_text(text, ContinuationScore(value)) for text, value in pairs])
    assert math.log2(bytes_) == pytest.approx(bits)


def test_words_are_what_is_between_white_space():
    assert word_count("a b\n\nc ") == 4  # the harness counts the empty part after the last space too


def run(tmp_path, model, solver=None):
    task = Task([Sample(text) for text in TEXTS], solver=solver or read(), scorer=perplexity())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    return log


def test_a_run_with_a_baseline_and_with_the_reference(tmp_path):
    log = run(tmp_path, "baseline/random")
    assert log.status == "success", log.error
    [score] = log.results.scores
    assert score.metrics["byte_perplexity"].value == pytest.approx(256)
    assert score.metrics["text_bits_per_byte"].value == pytest.approx(8)
    log = run(tmp_path, "baseline/random", declared_reference(Task([Sample("a")], solver=read())))
    assert log.results.scores[0].metrics["word_perplexity"].value == 1


def test_models_that_cannot_read_are_refused():
    task = Task([Sample("a")], solver=read(), scorer=perplexity())
    assert refusal(task, get_model("baseline/random")) is None
    assert refusal(task, get_model("mockllm/model")) == (
        "it needs the log-probability of whole texts, which mockllm/model does not provide. Use a model whose provider "
        "does (openbench-loglikelihood), or check the benchmark without a model: --baseline reference or random"
    )


def test_a_value_that_is_not_finite_is_refused(tmp_path):
    model = get_model("mockllm/model")

    async def impossible(_):
        return ContinuationScore(-math.inf)

    async def unused(_):
        raise AssertionError

    model.api.rolling_loglikelihood, model.api.loglikelihoods = impossible, unused
    log = run(tmp_path, model)
    assert log.status == "error"
    assert "the log-probability of its text is -inf; expected a finite number." in log.error.message
