"""The rules on evidence made by hand, where a benchmark would be long."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench_testing.conformance import CHECKS, Built, Evidence, Light, Run, Shown, examine
from openbench_testing.conformance.binomial import at_least, at_most, interval
from openbench_testing.conformance.rules import dataset, package, scores

SOURCE = DatasetSource(source="acme/quiz", revision="0" * 40)
METADATA = BenchmarkMetadata(
    "Quiz",
    "Questions.",
    "knowledge",
    ["trivia"],
    "acme_quiz.task",
    "quiz",
    dataset=SOURCE,
    samples=2,
    languages=["en"],
    paper="https://example.org",
)
BUILT = Built(task="acme_quiz/quiz", scorers=[("openbench/mcq_scorer", "openbench.scorers.mcq")], ids=["a", "b"])


def run(*values, **others):
    score = sum(values) / len(values)
    return Run(metric="accuracy", score=score, answered=0.0, values=list(zip("ab", values, strict=True)), **others)


EVIDENCE = Evidence(
    benchmark="quiz@acme-quiz",
    key="quiz",
    metadata=METADATA,
    distribution="acme-quiz",
    plugins=["acme_quiz"],
    light=Light(),
    builds=[BUILT, BUILT],
    shown=[Shown(id="a", text="Which town?", targets=["Rome"]), Shown(id="b", text="Which?", targets=["Bern"])],
    runs={
        "reference": run(1.0, 1.0),
        "wrong": run(0.0, 0.0),
        "empty": run(0.0, 0.0),
        "echo": run(0.0, 0.0),
        "mixed": run(1.0, 0.0),
        "reversed": run(1.0, 0.0),
    },
    rescored={"empty": run(0.0, 0.0), "mixed": run(1.0, 0.0)},
)


def with_runs(**runs):
    return replace(EVIDENCE, runs={**EVIDENCE.runs, **runs})


def shown(*texts, targets=("Rome", "Bern")):
    pairs = zip("abc", texts, targets, strict=False)
    return replace(EVIDENCE, shown=[Shown(id=id_, text=text, targets=[target]) for id_, text, target in pairs])


def test_nothing_is_wrong_with_sound_evidence():
    assert {outcome.status for outcome in examine(EVIDENCE)} == {"passed", "inapplicable"}
    assert [outcome.check for outcome in examine(EVIDENCE)] == [check.name for check in CHECKS]


def test_sentences_of_checks_fit_the_table():
    assert max(len(check.requires) for check in CHECKS) <= 59


@pytest.mark.parametrize(
    ("folder", "split", "place"),
    [
        (None, "test", "acme_quiz/samples/quiz/test.jsonl"),
        ("/home/me/evals", "test", "/home/me/evals/samples/quiz/test.jsonl"),
        (".", None, "samples/quiz/test.jsonl"),
    ],
)
def test_sample_rows_that_are_missing_have_a_place(folder, split, place):
    kind = "hf" if split else "json"
    metadata = replace(METADATA, dataset=DatasetSource(source="quiz.jsonl", type=kind, split=split))
    bare = replace(EVIDENCE, beside=folder, metadata=metadata, builds=[replace(BUILT, samples=False)] * 2)
    [offline] = [outcome for outcome in examine(bare) if outcome.check == "offline"]
    assert offline.message == (f"it ships no sample rows. Write a few, with the source's columns, in {place}.")


def test_rows_that_a_package_brings_are_the_pinned_ones():
    pinned = replace(METADATA, dataset=DatasetSource(source="/rows.jsonl", type="json", sha256="a" * 64))
    assert package.metadata(replace(EVIDENCE, metadata=pinned, local_sha256="a" * 64)) is None
    assert package.metadata(replace(EVIDENCE, metadata=pinned, local_sha256=None)) is None
    assert package.metadata(replace(EVIDENCE, metadata=pinned, local_sha256="b" * 64)) == (
        f"the rows in /rows.jsonl are not the pinned ones: their sha256 is {'b' * 64}. "
        "Update the pin and the version, or restore the rows."
    )


def test_a_local_eval_has_no_distribution_to_judge():
    local = replace(EVIDENCE, distribution=None, light=None, plugins=[])
    inapplicable = [outcome.check for outcome in examine(local) if outcome.status == "inapplicable"]
    assert inapplicable == ["light", "registry", "chance", "letters", "prompts"]


@pytest.mark.parametrize(
    ("text", "target", "leaks"),
    [
        ("Is it Rome?", "Rome", True),
        ("is it ROME or not", "Rome", True),
        ("Is it Romeo?", "Rome", False),
        ("Is it New-York?", "new york", True),
        ("What is 6 times 7? 42", "42", False),  # shorter than three characters
        ("Ist es Köln?", "Köln", True),
        ("Is it [...]?", "...", False),
    ],
)
def test_a_target_leaks_as_whole_words(text, target, leaks):
    assert (dataset.leak(shown(text, "Which?", targets=(target, "Bern"))) is not None) is leaks


def test_labels_that_the_instruction_lists_are_no_leak():
    instruction = "Answer yes or no. "
    assert dataset.leak(shown(f"{instruction}Is it?", f"{instruction}Was it?", targets=("yes", "no"))) is None
    assert (
        dataset.leak(shown(f"{instruction}Is it?", f"{instruction}Was it?", "What?", targets=("yes", "no", "5")))
        is None
    )
    assert dataset.leak(shown("Is it? yes", "Was it?", targets=("yes", "not")))
    assert dataset.leak(shown("Is it? yes", "Was it? Say yes.", "What?", targets=("yes", "not", "5")))
    assert dataset.leak(shown("Is it? yes", "Was it? yes", targets=("yes", "yes")))


def test_an_editable_install_under_another_name():
    built = replace(BUILT, task="quiz")
    assert package.registry(replace(EVIDENCE, builds=[built, BUILT])).startswith("'quiz' is registered without its")
    built = replace(BUILT, scorers=[("strict", "acme_quiz.scorer")])
    assert package.registry(replace(EVIDENCE, builds=[built, BUILT])).startswith("'strict' is registered without its")


def test_a_task_that_is_not_registered():
    built = replace(BUILT, task=None)
    complaint = package.registry(replace(EVIDENCE, builds=[built, BUILT]))
    assert complaint == "quiz is not registered. Decorate it with @task."


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        (["a", None], "1 of 2 samples have no id. "),
        ([1, "1"], "several samples have the same id: 1. "),
    ],
)
def test_ids_that_a_log_cannot_keep(ids, complaint):
    built = replace(BUILT, ids=ids)
    assert dataset.ids(replace(EVIDENCE, builds=[built, built])).startswith(complaint)


def test_lower_may_be_better():
    evidence = replace(
        EVIDENCE,
        metadata=replace(METADATA, higher_is_better=False),
        runs={"reference": run(0.0, 0.0), "wrong": run(1.0, 2.5), "empty": run(1.0, 1.0)},
    )
    assert scores.reference(evidence) is scores.wrong(evidence) is scores.empty(evidence) is None
    swapped = replace(evidence, runs={"reference": run(0.0, 1.0), "wrong": run(0.0, 1.0), "empty": run(0.0, 0.0)})
    assert all((scores.reference(swapped), scores.wrong(swapped), scores.empty(swapped)))


def test_a_known_answer_needs_a_verdict():
    assert scores.wrong(with_runs(wrong=run(0.0, 0.0, unscored=1))) == (
        "1 answers of the run 'wrong' have no verdict. A well-formed answer must get one."
    )


def test_empty_answers_may_go_without_a_verdict():
    assert scores.empty(with_runs(empty=run(math.nan, math.nan, unscored=2))) is None


def test_a_run_that_cannot_be_judged_has_a_reason():
    complaint = scores.reference(with_runs(reference=Run(error="KeyError: 'x'")))
    assert complaint == "its samples cannot be evaluated: KeyError: 'x'"
    assert scores.reference(with_runs(reference=Run(metrics={"quiz/f1": 1.0}))) == (
        "it reports no metric 'accuracy' (metrics: quiz/f1). Set primary_metric in the metadata to one of them."
    )


def test_numbers_may_differ_by_the_order_of_their_sum_and_no_more():
    after = {"mixed": run(1.0, 0.0, metrics={"quiz/stderr": 0.1 + 0.2}), "empty": run(0.0, 0.0)}
    same = with_runs(mixed=run(1.0, 0.0, metrics={"quiz/stderr": 0.3}))
    assert scores.rescore(replace(same, rescored=after)) is None
    other = with_runs(mixed=run(1.0, 0.0, metrics={"quiz/stderr": 0.31}))
    assert "quiz/stderr was 0.31, then 0.30000000000000004" in scores.rescore(replace(other, rescored=after))


def test_a_coin_thrown_ten_times():
    assert at_most(2, 10, 0.5) == pytest.approx(56 / 1024)
    assert at_least(8, 10, 0.5) == pytest.approx(56 / 1024)
    assert interval(10, 0.5, outside=0.1) == (2, 8)
    assert interval(5, 1.0) == (5, 5)
    assert interval(5, 0.0) == (0, 0)


@given(st.integers(1, 300), st.floats(0.01, 0.99))
def test_the_interval_excludes_at_most_its_probability(trials, probability):
    low, high = interval(trials, probability)
    assert 0 <= low <= probability * trials <= high <= trials
    outside = at_most(low - 1, trials, probability) + at_least(high + 1, trials, probability)
    assert outside <= 0.001
