"""What holds for every scorer that compares with targets: it never raises, and a target is a right answer."""

import math
import re
from functools import partial

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from inspect_ai.scorer import CORRECT, INCORRECT

from openbench import _registry
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.exact import score_exact
from openbench.scorers.pattern import score_pattern
from openbench.scorers.reasons import is_answered

SCORERS = {
    "exact": score_exact,
    "exact, normalised": partial(score_exact, normalise=True),
    "pattern": partial(score_pattern, regex=re.compile(r"(\w+)\W*\Z")),
}
TEXTS = st.text() | st.text(alphabet="\\boxed{}frac12 answer:is$.,-%\n<think>/x^_", max_size=80)


@pytest.mark.parametrize("name", SCORERS)
@given(completion=TEXTS, targets=st.lists(TEXTS, max_size=3))
@example(completion="\ud800", targets=["\ud800"])
@example(completion="İ" * 10, targets=["İ"])
def test_any_text_has_a_score(name, completion, targets):
    score = SCORERS[name](completion, targets)
    if isinstance(score.value, float):
        assert math.isnan(score.value)
        assert score.reason == "scoring_failed"
    else:
        assert score.value in {CORRECT, INCORRECT}
        assert score.explanation == completion
        assert score.value == INCORRECT or is_answered(score)


@pytest.mark.parametrize("name", ["exact", "exact, normalised"])
@given(target=TEXTS)
def test_a_target_is_a_right_answer(name, target):
    assume(target.strip() and strip_reasoning(target) == target)
    assert SCORERS[name](target, ["something else", target]).value == CORRECT


def test_all_scorers_and_metrics_are_registered():
    for name in ("exact", "pattern", "answered_rate", "pass_hat"):
        assert name in _registry.__all__
