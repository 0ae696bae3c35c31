"""Metrics as classes: those of the guide, users' own, and those that other packages bring."""

# ruff: noqa: ARG002 -- as users write metrics

import asyncio
import importlib.util
import json
import math
import sys

import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_create

from openbench.errors import UsageError
from openbench_authoring import (
    BaseMetric,
    BaseMetricContext,
    Completion,
    Error,
    LanguageMetricContext,
    Loglikelihood,
    MetricResult,
    ParagraphCounterMetricContext,
    ResponseType,
    Sample,
    UntemplatedPrompt,
    WordCounterMetricContext,
    extract_context_metric,
    metrics,
)
from openbench_authoring.metrics.base import response_type_of, scorer_factory, scorer_name
from openbench_authoring.samples import to_inspect
from openbench_ranking.request import ranking_sample, record_loglikelihoods

GUIDE = {
    "AccuracyCompletion": "accuracy_completion",
    "AccuracyLoglikelihood": "accuracy_loglikelihood",
    "AccuracyNormLoglikelihood": "accuracy_normalized_loglikelihood",
    "BLEU": "bleu",
    "CHRF": "chrf",
    "CSVFormat": "csv_format",
    "CWEAccuracy": "cweaccuracy",
    "CheckJsonFormat": "json_format_check",
    "CheckPostScriptFormat": "postscript_format",
    "F1": "f1",
    "JsonFormat": "json_format",
    "LanguageChecker": "language_check",
    "LengthControl": "length_control",
    "MathReasoningCompletion": "math_reasoning_completion_symbolic",
    "NIAHAccuracy": "niahaccuracy",
    "ParagraphCounter": "paragraph_count",
    "ProbabilityMass": "probability_mass",
    "ProbabilityMassNorm": "probability_mass_normalized",
    "ROUGE_1": "rouge_1",
    "ROUGE_2": "rouge_2",
    "ROUGE_GEOMETRIC_MEAN": "rouge_geometric_mean",
    "ROUGE_L": "rouge_l",
    "ResponseToOriginalLengthRatio": "response_to_original_length_ratio",
    "TER": "ter",
    "WordCounter": "word_count",
}
EXTRAS = {"sacrebleu": ("BLEU", "CHRF", "TER"), "rouge_score": ("ROUGE_1", "ROUGE_2", "ROUGE_L"), "lingua": ()}


def state_of(completion, truth, context=None, cue=None, question="What is it?"):
    messages = [ChatMessageUser(content=question)]
    sample = Sample(id=0, subject="s", messages=messages, ground_truth=truth, context=context)
    made = to_inspect(sample, ResponseType.COMPLETION, {"cue": cue} if cue else {})
    output = ModelOutput.from_content("none/none", completion)
    state = TaskState(
        ModelName("none/none"), "q1", 1, made.input, list(messages), output=output, metadata=dict(made.metadata or {})
    )
    return state, Target(made.target)


def scored(metric, completion, truth, context=None, **more):
    return asyncio.run(scorer_factory(metric)()(*state_of(completion, truth, context, **more)))


def ranked(metric, values, continuations=(" a", " bb"), gold=(0,)):
    made = ranking_sample(input="Q", continuations=continuations, gold=gold)
    state = TaskState(
        ModelName("none/none"), "q1", 1, made.input, [ChatMessageUser(content="Q")], metadata=dict(made.metadata or {})
    )
    record_loglikelihoods(state, values)
    return asyncio.run(scorer_factory(metric)()(state, Target(made.target)))


def made_or_skipped(metric):
    try:
        metric()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "logged"), GUIDE.items())
def test_the_guide_s_metrics_are_scorers_that_logs_can_name(name, logged):
    metric = getattr(metrics, name)
    made_or_skipped(metric)
    assert scorer_name(metric) == logged
    assert registry_create("scorer", f"openbench_authoring/{logged}") is not None
    ranks = ResponseType.LOGLIKELIHOODS if "Loglik" in name or "Mass" in name else ResponseType.COMPLETION
    assert response_type_of(metric) is ranks


# --- accuracy -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "completion",
    [
        " Berlin.",
        "A: Berlin.",
        "Berlin.",
        "A:Berlin.\n",
        "<think>A: Rome.</think>Berlin.",
        "<think>x</think>A: Berlin.",
    ],
)
def test_the_cue_is_no_part_of_an_answer(completion):
    assert scored(metrics.AccuracyCompletion, completion, "A: Berlin.", cue="A:").value == "C"
    assert scored(metrics.AccuracyCompletion, completion, "Berlin.", cue="A:").value == "C"
    assert scored(metrics.AccuracyCompletion, completion, "A: Rome.", cue="A:").value == "I"


def test_any_ground_truth_will_do_and_nothing_but_it():
    assert scored(metrics.AccuracyCompletion, "b", ["a", "b"]).value == "C"
    assert scored(metrics.AccuracyCompletion, "b.", ["a", "b"]).value == "I"


def test_an_answer_that_is_the_cue():
    assert scored(metrics.AccuracyCompletion, "A", "A", cue="A").value == "C"


@pytest.mark.parametrize(("completion", "reason"), [("", "no_response"), ("A:", None)])
def test_no_answer_is_wrong(completion, reason):
    score = scored(metrics.AccuracyCompletion, completion, "A: Berlin.", cue="A:")
    assert (score.value, score.reason) == ("I", reason)


def test_without_a_ground_truth_a_sample_is_unscored():
    assert math.isnan(scored(metrics.AccuracyCompletion, "Berlin", None).value)


def test_math_is_compared_symbolically():
    made_or_skipped(metrics.MathReasoningCompletion)
    assert scored(metrics.MathReasoningCompletion, r"So $x = \frac{2}{4}$", r"\frac{1}{2}").value == "C"


def test_f1_of_words():
    assert scored(metrics.F1, "The red fox", ["red fox", "dog"]).value == pytest.approx(0.8)


def test_words_and_needles():
    assert scored(metrics.CWEAccuracy, "apple and pear", ["pear", "apple"]).value == "C"
    german = LanguageMetricContext(language="en-de")
    assert scored(metrics.NIAHAccuracy, "Es sind 4711 und 99.", ["99", "4711"], german).value == "C"
    assert scored(metrics.NIAHAccuracy, "Es gibt keine.", "keine", german).value == "C"


def test_a_needle_in_a_language_that_is_not_known():
    score = scored(metrics.NIAHAccuracy, "12", "12", LanguageMetricContext(language="xx"))
    assert math.isnan(score.value)
    assert score.explanation.startswith("Not scored: NIAHAccuracy failed: UsageError: language='xx': expected one of")


# --- text overlap ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "ROUGE_1", "ROUGE_2", "ROUGE_L", "ROUGE_GEOMETRIC_MEAN"])
def test_a_text_shares_everything_with_itself(name):
    made_or_skipped(getattr(metrics, name))
    text = "the quick brown fox jumps over the lazy dog"
    assert scored(getattr(metrics, name), text, ["nothing like it", text]).value == pytest.approx(1.0)


def test_ter_counts_edits_and_less_is_better():
    made_or_skipped(metrics.TER)
    state, target = state_of("a b c e", "a b c d")
    assert asyncio.run(scorer_factory(metrics.TER)()(state, target)).value == pytest.approx(0.25)
    response = Completion(
        id="1", subject="s", messages=[], ground_truth="a b c d", completion="a b c e", raw_completion="a b c e"
    )
    assert metrics.TER().calculate(response) == [MetricResult(metric_name="TER", value=0.25, higher_is_better=False)]


# --- formats and lengths --------------------------------------------------------------------------------------------


def test_json_by_its_ground_truth():
    asked = {"json_schema": {"type": "object", "required": ["a"]}, "expected_output": {"a": 1}}
    score = scored(metrics.JsonFormat, 'Here: {"a": 1}', json.dumps(asked))
    assert score.value == {"is_valid_json": 1.0, "is_just_json": 0.0, "fulfills_schema": 1.0, "exact_match": 1.0}
    no_content = scored(metrics.JsonFormat, "[]", json.dumps({"json_schema": None}))
    assert math.isnan(no_content.value["fulfills_schema"])
    assert math.isnan(no_content.value["exact_match"])


def test_a_ground_truth_that_says_nothing_of_the_format():
    score = scored(metrics.JsonFormat, "{}", "{}")
    assert score.explanation == (
        "Not scored: JsonFormat failed: ValueError: a JSON object with json_schema is expected as ground truth, "
        "which is '{}'"
    )


def test_csv_by_its_ground_truth():
    asked = json.dumps({"separator": "semicolon", "columns": ["a", "b"]})
    value = scored(metrics.CSVFormat, "a;b\n1;2", asked).value
    assert value == {"has_csv": 1.0, "separator": 1.0, "columns": 1.0}


@pytest.mark.parametrize(
    ("completion", "value"), [("[1]", "C"), ("```json\n[1]\n```", "C"), ("Here: [1]", "I"), ("", "I"), ("1", "C")]
)
def test_json_and_nothing_else(completion, value):
    assert scored(metrics.CheckJsonFormat, completion, None).value == value


@pytest.mark.parametrize(("completion", "value"), [("Bye.\nP.S. I do.", "C"), ("P.P.S. No.", "C"), ("Bye.", "I")])
def test_postscripts(completion, value):
    assert scored(metrics.CheckPostScriptFormat, completion, None).value == value


@pytest.mark.parametrize(
    ("kind", "count", "fulfilled"), [("minimum", 3, 1.0), ("maximum", 2, 0.0), ("target", 6, 0.0), ("target", 3, 1.0)]
)
def test_lengths_by_their_ground_truth(kind, count, fulfilled):
    asked = json.dumps({"unit": "words", "type": kind, "count": count})
    assert scored(metrics.LengthControl, "one two three", asked).value["fulfilled"] == fulfilled


@pytest.mark.parametrize(
    ("comparison", "count", "value"), [("less than", 3, "I"), ("less than", 4, "C"), ("at least", 3, "C")]
)
def test_counters_by_their_context(comparison, count, value):
    words = WordCounterMetricContext(comparison=comparison, word_count=count)
    assert scored(metrics.WordCounter, "one two three", None, words).value == value
    paragraphs = ParagraphCounterMetricContext(comparison=comparison, paragraph_count=count)
    assert scored(metrics.ParagraphCounter, "one\n\ntwo\n\nthree", None, [words, paragraphs]).value == value


def test_no_answer_is_no_short_answer():
    few = WordCounterMetricContext(comparison="less than", word_count=5)
    score = scored(metrics.WordCounter, "", None, few)
    assert (score.value, score.reason) == ("I", "no_response")


def test_a_context_that_is_missing():
    score = scored(metrics.WordCounter, "one", None)
    assert score.explanation == (
        "Not scored: WordCounter failed: ValueError: the metric needs a WordCounterMetricContext, but the sample's "
        "context is none. Return one from _get_context."
    )


def test_the_length_beside_the_question_s():
    assert scored(metrics.ResponseToOriginalLengthRatio, "four", None, question="12345678").value == 0.5


def test_languages():
    made_or_skipped(metrics.LanguageChecker)
    text = "Das ist ein deutscher Satz, den jeder versteht."
    assert scored(metrics.LanguageChecker, text, "de").value == "C"
    assert scored(metrics.LanguageChecker, text, None, LanguageMetricContext(language="fr")).value == "I"


# --- ranking --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AccuracyLoglikelihood", 1.0),
        ("AccuracyNormLoglikelihood", 0.0),
        ("ProbabilityMass", 1 / (1 + math.exp(-0.5))),
        ("ProbabilityMassNorm", 1 / (1 + math.exp(0.25))),
    ],
)
def test_ranking_figures(name, value):
    assert ranked(getattr(metrics, name), [-1.0, -1.5]).value == pytest.approx(value)


def test_equal_texts_are_told_apart():
    assert ranked(metrics.ProbabilityMass, [-800.0, -800.0], (" a", " a"), (0,)).value == pytest.approx(0.5)


class Margin(BaseMetric[Loglikelihood]):
    NAME = "Margin"

    def calculate(self, response):
        best = max(response.loglikelihoods.values())
        truth = response.loglikelihoods[response.ground_truth_list[0]]
        return [MetricResult(metric_name=self.NAME, value=truth - best, higher_is_better=True)]


def test_an_own_metric_of_log_probabilities():
    assert ranked(Margin, [-3.0, -1.0]).value == -2.0


# --- users' own -----------------------------------------------------------------------------------------------------


class Asked(BaseMetricContext):
    most: int


class Shortness(BaseMetric[Completion]):
    NAME = "Short Enough"
    KEYS = ("short", "length")

    def calculate(self, response):
        length = len(response.completion)
        results = [MetricResult(metric_name="Short Enough/length", value=float(length), higher_is_better=False)]
        if length:
            short = length <= extract_context_metric(response, Asked).most
            results.append(MetricResult(metric_name="Short Enough/short", value=float(short)))
        return results


def test_an_own_metric_of_several_figures():
    assert scored(Shortness, "four", None, Asked(most=4)).value == {"short": 1.0, "length": 4.0}
    assert math.isnan(scored(Shortness, "", None, Asked(most=4)).value["short"])


class Told(BaseMetric[Completion]):
    NAME = "Told"
    RESULTS = ()

    def calculate(self, response):
        if isinstance(self.RESULTS, Exception):
            raise self.RESULTS
        return list(self.RESULTS)


TELL = (
    "Not scored: Told failed: ValueError: it gives a result named 'Tell', where Told is expected. Name its figures in "
    "KEYS."
)


def told(*results):
    return type("Told", (Told,), {"RESULTS": results, "__module__": __name__})


FAILED = Error(error_class="Timeout", message="too slow")


@pytest.mark.parametrize(
    ("metric", "explanation"),
    [
        (told(), "Not scored: the metric gives no result"),
        (
            told(MetricResult(metric_name="Told", value=None, error=FAILED)),
            "Not scored: Timeout: too slow",
        ),
        (
            told(MetricResult(metric_name="Tell", value=1.0)),
            TELL,
        ),
        (
            told(MetricResult(metric_name="Told", value=1.0), MetricResult(metric_name="Told", value=0.0)),
            "Not scored: Told failed: ValueError: it gives two results named 'Told'",
        ),
        (
            type("Told", (Told,), {"RESULTS": KeyError("x"), "__module__": __name__}),
            "Not scored: Told failed: KeyError: 'x'",
        ),
    ],
)
def test_what_leaves_a_sample_unscored(metric, explanation):
    score = scored(metric, "text", "truth")
    assert math.isnan(score.value)
    assert (score.reason, score.explanation) == ("scoring_failed", explanation)


class Strict(metrics.AccuracyCompletion):
    NAME = "Strict"

    def calculate(self, response):
        (result,) = super().calculate(response)
        half = response.completion == 2 * response.ground_truth
        return [MetricResult(metric_name=self.NAME, value=0.5 if half else result.value)]


def test_a_metric_derived_from_ours():
    assert scored(Strict, "a", "a").value == 1.0
    assert scored(Strict, "aaa", "a").value == 0.0
    assert scored(Strict, "aa", "a").value == 0.5


@pytest.mark.parametrize("truth", [None, "a", ["a"], ["a", "b"], ["a", ""]])
def test_a_ground_truth_comes_back_as_it_was_given(truth):
    seen = []

    class Seeing(BaseMetric[Completion]):
        NAME = "Seeing"

        def calculate(self, response):
            seen.append(response.ground_truth)
            return []

    scored(Seeing, "text", truth)
    assert seen == [truth]


def test_comet_needs_the_source_and_the_library(tmp_path, monkeypatch):
    comet = pytest.importorskip("openbench_scorers.comet")
    comet.comet_model.cache_clear()
    monkeypatch.delenv(comet.VARIABLE, raising=False)
    if importlib.util.find_spec("comet") is None:
        with pytest.raises(UsageError, match="COMET needs unbabel-comet"):
            metrics.COMET()
    (tmp_path / "comet.py").write_text(
        "import types\n"
        "download_model = load_from_checkpoint = lambda _: types.SimpleNamespace(predict=predict)\n"
        "def predict(items, **_):\n"
        "    return types.SimpleNamespace(scores=[float(it['src'] == it['mt'] == it['ref']) for it in items])\n",
        "utf-8",
    )
    (tmp_path / "torch.py").write_text("class cuda:\n    is_available = staticmethod(lambda: False)\n", "utf-8")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n', "utf-8")
    python.chmod(0o755)
    monkeypatch.setenv(comet.VARIABLE, str(python))
    context = UntemplatedPrompt(untemplated_prompt=" a ")
    assert scored(metrics.COMET, "a", "a", context=context).value == 1.0
    missing = scored(metrics.COMET, "a", "a")
    assert missing.reason == "scoring_failed"
    assert "return UntemplatedPrompt(untemplated_prompt=text) from _get_context" in missing.explanation
    comet.comet_model(metrics.COMET.MODEL).close()
    comet.comet_model.cache_clear()
