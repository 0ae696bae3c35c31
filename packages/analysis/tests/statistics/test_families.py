import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from openbench_analysis.statistics import Estimate, benjamini_hochberg, holm, macro_average, t_interval, tie_groups

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(p_values)
@settings(max_examples=15)  # theirs take long
def test_adjusted_p_values_agree_with_statsmodels(values):
    for ours, theirs in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        assert ours(values) == pytest.approx(multipletests(values, method=theirs)[1], abs=1e-12)


@given(p_values, st.randoms())
def test_adjusted_p_values_keep_their_places_and_their_order(values, random):
    order = random.sample(range(len(values)), len(values))
    for function in (holm, benjamini_hochberg):
        adjusted = function(values)
        assert function([values[place] for place in order]) == pytest.approx(adjusted[order])
        assert (adjusted >= values).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(values)]) >= 0).all()
    assert (holm(values) >= benjamini_hochberg(values) - 1e-12).all()


def test_a_family_of_none_is_empty():
    assert holm([]).size == benjamini_hochberg([]).size == 0


@pytest.mark.parametrize("values", [[0.1, math.nan], [1.2], [-0.1], [[0.1]]])
def test_numbers_that_are_no_p_values_are_refused(values):
    for function in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="expected p-values, numbers from 0 to 1"):
            function(values)


def test_the_macro_average_has_the_error_of_a_weighted_sum_and_no_pooled_one():
    small, large = Estimate(0.2, 0.08, 24), Estimate(0.6, 0.01, 1599)
    average = macro_average({"small": small, "large": large})
    assert average.missing == ()
    assert average.estimate.value == pytest.approx(0.4)
    assert average.estimate.standard_error == pytest.approx(math.sqrt(0.08**2 + 0.01**2) / 2)
    # all samples in one pot would weigh the members by their size
    pooled = (25 * 0.2 + 1600 * 0.6) / 1625
    pooled_error = math.sqrt((25 * 0.08) ** 2 + (1600 * 0.01) ** 2) / 1625
    assert abs(average.estimate.value - pooled) > 0.1
    assert average.estimate.standard_error > 3 * pooled_error
    assert 24 < average.estimate.degrees < 30


def test_weights_are_shares_of_their_sum():
    members = {"a": Estimate(1.0, 0.3, 9), "b": Estimate(0.0, 0.4, 19)}
    average = macro_average(members, {"a": 3, "b": 1}).estimate
    assert (average.value, average.standard_error) == pytest.approx((0.75, math.hypot(0.225, 0.1)))
    assert macro_average(members, {"a": 0.3, "b": 0.1}).estimate.value == pytest.approx(average.value)


def test_the_degrees_of_freedom_cover_what_they_should():
    rng = np.random.default_rng(0)
    sizes, deviations, covered, runs = (6, 40), (1.0, 0.5), 0, 3_000
    for _ in range(runs):
        members = {}
        for size, deviation in zip(sizes, deviations, strict=True):
            values = rng.normal(0, deviation, size)
            members[str(size)] = Estimate(values.mean(), values.std(ddof=1) / math.sqrt(size), size - 1)
        interval = t_interval(macro_average(members).estimate)
        covered += interval.low <= 0 <= interval.high
    assert 0.935 < covered / runs < 0.965


@pytest.mark.parametrize("missing", [None, Estimate(math.nan, math.nan, 0)])
def test_a_missing_member_makes_the_average_incomplete(missing):
    average = macro_average({"a": Estimate(1.0, 0.1, 9), "b": missing}, {"a": 10, "b": 1})
    assert average.estimate is None
    assert average.missing == ("b",)


def test_members_of_one_sample_leave_the_average_unbounded():
    average = macro_average({"a": Estimate(1.0, math.inf, 0), "b": Estimate(0.0, 0.1, 9)}).estimate
    assert (average.value, average.degrees) == (0.5, 0)
    assert t_interval(average).low == -math.inf
    exact = macro_average({"a": Estimate(1.0, 0.0, 3), "b": Estimate(0.0, 0.0, 9)}).estimate
    assert (exact.standard_error, exact.degrees) == (0, 3)


@pytest.mark.parametrize(
    ("members", "weights", "message"),
    [
        ({}, None, "expected a weight for each of the members"),
        ({"a": None}, {"b": 1}, r"expected a weight for each of the members \['a'\], received \['b'\]"),
        ({"a": None}, {"a": 0}, "expected positive weights"),
        ({"a": None}, {"a": math.nan}, "expected positive weights"),
    ],
)
def test_weights_that_do_not_fit_are_refused(members, weights, message):
    with pytest.raises(ValueError, match=message):
        macro_average(members, weights)


def test_models_that_cannot_be_told_apart_share_a_group():
    scores = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.2}
    different = [("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]
    assert tie_groups(scores, different) == [("a", "b"), ("b", "c"), ("d",)]
    assert tie_groups(scores, []) == [("a", "b", "c", "d")]
    assert tie_groups({}, []) == []


names = st.integers(1, 6).map(lambda count: "abcdef"[:count])


@given(names.flatmap(lambda names: st.tuples(st.just(names), st.lists(st.booleans(), min_size=15, max_size=15))))
def test_the_groups_are_all_the_largest_ones_without_a_difference(given_names):
    models, drawn = given_names
    different = [pair for pair, differs in zip(combinations(models, 2), drawn, strict=False) if differs]
    tied = [
        set(group)
        for size in range(1, len(models) + 1)
        for group in combinations(models, size)
        if not any(set(pair) <= set(group) for pair in different)
    ]
    expected = {frozenset(group) for group in tied if not any(group < larger for larger in tied)}
    groups = tie_groups({name: -ord(name) for name in models}, different)
    assert {frozenset(group) for group in groups} == expected
    assert len(groups) == len(expected)
    assert all(list(group) == sorted(group) for group in groups)


def test_pairs_of_unknown_models_are_refused():
    with pytest.raises(ValueError, match=r"tie_groups: \['z'\] have no score; models: \['a'\]\."):
        tie_groups({"a": 1.0}, [("a", "z")])
