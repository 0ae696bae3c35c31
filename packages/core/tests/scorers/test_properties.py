"""What holds for every scorer that compares with targets: it never raises, and a target is a right answer."""

import math
import re
from functools import partial

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from inspect_ai.scorer import CORRECT, INCORRECT

from openbench import _registry
from openbench.scorers.boxed import score_boxed
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.exact import score_exact
from openbench.scorers.fallback import DEFAULT_CHAIN, extractions, score_fallback
from openbench.scorers.includes import score_includes
from openbench.scorers.numeric import number_reader, score_numeric
from openbench.scorers.pattern import score_pattern
from openbench.scorers.reasons import is_answered

SCORERS = {
    "boxed": score_boxed,
    "exact": score_exact,
    "exact, normalised": partial(score_exact, normalise=True),
    "fallback": partial(score_fallback, chain=extractions(DEFAULT_CHAIN)),
    "includes": score_includes,
    "includes, whole words": partial(score_includes, whole_words=True),
    "numeric": score_numeric,
    "numeric, chain": partial(score_numeric, read=number_reader(["boxed", "announced", "first_integer"])),
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


@pytest.mark.parametrize("name", ["exact", "exact, normalised", "includes", "includes, whole words"])
@given(target=TEXTS)
def test_a_target_is_a_right_answer(name, target):
    assume(target.strip() and strip_reasoning(target) == target)
    assert SCORERS[name](target, ["something else", target]).value == CORRECT


@given(target=st.text(alphabet="abc123+-^{}\\ ().,", min_size=1))
def test_a_boxed_target_is_a_right_answer(target):
    depths = [target[:end].count("{") - target[:end].count("}") for end in range(len(target) + 1)]
    assume(target.strip() and "\\" not in target and min(depths) == 0 == depths[-1])
    assert score_boxed(f"It is \\boxed{{{target}}}.", [target]).value == CORRECT


@pytest.mark.parametrize("name", ["numeric", "fallback"])
@given(number=st.integers() | st.fractions() | st.decimals(allow_nan=False, allow_infinity=False, places=4))
def test_a_number_is_a_right_answer(name, number):
    for completion in (f"{number}", f"The answer is {number}.", f"5 apples\nAnswer: **{number}**"):
        assert cut_run_on(completion) == completion
        assert SCORERS[name](completion, [f"{number}"]).value == CORRECT


def test_all_scorers_and_metrics_are_registered():
    for name in ("boxed", "exact", "fallback", "includes", "numeric", "pattern", "by_group", "pass_at_k"):
        assert name in _registry.__all__
