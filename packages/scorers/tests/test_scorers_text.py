"""Text overlap: the values of the published libraries, per sample and for the corpus."""

import json
import math
import random
import subprocess
import sys

import pytest
from inspect_ai.scorer import SampleScore

from openbench.errors import UsageError
from openbench_scorers.overlap import (
    Measure,
    bleu,
    chrf,
    corpus_bleu,
    corpus_chrf,
    corpus_chrfpp,
    corpus_ter,
    score_overlap,
    score_overlaps,
    ter,
)
from openbench_scorers.rouge import corpus_rouge, rouge, score_rouge

sacrebleu = pytest.importorskip("sacrebleu")
rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

SAID = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him.", ""]
REFERENCES = [
    ["The dog bit the man.", "The dog had bit the man."],
    ["It was not unexpected.", "No one was surprised."],
    ["The man bit him first."],  # fewer than the others
    ["He left.", "He went away."],
]
CORPUS = {"BLEU": corpus_bleu, "CHRF": corpus_chrf, "TER": corpus_ter}


def scored(measure, options):
    scores = [score_overlap(*pair, measure, options) for pair in zip(SAID, REFERENCES, strict=True)]
    return [SampleScore(score=score) for score in scores]


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("BLEU", {}),
        ("BLEU", {"tokenize": "char", "lowercase": True}),
        ("CHRF", {"word_order": 2}),
        ("TER", {"normalized": True}),
    ],
)
def test_values_are_sacrebleus(measure, options):
    made = getattr(sacrebleu.metrics, measure)
    extra = {"effective_order": True} if measure == "BLEU" else {}
    scores = scored(measure, options)
    expected = [made(**options, **extra).sentence_score(*pair).score for pair in zip(SAID, REFERENCES, strict=True)]
    assert [each.score.value * 100 for each in scores] == pytest.approx(expected)
    streams = [[row[0] for row in REFERENCES], [row[1] if len(row) > 1 else None for row in REFERENCES]]
    whole = made(**options).corpus_score(SAID, streams).score
    assert CORPUS[measure]()(scores) * 100 == pytest.approx(whole)
    assert CORPUS[measure]()(scores[::-1]) * 100 == pytest.approx(whole)  # whatever the order
    assert scores[3].score.reason == "no_response"


MEASURES = {
    "bleu": Measure("BLEU", {"tokenize": "13a"}),
    "chrf": Measure("CHRF"),
    "chrfpp": Measure("CHRF", {"word_order": 2}),
    "ter": Measure("TER"),
}
OPTIONS = {"chrf": ["-m", "chrf"], "chrfpp": ["-m", "chrf", "--chrf-word-order", "2"], "ter": ["-m", "ter"]}


def command_line(folder, texts, references, *options):
    """What sacrebleu's own command prints of one measure."""
    streams = {"texts": texts} | {f"references{number}": lines for number, lines in enumerate(references)}
    for name, lines in streams.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = [f"references{number}" for number in range(len(references))]
    command = [sys.executable, "-m", "sacrebleu", *files, "-i", "texts", "-w", "9", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "make"), [("bleu", corpus_bleu), ("chrf", corpus_chrf), ("chrfpp", corpus_chrfpp), ("ter", corpus_ter)]
)
def test_corpus_figures_are_those_of_sacrebleus_command(tmp_path, name, make):
    rng = random.Random(0)  # noqa: S311 - no secret
    words = ["a", "the", "dog", "cat", "house", "runs", "sees", ",", "old", "in", "3.5", "don't"]
    references = [[" ".join(rng.choices(words, k=rng.randint(4, 20))) for _ in range(60)] for _ in range(2)]
    texts = [" ".join(word for word in line.split() if rng.random() < 0.7) for line in references[0]]
    scores = [
        SampleScore(score=score_overlaps(text, text, targets, MEASURES))
        for text, *targets in zip(texts, *references, strict=True)
    ]
    theirs = command_line(tmp_path, texts, references, *OPTIONS.get(name, ["-m", "bleu"]), "--confidence")
    figures = make(1_000)(scores)
    metric = f"corpus_{name}"
    assert round(figures[metric] * 100, 9) == theirs["score"]
    assert make()(scores) == figures[metric]
    half = (figures[f"{metric}_upper"] - figures[f"{metric}_lower"]) / 2
    assert half * 100 == pytest.approx(theirs["confidence_var"], abs=1e-6)
    assert figures[f"{metric}_lower"] < theirs["confidence_mean"] / 100 < figures[f"{metric}_upper"]
    assert 1.5 < half / figures[f"{metric}_stderr"] < 2.4
    assert MEASURES[name].signature(2, resamples=1_000) == theirs["signature"]
    plain = command_line(tmp_path, texts, references[:1], *OPTIONS.get(name, ["-m", "bleu"]))
    assert MEASURES[name].signature() == plain["signature"]


def test_the_signature_of_a_number_of_references_that_varies():
    assert MEASURES["bleu"].signature(None).startswith("nrefs:var|case:mixed|")


def test_figures_of_no_samples_or_one():
    assert set(map(math.isnan, corpus_bleu(10)([]).values())) == {True}
    [only] = [SampleScore(score=score_overlaps("a dog", "a dog", ["a dog"], MEASURES))]
    figures = corpus_chrf(10)([only])
    assert (figures["corpus_chrf"], figures["corpus_chrf_lower"]) == (1, 1)
    assert math.isnan(figures["corpus_chrf_stderr"])
    with pytest.raises(UsageError, match="resamples=-1: expected a number of at least 0"):
        corpus_bleu(-1)


def test_a_corpus_metric_without_its_scores_is_nan():
    assert math.isnan(corpus_bleu()([]))
    assert math.isnan(corpus_bleu()(scored("CHRF", {})))


@pytest.mark.parametrize("measure", ["BLEU", "CHRF", "TER"])
def test_no_reference_is_unscored(measure):
    assert math.isnan(score_overlap("x", [], measure, {}).value)
    assert math.isnan(score_overlap("x", [" "], measure, {}).value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bleu(tokenize="klingon"), "BLEU with tokenize='klingon', .*: sacrebleu rejects it"),
        (lambda: bleu(max_ngram_order=0), "max_ngram_order=0: expected a number of at least 1"),
        (lambda: chrf(char_order=0), "char_order=0: expected a number of at least 1"),
    ],
)
def test_refused_options(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_the_factories_make_scorers():
    assert all(map(callable, (bleu(), chrf(), ter(), rouge(), rouge(stemmer=True))))


@pytest.mark.parametrize("stemmer", [False, True])
def test_rouge_is_the_librarys(stemmer):
    kinds = ["rouge1", "rouge2", "rougeL"]
    library = rouge_scorer.RougeScorer(kinds, use_stemmer=stemmer)
    for said, references in zip(SAID, REFERENCES, strict=True):
        found = library.score_multi(references, said)
        value = score_rouge(said, references, stemmer).value
        assert [value[kind] for kind in kinds] == [found[kind].fmeasure for kind in kinds]
        assert value["geometric_mean"] == pytest.approx(math.prod(value[kind] for kind in kinds) ** (1 / 3))


def test_corpus_rouge_averages_before_it_multiplies():
    scores = [SampleScore(score=score_rouge(*pair)) for pair in zip(SAID, REFERENCES, strict=True)]
    whole = corpus_rouge()(scores)
    means = {kind: sum(each.score.value[kind] for each in scores) / 4 for kind in ("rouge1", "rouge2", "rougeL")}
    assert whole == {**means, "geometric_mean": pytest.approx(math.prod(means.values()) ** (1 / 3))}
    assert math.isnan(corpus_rouge()([])["rouge1"])


def test_rouge_of_other_scripts_is_never_a_silent_zero():
    score = score_rouge("서울은 한국의 수도이다", ["서울은 한국의 수도이다"])
    assert (str(score.value), score.reason) == ("nan", "scoring_failed")
    assert "tokenizer='unicode'" in score.explanation
    for text in ("서울은 한국의 수도이다", "हिन्दी भाषा सुंदर है", "东京是首都", "Straße am Fluß"):
        assert set(score_rouge(text, [text], tokenizer="unicode").value.values()) == {1.0}
    assert score_rouge("东京", ["东北"], tokenizer="unicode").value["rouge1"] == 0.5
    with pytest.raises(UsageError, match=r"tokenizer='x': expected one of 'ascii', 'unicode'"):
        rouge(tokenizer="x")
