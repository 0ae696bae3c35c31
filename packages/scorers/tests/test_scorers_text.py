"""Text overlap: the values of the published libraries, per sample and for the corpus."""

import math

import pytest
from inspect_ai.scorer import SampleScore

from openbench.errors import UsageError
from openbench_scorers.overlap import bleu, chrf, corpus_bleu, corpus_chrf, corpus_ter, score_overlap, ter
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
        (lambda: bleu(tokenize="klingon"), "BLEU with tokenize='klingon', .*: sacrebleu refuses it"),
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
