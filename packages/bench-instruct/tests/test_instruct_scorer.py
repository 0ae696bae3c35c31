"""Tests of the samples, the scorer and the metrics."""

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, Score

import openbench_instruct.metadata
from openbench.baselines.reference import reference
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench_instruct.prompts import ifeval, record_to_sample
from openbench_instruct.scorer import by_instruction, instruction_accuracy, instruction_stderr

SAMPLES = Path(openbench_instruct.metadata.__file__).parent / "samples"
ROW = {
    "key": 7,
    "prompt": "Say it.",
    "instruction_id_list": ["length_constraints:number_words"],
    "kwargs": [{"num_words": 5, "relation": "at least", "keyword": None}],
}


def load(**changed):
    return list(
        load_samples(Rows("rows", [{**ROW, **changed}]), lambda row: record_to_sample(row, "ifeval"), name="ifeval")
    )


def run(tmp_path, *, model="baseline/empty", solver=None, **arguments):
    with bundled_rows(SAMPLES / "ifeval"):
        task = ifeval(**arguments)
    (log,) = inspect_eval(task, model=model, solver=solver, display="plain", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    return log


def metrics_of(log):
    return {
        f"{score.name}/{name.removeprefix('openbench_instruct/')}": metric.value
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }


def test_a_row_becomes_a_sample_without_null_arguments():
    (sample,) = load()
    assert (sample.id, sample.input, sample.target) == (7, "Say it.", "")
    assert sample.metadata == {
        "instructions": [
            {"id": "length_constraints:number_words", "arguments": {"num_words": 5, "relation": "at least"}}
        ]
    }


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"instruction_id_list": ["keywords:none"]}, "the instruction 'keywords:none' has no checker"),
        ({"kwargs": [{"num_words": 5}]}, "missing a required argument: 'relation'"),
        ({"kwargs": [{"num_words": 5, "relation": "at most"}]}, "relation='at most' is not one of less than, at least"),
        ({"kwargs": [{**ROW["kwargs"][0], "letter": "a"}]}, "got an unexpected keyword argument 'letter'"),
        ({"kwargs": []}, "zip() argument 2 is shorter than argument 1"),
    ],
)
def test_a_row_that_cannot_be_checked_is_refused(changed, problem):
    with pytest.raises(DataError) as error:
        load(**changed)
    assert str(error.value).startswith("row 1 of rows: ")
    assert problem in str(error.value)


def test_references_follow_everything_with_both_variants(tmp_path):
    for checkers in ("faithful", "fixed"):
        found = metrics_of(run(tmp_path, solver=reference(), checkers=checkers))
        assert {value for name, value in found.items() if "stderr" not in name} == {1.0}


def test_metrics_match_a_direct_calculation(tmp_path):
    log = run(tmp_path, model=get_model("baseline/constant", answer="My answer is yes."))
    found = metrics_of(log)
    strict = [sample.scores["instruction_following"].metadata["strict"] for sample in log.samples]
    assert found["prompt_level_strict/mean"] == sum(map(all, strict)) / len(strict)
    assert found["inst_level_strict/instruction_accuracy"] == pytest.approx(
        sum(map(sum, strict)) / sum(map(len, strict))
    )
    assert found["inst_level_strict/by_instruction_detectable_format:constrained_response"] == 1.0
    assert found["inst_level_loose/instruction_accuracy"] >= found["inst_level_strict/instruction_accuracy"]


def test_empty_responses_are_counted(tmp_path):
    log = run(tmp_path)
    assert {score.reason for sample in log.samples for score in sample.scores.values()} == {"no_response"}
    assert metrics_of(log)["prompt_level_loose/mean"] == 0.0


def test_reasoning_is_not_part_of_a_response(tmp_path):
    log = run(tmp_path, model=get_model("baseline/constant", answer="<think>One, two.</think>None"))
    assert metrics_of(log)["inst_level_strict/by_instruction_punctuation:no_comma"] == 1.0


def test_an_unknown_variant_is_refused():
    with pytest.raises(UsageError) as error, bundled_rows(SAMPLES / "ifeval"):
        ifeval(checkers="strict")
    assert str(error.value) == "checkers='strict': expected one of faithful, fixed."


def scores(*given):
    return [
        SampleScore(
            score=Score(value=sum(strict) / len(strict), metadata={"strict": strict}),
            sample_id=number,
            sample_metadata={"instructions": [{"id": id_} for id_ in ids]},
        )
        for number, (ids, strict) in enumerate(given)
    ]


def test_instructions_count_equally_and_samples_are_clusters():
    given = scores((["a"], [True]), (["a", "b", "b"], [False, False, True]))
    assert instruction_accuracy()(given) == pytest.approx(0.5)
    assert instruction_stderr()(given) == pytest.approx((2 * (0.5**2 + 0.5**2)) ** 0.5 / 4)
    assert by_instruction()(given) == {"a": 0.5, "b": 0.5}
