import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.proportion import proportion_confint

from openbench_analysis.statistics import (
    PairedCounts,
    clopper_pearson,
    mcnemar,
    newcombe,
    tango,
    tango_test,
    tango_z,
    wilson,
)

CAVO = PairedCounts(59, 6, 16, 80)
"""Responses to a therapy, from Fagerland, Lydersen and Laake 2017, Statistical analysis of contingency tables."""

UNSCORED = (
    "before: 2 of 3 scores are NaN or infinite, the first at index 1: leave samples without a score out of both runs."
)

tables = (
    st.tuples(st.integers(0, 300), st.integers(0, 40), st.integers(0, 40), st.integers(0, 300))
    .filter(any)
    .map(lambda counts: PairedCounts(*counts))
)


def swapped(counts):
    return PairedCounts(counts.both, counts.only_after, counts.only_before, counts.neither)


def limits(interval):
    return interval.low, interval.high


@pytest.mark.parametrize("total", [1, 2, 7, 40, 200, 5000])
def test_wilson_and_clopper_pearson_agree_with_statsmodels_and_scipy(total):
    for successes in {0, 1, total // 3, total - 1, total}:
        for level in (0.9, 0.95, 0.99):
            for ours, theirs, scipys in ((wilson, "wilson", "wilson"), (clopper_pearson, "beta", "exact")):
                interval = ours(successes, total, level)
                assert limits(interval) == pytest.approx(
                    proportion_confint(successes, total, 1 - level, method=theirs), abs=1e-9
                )
                scipy_interval = binomtest(successes, total).proportion_ci(level, scipys)
                assert limits(interval) == pytest.approx((scipy_interval.low, scipy_interval.high), abs=1e-9)
                assert interval.low <= successes / total <= interval.high


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_examples_of_its_comparison(successes, total, low, high):
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, table I
    assert limits(wilson(successes, total)) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("arguments", [(0, 0), (3, 2), (-1, 4)])
def test_proportions_that_cannot_be_are_refused(arguments):
    for function in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match=f"{arguments[0]} of {arguments[1]} samples: expected at least one sample"):
            function(*arguments)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_levels_that_cannot_be_are_refused(level):
    for call in (lambda: wilson(1, 2, level), lambda: clopper_pearson(1, 2, level), lambda: tango(CAVO, level)):
        with pytest.raises(ValueError, match=r"expected a number between 0 and 1, such as 0\.95"):
            call()


def test_counts_come_from_scores_of_the_same_samples():
    counts = PairedCounts.of([1, 1, 0, 0, 1], [True, False, True, False, True])
    assert counts == PairedCounts(both=2, only_before=1, only_after=1, neither=1)
    assert (counts.total, counts.discordant, counts.difference) == (5, 2, 0.0)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([1, 0.5], [1, 0], "before: 1 scores are neither 0 nor 1, the first is np.float64(0.5)."),
        ([1, 0], [1, 2], "after: 1 scores are neither 0 nor 1, the first is np.float64(2.0)."),
        ([1, 0, 1], [1, 0], "before and after: 3 and 2 scores: match the samples of both runs first."),
        ([], [], "before: expected one number a sample, at least one; received shape (0,)."),
        ([[1]], [[1]], "before: expected one number a sample, at least one; received shape (1, 1)."),
        (
            [1, math.nan, math.inf],
            [1, 0, 0],
            UNSCORED,
        ),
    ],
)
def test_scores_that_cannot_be_compared_are_refused(before, after, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole text is compared
        PairedCounts.of(before, after)
    assert str(raised.value) == message


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (1, -1, 0, 0)])
def test_counts_that_cannot_be_are_refused(counts):
    with pytest.raises(ValueError, match="expected numbers of samples, at least one"):
        PairedCounts(*counts)


@given(tables)
def test_mcnemar_agrees_with_statsmodels(counts):
    table = [[counts.both, counts.only_before], [counts.only_after, counts.neither]]
    assert mcnemar(counts).p_value == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-9)


def test_mcnemar_gives_published_p_values():
    # Fagerland, Lydersen, Laake 2017, Statistical analysis of contingency tables, chapter 8; their R package's tests
    assert mcnemar(CAVO).p_value == pytest.approx(0.052479, abs=5e-7)
    assert mcnemar(CAVO, mid_p=True).p_value == pytest.approx(0.034690, abs=5e-7)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mid_p_is_the_mean_of_the_probabilities_of_as_far_and_of_farther(more, less):
    distances = np.abs(2 * np.arange(more + less + 1) - more - less)
    weights = [math.exp(_log_choose(more + less, k) - (more + less) * math.log(2)) for k in range(more + less + 1)]
    as_far = sum(weight for weight, far in zip(weights, distances, strict=True) if far >= abs(more - less))
    farther = sum(weight for weight, far in zip(weights, distances, strict=True) if far > abs(more - less))
    expected = 1.0 if more == less else (as_far + farther) / 2
    assert mcnemar(PairedCounts(3, less, more, 4), mid_p=True).p_value == pytest.approx(expected, rel=1e-6)


def _log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


# Newcombe 1998, Improved confidence intervals for the difference between binomial proportions based on paired data,
# Statistics in Medicine 17, 2635-2650, table III, method 10.
TABLE_III = {
    (36, 12, 2, 0): (0.0569, 0.3404),
    (20, 12, 2, 16): (0.0562, 0.3292),
    (18, 12, 2, 18): (0.0562, 0.3290),
    (36, 14, 0, 0): (0.1528, 0.4167),
    (35, 14, 0, 1): (0.1461, 0.4175),
    (18, 14, 0, 18): (0.1441, 0.3963),
    (2, 97, 1, 0): (0.8721, 0.9854),
    (1, 97, 1, 1): (0.8736, 0.9850),
    (0, 29, 1, 0): (0.6666, 0.9882),
    (2, 98, 0, 0): (0.9178, 0.9945),
    (1, 98, 0, 1): (0.9171, 0.9916),
    (0, 30, 0, 0): (0.8395, 1.0),
    (54, 0, 0, 0): (-0.0664, 0.0664),
    (53, 0, 0, 1): (-0.0729, 0.0729),
    (30, 0, 0, 24): (-0.0358, 0.0358),
    (29, 0, 0, 25): (-0.0354, 0.0354),
    (28, 0, 0, 26): (-0.0352, 0.0352),
    (27, 0, 0, 27): (-0.0351, 0.0351),
}


@pytest.mark.parametrize(("cells", "published"), TABLE_III.items())
def test_newcombe_gives_its_papers_table(cells, published):
    both, first, second, neither = cells
    # the paper's difference is the first less the second
    interval = newcombe(PairedCounts(both, second, first, neither))
    assert limits(interval) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize(
    ("function", "counts", "level", "published"),
    [
        (newcombe, swapped(CAVO), 0.95, (-0.1186, -0.0046)),
        (newcombe, PairedCounts(1, 0, 0, 1), 0.95, (-0.5734, 0.5734)),
        (tango, swapped(CAVO), 0.95, (-0.1240, -0.0054)),
        # Tango 1998, Statistics in Medicine 17, 891-908, as the tests of the R package ratesci quote it
        (tango, PairedCounts(4, 3, 9, 16), 0.95, (-0.027, 0.390)),
        (tango, PairedCounts(43, 1, 0, 0), 0.90, (-0.096, 0.037)),
    ],
)
def test_intervals_of_the_difference_give_published_examples(function, counts, level, published):
    decimals = max(len(str(abs(limit)).split(".")[1]) for limit in published)
    assert limits(function(counts, level)) == pytest.approx(published, abs=0.6 * 10**-decimals)


@given(tables, st.sampled_from([0.8, 0.95, 0.99]))
def test_intervals_contain_the_difference_and_mirror_when_the_runs_are_swapped(counts, level):
    for function in (newcombe, tango):
        interval, mirrored = function(counts, level), function(swapped(counts), level)
        assert -1 <= interval.low <= interval.estimate <= interval.high <= 1
        assert interval.low < interval.high
        assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-9)
    for mid_p in (False, True):
        assert 0 <= mcnemar(counts, mid_p=mid_p).p_value <= 1
        assert mcnemar(counts, mid_p=mid_p) == mcnemar(swapped(counts), mid_p=mid_p)


@given(tables)
def test_tangos_limits_are_where_its_test_turns(counts):
    interval = tango(counts)
    for limit, z in ((interval.low, 1.959964), (interval.high, -1.959964)):
        if abs(limit) < 1 - 1e-6:
            assert tango_z(counts, limit) == pytest.approx(z, abs=1e-3)


@given(tables)
def test_tangos_score_at_no_difference_is_mcnemars_chi_squared(counts):
    expected = (counts.only_after - counts.only_before) / math.sqrt(counts.discordant) if counts.discordant else 0.0
    assert tango_z(counts) == pytest.approx(expected, abs=1e-9)
    table = [[counts.both, counts.only_before], [counts.only_after, counts.neither]]
    if counts.discordant:
        theirs = statsmodels_mcnemar(table, exact=False, correction=False)
        assert tango_test(counts).p_value == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.parametrize("difference", [-0.3, -0.05, 0.02, 0.4])
def test_tangos_variance_is_that_of_the_likeliest_table_with_the_difference(difference):
    up, down, total = 9, 5, 60
    shares = np.linspace(max(-difference, 0) + 1e-7, (1 - difference) / 2 - 1e-7, 400_001)
    likelihood = up * np.log(shares + difference) + down * np.log(shares)
    likelihood += (total - up - down) * np.log(1 - 2 * shares - difference)
    share = shares[np.argmax(likelihood)]
    variance = total * (2 * share + difference - difference**2)
    expected = (up - down - total * difference) / math.sqrt(variance)
    assert tango_z(PairedCounts(30, down, up, 16), difference) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("difference", [-1, 1, 1.5, math.nan])
def test_differences_that_cannot_be_are_refused(difference):
    with pytest.raises(ValueError, match="expected a number above -1 and below 1"):
        tango_z(CAVO, difference)


def test_intervals_shrink_with_more_samples_and_a_lower_level():
    for function in (newcombe, tango):
        widths = [
            interval.high - interval.low
            for interval in (
                function(PairedCounts(600, 60, 90, 250), 0.8),
                function(PairedCounts(600, 60, 90, 250)),
                function(PairedCounts(60, 6, 9, 25)),
            )
        ]
        assert widths == sorted(widths)
    assert mcnemar(PairedCounts(0, 3, 9, 0)).p_value < mcnemar(PairedCounts(0, 3, 8, 0)).p_value


def test_one_sample_and_runs_that_agree_bound_little():
    assert mcnemar(PairedCounts(0, 0, 1, 0)).p_value == 1
    assert mcnemar(PairedCounts(5, 0, 0, 5), mid_p=True).p_value == 1
    # with no sample that differs, z^2 / (n + z^2)
    assert limits(tango(PairedCounts(9, 0, 0, 1))) == pytest.approx((-3.841459 / 13.841459, 3.841459 / 13.841459))
