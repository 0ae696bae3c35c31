"""What holds for every scorer, whatever a model answers."""

import math
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score, accuracy, mean

from openbench_scorers.csv_format import score_csv
from openbench_scorers.cwe import score_cwe
from openbench_scorers.drop import score_drop
from openbench_scorers.graded_panel import score_panel
from openbench_scorers.grid import score_grid, score_grid_difference
from openbench_scorers.includes import score_includes
from openbench_scorers.json_format import score_json
from openbench_scorers.json_judge import Scale, score_verdict, verdict_schema
from openbench_scorers.json_judge_pair import score_pair
from openbench_scorers.json_text import Schema
from openbench_scorers.language import score_language
from openbench_scorers.length_control import Length, score_length
from openbench_scorers.macro_f1 import mean_f1, score_label
from openbench_scorers.niah import score_niah
from openbench_scorers.overlap import corpus_bleu, corpus_chrf, corpus_ter, score_overlap
from openbench_scorers.placeholders import score_placeholders
from openbench_scorers.postscript import score_postscript
from openbench_scorers.refusal import score_refusal
from openbench_scorers.repetition import score_repetition
from openbench_scorers.rouge import score_rouge
from openbench_scorers.text_counts import score_length_ratio, score_text_counts
from openbench_scorers.token_f1 import score_token_f1

SCHEMA = Schema({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
JUDGE = Schema(verdict_schema(Scale(1, 10)))
LENGTH = Length("words", "approx", 12)

WITH_TARGETS = {
    "token_f1": score_token_f1,
    "token_f1 lower": partial(score_token_f1, normalisation="lower"),
    "drop": score_drop,
    "grid": score_grid,
    "grid difference": score_grid_difference,
    "includes": score_includes,
    "includes, whole words": partial(score_includes, whole_words=True),
    "json": partial(score_json, schema=SCHEMA),
    "cwe": score_cwe,
    "niah": score_niah,
    "label": partial(score_label, labels=["a", "b", "not a"]),
}
WITHOUT_TARGETS = {
    "csv": partial(score_csv, separator=",", columns=3),
    "length": partial(score_length, requested=LENGTH),
    "length ratio": partial(score_length_ratio, original="An original."),
    "placeholders": score_placeholders,
    "postscript": score_postscript,
    "refusal": score_refusal,
    "repetition": partial(score_repetition, window=3),
    "text counts": score_text_counts,
    "verdict": partial(score_verdict, "x", schema=JUDGE, scale=Scale(1, 10)),
    "pair": partial(score_pair, "x", as_b='{"winner": "A"}'),
    "panel": partial(score_panel, verdicts=[]),
}
LIBRARIES = {
    "sacrebleu": {
        "bleu": partial(score_overlap, measure="BLEU", options={}),
        "chrf": partial(score_overlap, measure="CHRF", options={}),
        "ter": partial(score_overlap, measure="TER", options={}),
    },
    "rouge_score": {"rouge": score_rouge, "rouge unicode": partial(score_rouge, tokenizer="unicode")},
    "lingua": {"language": partial(score_language, candidates=("de", "en"))},
}
IN_UNIT = {"token_f1", "token_f1 lower", "drop", "grid difference", "bleu", "chrf", "rouge", "rouge unicode"}

PIECES = (
    "Paris", "a", "the", "12", "-1,200.5", "1 2\n3 4", "nan", "[x]", "{", '{"a": 1}', "[[", "]", '"', "```", "```csv\n",
    "P.S.",
    "|", ",", ";", "\t", "\n", "\n\n", " ", ".", "…", "<think>", "</think>", "none", "да", "東京", "한국어", "हिन्दी",
    "\N{GRINNING FACE}", "\u0301", "\u200d", "\x00", "\ud800", "İ", "ß", "①", "٣", "I can't help", "label:", "1e999",
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
TARGETS = st.lists(TEXTS, max_size=3)


def with_libraries():
    scorers = dict(WITH_TARGETS)
    for library, more in LIBRARIES.items():
        try:
            __import__(library)
        except ImportError:
            continue
        scorers |= more
    return scorers


@pytest.mark.parametrize(("name", "score"), with_libraries().items())
@settings(deadline=None, max_examples=150)
@given(completion=TEXTS, targets=TARGETS)
def test_no_text_and_no_target_makes_a_scorer_fail(name, score, completion, targets):
    found = score(completion, targets)
    check(found)
    if name in IN_UNIT and found.reason != "scoring_failed":
        values = found.value.values() if isinstance(found.value, dict) else [found.value]
        assert all(0 <= value <= 1 + 1e-9 for value in values)


@pytest.mark.parametrize("score", WITHOUT_TARGETS.values(), ids=WITHOUT_TARGETS)
@settings(deadline=None, max_examples=150)
@given(text=TEXTS)
def test_no_text_makes_a_scorer_fail(score, text):
    check(score(text))


def check(score):
    """A score can be written to a log and read again, and one without a verdict says why."""
    assert isinstance(score, Score)
    values = score.value.values() if isinstance(score.value, dict) else [score.value]
    assert all(isinstance(value, str | int | float) for value in values)
    if isinstance(score.value, float) and math.isnan(score.value):
        assert score.reason in {"scoring_failed", "grader_failed"}


WORDS = st.lists(st.sampled_from(["alpha", "beta", "12", "gamma", "7.5", "delta"]), min_size=1, max_size=8)


@settings(deadline=None)
@given(words=WORDS, others=st.lists(WORDS, max_size=2))
def test_reference_answers_score_one(words, others):
    text = " ".join(words)
    targets = [text, *map(" ".join, others)]
    assert set(score_token_f1(text, targets).value.values()) == {1.0}
    assert set(score_drop("|".join(words), ["|".join(words)]).value.values()) == {1.0}
    assert score_cwe(text, words).value == "C"
    assert score_label(words[0], words, list(dict.fromkeys(words))).value == "C"


@settings(deadline=None)
@given(cells=st.lists(st.lists(st.integers(-99, 99), min_size=2, max_size=4), min_size=1, max_size=4))
def test_reference_grids_score_one(cells):
    for joint in (",", " ", ", "):
        text = "\n".join(joint.join(map(str, row)) for row in cells)
        assert score_grid(text, [text]).value == "C"
        assert score_grid_difference(text, [text]).value == 0.0


@settings(deadline=None)
@given(words=st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=5), min_size=4, max_size=12))
def test_reference_texts_score_one(words):
    pytest.importorskip("sacrebleu")
    pytest.importorskip("rouge_score")
    text = " ".join(words)
    assert score_overlap(text, [text], "BLEU", {}).value == pytest.approx(1.0)
    assert score_overlap(text, [text], "TER", {}).value == 0.0
    assert score_rouge(text, [text]).value == pytest.approx(dict.fromkeys(score_rouge(text, [text]).value, 1.0))


@settings(deadline=None)
@given(pairs=st.lists(st.tuples(st.sampled_from(["a", "b", "not a", "?"]), st.sampled_from(["a", "b"])), max_size=12))
def test_the_order_of_samples_does_not_matter(pairs):
    scores = [SampleScore(score=score_label(completion, [gold], ["a", "b", "not a"])) for completion, gold in pairs]
    for figure in (mean_f1(), accuracy()):
        assert figure(scores) == pytest.approx(figure(scores[::-1]), nan_ok=True)


@settings(deadline=None, max_examples=30)
@given(
    completions=st.lists(TEXTS.filter(lambda text: "\ud800" not in text), min_size=2, max_size=6), cut=st.integers(0, 6)
)
def test_a_merged_corpus_is_the_whole(completions, cut):
    pytest.importorskip("sacrebleu")
    for measure, figure in (("BLEU", corpus_bleu()), ("CHRF", corpus_chrf()), ("TER", corpus_ter())):
        scores = [
            SampleScore(score=score_overlap(text, ["A reference, 12 words."], measure, {})) for text in completions
        ]
        assert figure(scores[cut:] + scores[:cut]) == pytest.approx(figure(scores))
        assert mean()(scores[cut:] + scores[:cut]) == pytest.approx(mean()(scores))
