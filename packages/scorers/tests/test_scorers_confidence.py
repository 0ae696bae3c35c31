"""Figures that reward a model for knowing what it does not know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.scorers.ranking import softmax
from openbench_scorers.confidence import confidence_weighted_accuracy, distributional_correctness, ternary_score


def test_confidence():
    probabilities = [0.5, 0.25, 0.25]
    assert confidence_weighted_accuracy(probabilities, [0]) == 0.5
    assert confidence_weighted_accuracy(probabilities, [1]) == 0
    assert [ternary_score(probabilities, [gold], 2) for gold in (0, 1)] == [1, -1]
    assert ternary_score([0.1, 0.2, 0.7], [0], 2) == 0
    assert ternary_score([0.4, 0.4, 0.2], [0], 2, penalty=3) == -1
    assert ternary_score([0.3, 0.3, 0.3], [0], 2) == 0
    assert distributional_correctness(probabilities, [0], 2) == pytest.approx((0.5 - 0.25) * 0.75)
    assert distributional_correctness([0, 0, 1], [0], 2) == 0
    assert distributional_correctness([0, 1, 0], [0], 2, penalty=0.5) == -0.5


@given(st.lists(st.floats(-1e4, 0), min_size=2, max_size=6), st.data())
def test_confidence_keeps_its_ranges(values, data):
    idk = len(values) - 1
    gold = data.draw(st.sets(st.integers(0, idk - 1), min_size=1))
    probabilities = softmax(values)
    assert 0 <= confidence_weighted_accuracy(probabilities, gold) <= 1
    assert -1 <= ternary_score(values, gold, idk) <= 1
    assert -1.000001 <= distributional_correctness(probabilities, gold, idk) <= 1.000001
