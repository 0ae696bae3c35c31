"""Calibration: confidence against accuracy."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import CORRECT, INCORRECT, SampleScore, Score

from openbench.errors import UsageError
from openbench_ranking.calibration import bin_of, calibration, expected_calibration_error


def confident(*pairs):
    return [SampleScore(score=Score(value=value, metadata={"confidence": confidence})) for confidence, value in pairs]


def test_calibration():
    scores = confident((0.9, CORRECT), (0.9, INCORRECT), (0.2, INCORRECT), (0.25, CORRECT))
    # Bins (0.8, 0.9]: |0.9 - 0.5| of 2; (0.1, 0.2]: |0.2 - 0|; (0.2, 0.3]: |0.25 - 1|.
    assert calibration()(scores) == pytest.approx(
        {
            "ece": (2 * 0.4 + 0.2 + 0.75) / 4,
            "brier": (0.01 + 0.81 + 0.04 + 0.5625) / 4,
            "confidence_rate": 1.0,
        }
    )


def test_scores_without_a_confidence_are_left_out():
    scores = [*confident((0.5, CORRECT), (7, CORRECT), (math.nan, CORRECT), ("high", CORRECT), (True, CORRECT)),
              SampleScore(score=Score(value=CORRECT))]  # fmt: skip
    assert calibration()(scores) == pytest.approx({"ece": 0.5, "brier": 0.25, "confidence_rate": 1 / 6})
    assert calibration()([SampleScore(score=Score(value=CORRECT))]) == pytest.approx(
        {"ece": math.nan, "brier": math.nan, "confidence_rate": 0.0}, nan_ok=True
    )


@given(st.integers(0, 1000), st.integers(1, 100))
def test_bins_are_those_of_the_definition(thousandths, bins):
    """What is written with few digits is in the bin of its exact value, whatever its float is."""
    exact = Fraction(thousandths, 1000)
    [expected] = [m for m in range(1, bins + 1) if Fraction(m - 1, bins) < exact <= Fraction(m, bins)] or [1]
    assert bin_of(thousandths / 1000, bins) == expected


def test_a_confidence_on_an_edge_is_in_the_lower_bin():
    assert (bin_of(0.55, 20), bin_of(0.0, 20), bin_of(1.0, 20)) == (11, 1, 20)
    # 0.55 and 0.51 are in one bin: |0.53 - 0.5|, not the mean of 0.45 and 0.51.
    assert expected_calibration_error([(0.55, 1.0), (0.51, 0.0)], 20) == pytest.approx(0.03)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1), st.integers(1, 20))
def test_calibration_errors_are_shares(pairs, bins):
    error = expected_calibration_error(pairs, bins)
    assert -1e-9 <= error <= 1 + 1e-9
    assert expected_calibration_error(pairs[::-1], bins) == pytest.approx(error)
    assert expected_calibration_error([(right, right) for _, right in pairs], bins) == 0


@pytest.mark.parametrize("bins", ["10", 0])
def test_a_number_of_bins_that_makes_no_sense(bins):
    with pytest.raises(UsageError) as error:
        calibration(bins)
    assert str(error.value) == f"calibration: bins={bins!r}: expected a whole number of 1 or more."
