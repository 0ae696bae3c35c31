"""Which samples of two runs are the same, and which runs cannot be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.run.identity import CONTENT_KEY
from openbench_analysis.alignment import align, caveats, refusals
from openbench_analysis.runs import read_run

from .conftest import changed_log

PROVENANCE = {
    "benchmark": "quiz",
    "distribution": "openbench-quiz",
    "version": "1.2.0",
    "dataset": {"source": "acme/quiz", "revision": "a" * 40, "sha256": "1" * 64},
    "scorers": [{"name": "openbench_quiz/match", "arguments": {}}],
}


def scores(count):
    return {f"q{number}": [1.0] for number in range(count)}


@pytest.fixture
def made(make_log):
    """A function that makes two runs whose samples have these ids and contents, in this order."""

    def make(first, second, **fields):
        made = []
        for name, samples in (("one.eval", first), ("two.json", second)):
            path = make_log(name, {id_: [1.0] for id_ in samples}, **fields)

            def put(log, samples=samples):
                for sample in log.samples:
                    sample.metadata = {CONTENT_KEY: samples[sample.id]} if samples[sample.id] else {}

            made.append(read_run(str(changed_log(path, put))))
        return made

    return make


def test_samples_are_matched_by_content_whatever_their_order_and_ids(made):
    found = align(*made({"a": "x", "b": "y", "c": "z"}, {"c": "y", "b": "x", "d": "w"}))
    assert found.pairs == [("a", "b"), ("b", "c")]
    assert (found.only_before, found.only_after, found.changed) == (1, 1, 0)
    assert found.match == "content"


def test_samples_of_one_content_are_matched_by_id_then_in_order(made):
    before, after = made({"a": "x", "b": "x", "c": "x"}, {"c": "x", "p": "x", "q": "x", "r": "x"})
    found = align(before, after)
    assert found.pairs == [("c", "c"), ("a", "p"), ("b", "q")]
    assert (found.only_before, found.only_after) == (0, 1)


def test_a_changed_prompt_is_another_sample_unless_ids_are_to_match(made):
    before, after = made({"a": "x", "b": "y"}, {"a": "x2", "b": "y2"})
    assert align(before, after).pairs == []
    assert align(before, after).changed == 2
    by_id = align(before, after, "id")
    assert (by_id.pairs, by_id.match) == ([("a", "a"), ("b", "b")], "id")


def test_without_digests_ids_match_if_inputs_and_targets_agree(made):
    before, after = made({"a": None, "b": None}, {"b": None, "a": None})
    assert align(before, after).pairs == [("a", "a"), ("b", "b")]
    assert align(before, after).match == "id"


def test_without_digests_another_input_is_another_sample(make_log):
    def forget(log):
        for sample in log.samples:
            sample.metadata = {}

    def ask_otherwise(log):
        forget(log)
        log.samples[0].input = "Another question?"

    before = read_run(str(changed_log(make_log("one.json", scores(2)), forget)))
    after = read_run(str(changed_log(make_log("two.json", scores(2)), ask_otherwise)))
    assert align(before, after).pairs == [("q1", "q1")]
    assert align(before, after).changed == 1
    assert align(before, after, "id").pairs == [("q0", "q0"), ("q1", "q1")]


@given(st.permutations(range(6)), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_every_sample_has_one_partner_at_most(order, digests):
    class Held:
        def __init__(self, ids):
            self.contents = {id_: f"c{digests[id_]}" for id_ in ids}
            self.items = {id_: [type("R", (), {"content": f"c{digests[id_]}"})()] for id_ in ids}

    found = align(Held(range(5)), Held(order[:4]))
    assert len({one for one, _ in found.pairs}) == len({two for _, two in found.pairs}) == len(found.pairs)
    assert all(digests[one] == digests[two] for one, two in found.pairs)
    assert len(found.pairs) + found.only_before == 5
    assert len(found.pairs) + found.only_after == 4


def provenance(make_log, **changes):
    """Return two runs, the second with other provenance."""
    first = make_log("one.json", scores(2), metadata={"openbench": PROVENANCE})
    second = make_log("two.json", scores(2), metadata={"openbench": {**PROVENANCE, **changes}})
    return read_run(str(first)), read_run(str(second))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": "2.0.0"}, "openbench-quiz 1.2.0 and 2.0.0 differ in the major version: scores changed"),
        ({"distribution": "acme-quiz"}, "their benchmarks come from openbench-quiz and acme-quiz"),
        ({"distribution": None}, "their benchmarks come from openbench-quiz and a file"),
        (
            {"scorers": [{"name": "acme/judge", "arguments": {}}]},
            "they were scored by openbench_quiz/match and by acme/judge",
        ),
        ({"higher_is_better": False}, "higher is better in only one of them"),
    ],
)
def test_runs_whose_scores_mean_something_else_are_refused(make_log, changes, reason):
    assert list(refusals(*provenance(make_log, **changes))) == [reason]


def test_other_metrics_are_refused(make_log):
    before = read_run(str(make_log("one.json", scores(2))))
    after = read_run(str(make_log("two.json", scores(2), metric="f1")))
    assert list(refusals(before, after)) == ["their metrics differ: accuracy and f1"]


@pytest.mark.parametrize(
    ("changes", "caveat"),
    [
        ({"version": "1.3.0"}, "version: 1.2.0 and 1.3.0"),
        (
            {"dataset": {"source": "acme/quiz", "revision": "b" * 40, "sha256": "2" * 64}},
            "dataset: aaaaaaaaaaaa and bbbbbbbbbbbb",
        ),
        ({"sample": True}, "sample rows: False and True"),
        (
            {"scorers": [{"name": "openbench_quiz/match", "arguments": {"location": "any"}}]},
            "arguments of the scorers: openbench_quiz/match {} and openbench_quiz/match {'location': 'any'}",
        ),
    ],
)
def test_what_may_matter_is_named(make_log, changes, caveat):
    before, after = provenance(make_log, **changes)
    assert list(refusals(before, after)) == []
    assert list(caveats(before, after)) == [caveat]


def test_runs_that_agree_have_no_caveats(make_log):
    before, after = provenance(make_log)
    assert [*refusals(before, after), *caveats(before, after)] == []


def test_settings_graders_epochs_and_status_are_named(make_log):
    def change(log):
        log.eval.model_generate_config.temperature = 0.7
        log.eval.model_roles = {"grader": {"model": "openai/gpt-4.1"}}
        log.eval.config.epochs = 4
        log.eval.task_args = {"subset": "hard"}
        log.eval.model_args = {"chat_template": True, "timeout": 3}
        log.status = "error"

    before = read_run(str(make_log("one.json", scores(2), metadata={"openbench": PROVENANCE})))
    after = make_log("two.json", scores(2), metadata={"openbench": PROVENANCE})
    assert list(caveats(before, read_run(str(changed_log(after, change))))) == [
        "the run of the candidate is not complete: its status is error",
        "arguments of the task: {} and {'subset': 'hard'}",
        "arguments of the model: {} and {'chat_template': True}",
        "grader: none and grader openai/gpt-4.1",
        "epochs: 1 and 4",
        "temperature: none and 0.7",
    ]


def test_logs_of_other_programs_are_compared_with_a_warning(make_log):
    ours = read_run(str(make_log("one.json", scores(2), metadata={"openbench": PROVENANCE})))
    theirs = read_run(str(make_log("two.json", scores(2))))
    unknown = "so that version, dataset and scorers cannot be checked"
    assert list(refusals(ours, theirs)) == []
    assert list(caveats(theirs, theirs)) == [f"openbench wrote neither log, {unknown}"]
    assert list(caveats(ours, theirs)) == [f"openbench did not write the log of the candidate, {unknown}"]
    assert list(caveats(theirs, ours)) == [f"openbench did not write the log of the baseline, {unknown}"]
