"""The six figures, against their definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score

from openbench_simpleqa.metrics import simpleqa_metrics

GRADES = st.lists(st.sampled_from(["correct", "incorrect", "not_attempted"]))


def figures(grades):
    scores = [
        SampleScore(score=Score(value=float(grade == "correct"), metadata={"grade": grade}), sample_id=number)
        for number, grade in enumerate(grades)
    ]
    return simpleqa_metrics()(scores)


def test_a_run_by_hand():
    told = figures(["correct"] * 4 + ["incorrect"] * 2 + ["not_attempted"] * 2)
    assert told == pytest.approx(
        {
            "is_correct": 0.5,
            "is_incorrect": 0.25,
            "is_not_attempted": 0.25,
            "is_given_attempted": 0.75,
            "accuracy_given_attempted": 2 / 3,
            "f1": 4 / 7,
        }
    )


def test_no_samples_and_no_attempts_give_zeros():
    assert set(figures([]).values()) == {0.0}
    assert figures(["not_attempted"])["f1"] == 0.0


def test_samples_without_a_grade_are_no_part_of_any_figure():
    assert figures(["correct", "unknown"])["is_correct"] == 1.0


@given(GRADES)
def test_shares_sum_to_one_and_order_does_not_matter(grades):
    told = figures(grades)
    total = told["is_correct"] + told["is_incorrect"] + told["is_not_attempted"]
    assert math.isclose(total, 1.0 if grades else 0.0)
    assert all(0 <= value <= 1 for value in told.values())
    assert figures(grades[::-1]) == told
