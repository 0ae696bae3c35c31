import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_analysis.statistics.calibration import Bin, calibration

UNIT = st.floats(0, 1)


def test_an_example_by_hand():
    found = calibration([0.9, 0.9, 0.95, 0.3, 1.0], [1, 0, 1, 0, 1])
    assert found.bins == (Bin(0.3, 0.0, 1), Bin(pytest.approx(0.9375), 0.75, 4))
    assert found.expected_error == pytest.approx((0.3 + 4 * 0.1875) / 5)
    assert found.brier == pytest.approx((0.01 + 0.81 + 0.0025 + 0.09 + 0) / 5)


@given(st.lists(st.tuples(UNIT, UNIT), min_size=1))
def test_bins_hold_all_samples(pairs):
    confidences, scores = zip(*pairs, strict=True)
    found = calibration(confidences, scores)
    assert sum(each.count for each in found.bins) == len(pairs)
    assert np.average([each.score for each in found.bins], weights=[each.count for each in found.bins]) == (
        pytest.approx(np.mean(scores))
    )
    assert 0 <= found.expected_error <= 1
    assert 0 <= found.brier <= 1


def test_confidences_are_shares():
    with pytest.raises(ValueError, match=r"^confidences: expected numbers from 0 to 1; they range from 0.5 to 85.0.$"):
        calibration([0.5, 85], [1, 1])
