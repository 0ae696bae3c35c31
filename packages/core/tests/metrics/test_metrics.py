"""Inspect's own metrics, and the rate of answers."""

import math

import pytest
from inspect_ai.scorer import SampleScore, Score

from openbench import metrics
from openbench.metrics import answered_rate
from openbench.scorers.exact import score_exact


def test_inspects_own_stand_beside_ours():
    values = [SampleScore(score=Score(value=value)) for value in (1.0, 0.0, 1.0, 1.0)]
    assert metrics.accuracy()(values) == metrics.mean()(values) == 0.75
    assert metrics.std()(values) == pytest.approx(0.5)
    assert metrics.stderr()(values) == pytest.approx(0.25)


def test_answered_rate():
    scores = [SampleScore(score=score_exact(text, ["x"])) for text in ("x", "y", "", "z")]
    assert answered_rate()(scores) == 0.75
    assert math.isnan(answered_rate()([]))
