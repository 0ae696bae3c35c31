import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, permutation_test, ttest_1samp, ttest_rel

from openbench_analysis.statistics import (
    bca_interval,
    bounded_interval,
    design_effect,
    differences,
    liang_zeger,
    mean_of,
    sign_flip,
    t_interval,
    t_test,
    tango,
)
from openbench_analysis.statistics.proportions import PairedCounts
from openbench_analysis.statistics.resampling import bca_limits, flipped_sums, resampled_sums

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=40)
runs = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.floats(0, 1, width=32), min_size=n, max_size=n)] * 2)
)


def graded(n, seed=0, epochs=4):
    """Return the scores of two runs: means over epochs."""
    rng = np.random.default_rng(seed)
    right = rng.beta(2, 1, size=(n, 1))
    before = rng.random((n, epochs)) < right
    after = rng.random((n, epochs)) < np.clip(right + 0.05, 0, 1)
    return before.mean(axis=1), after.mean(axis=1)


def clustered(sizes, seed=0, correlation=0.5):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=len(sizes))[clusters]
    return shared * math.sqrt(correlation) + rng.normal(size=clusters.size) * math.sqrt(1 - correlation), clusters


def limits(interval):
    return interval.low, interval.high


@pytest.mark.parametrize("n", [2, 5, 40, 1000])
def test_the_t_test_and_interval_agree_with_scipys_for_pairs(n):
    before, after = graded(n)
    after[0] = 0.3
    estimate = mean_of(differences(before, after))
    theirs = ttest_rel(after, before)
    assert t_test(estimate).p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    for level in (0.9, 0.95):
        assert limits(t_interval(estimate, level)) == pytest.approx(tuple(theirs.confidence_interval(level)), rel=1e-9)
    assert t_test(estimate, 0.1).p_value == pytest.approx(ttest_1samp(after - before, 0.1).pvalue, rel=1e-9)


@pytest.mark.parametrize("sizes", [[4] * 8, [1, 2, 3, 9, 4, 4], [30, 1, 1, 1], [1] * 12])
def test_the_usual_clustered_error_is_that_of_statsmodels_regression_on_a_constant(sizes):
    values, clusters = clustered(sizes)
    # its small-sample factor is G / (G - 1) * (n - 1) / (n - 1), and its t has G - 1 degrees of freedom
    fit = sm.OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": True, "df_correction": True}, use_t=True
    )
    estimate = liang_zeger(values, clusters)
    assert (estimate.value, estimate.standard_error) == pytest.approx((fit.params[0], fit.bse[0]), rel=1e-9)
    assert estimate.degrees == len(sizes) - 1
    assert limits(t_interval(estimate)) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)
    assert t_test(estimate).p_value == pytest.approx(fit.pvalues[0], rel=1e-7)


@pytest.mark.parametrize("size", [1, 3, 20])
def test_clusters_of_one_size_have_one_standard_error_less_one_degree(size):
    values, clusters = clustered([size] * 7)
    ours, usual = mean_of(values, clusters), liang_zeger(values, clusters)
    assert ours.standard_error == pytest.approx(usual.standard_error)
    of_means = mean_of(values.reshape(7, size).mean(axis=1))
    assert (of_means.value, of_means.standard_error) == pytest.approx((ours.value, ours.standard_error))
    if size == 1:
        assert ours == mean_of(values)


@pytest.mark.parametrize("correlation", [0.0, 0.6])
@pytest.mark.parametrize("sizes", [[1, 2, 3, 9, 4, 4], [30, 1, 1, 1], [5, 5, 5, 6]])
def test_the_small_sample_error_is_that_of_the_matrices_in_the_paper(sizes, correlation):
    # Imbens and Kolesar 2016, with X a column of ones
    values, clusters = clustered(sizes, correlation=correlation)
    n, estimate = values.size, mean_of(values, clusters)
    residuals = values - values.mean()
    one, hat = np.ones(n), np.full((n, n), 1 / n)
    same = clusters[:, None] == clusters[None]
    off = same & ~np.eye(n, dtype=bool)
    spread = np.mean(residuals**2)
    shared = np.clip((residuals @ off @ residuals) / off.sum() / spread, 0, 1)
    covariance = np.where(np.eye(n, dtype=bool), 1.0, np.where(same, shared, 0.0))
    columns, variance = [], 0.0
    for cluster in range(len(sizes)):
        of = clusters == cluster
        block = np.eye(of.sum()) - hat[np.ix_(of, of)]
        eigenvalues, vectors = np.linalg.eigh(block)
        adjustment = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        columns.append((np.eye(n) - hat)[:, of] @ adjustment @ one[of] / n)
        variance += (one[of] @ adjustment @ residuals[of] / n) ** 2
    weights = np.column_stack(columns)
    eigenvalues = np.linalg.eigvalsh(weights.T @ covariance @ weights)
    assert estimate.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert estimate.degrees == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum(), rel=1e-9)


def test_the_design_effect_counts_samples_that_say_the_same():
    values = np.random.default_rng(3).normal(size=200)
    clusters = np.arange(200)
    assert design_effect(values, clusters) == pytest.approx(1)
    # each sample four times says as much as once
    assert design_effect(np.repeat(values, 4), np.repeat(clusters, 4)) == pytest.approx(4, rel=0.01)
    assert math.isnan(design_effect([1, 1, 1], [0, 0, 1]))
    assert math.isnan(design_effect([1, 0, 1], [0, 0, 0]))


def test_pairing_finds_what_two_error_bars_hide():
    # MMLU-Pro, two versions of one model: 12,032 questions, 1,073 of them right in the first alone, 1,001 in the second
    down, up, n = 1073, 1001, 12_032
    values = np.repeat([-1.0, 1.0, 0.0], [down, up, n - down - up])
    paired = mean_of(values)
    assert paired.value == pytest.approx(-0.0060, abs=5e-5)
    assert paired.standard_error == pytest.approx(0.0038, abs=5e-5)
    accuracy = 0.3
    unpaired = math.sqrt(2 * accuracy * (1 - accuracy) / n)
    assert unpaired == pytest.approx(0.0059, abs=5e-5)
    assert t_test(paired).p_value < 0.2 < t_test(type(paired)(paired.value, unpaired, n - 1)).p_value


@pytest.mark.parametrize("seed", range(3))
def test_bca_agrees_with_scipys(seed):
    rng = np.random.default_rng(seed)
    values = rng.gamma(1.5, size=60) - 1
    theirs = bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=rng).confidence_interval
    ours = bca_interval(values, resamples=20_000, seed=seed)
    assert limits(ours) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_bca_limits_are_scipys_for_the_same_draws():
    rng = np.random.default_rng(5)
    values = rng.gamma(1.5, size=40)
    result = bootstrap((values,), np.mean, n_resamples=2_000, method="BCa", rng=rng)
    left_out = (values.sum() - values) / (values.size - 1)
    theirs = result.confidence_interval
    ours = bca_limits(result.bootstrap_distribution, values.mean(), left_out, 0.95)
    assert ours == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_the_spread_of_resamples_is_the_standard_error_however_many_there_are():
    values = np.random.default_rng(1).normal(size=(300, 1))
    for resamples in (400, 6_400):
        means = resampled_sums(values, resamples, np.random.default_rng(2))[:, 0] / 300
        assert means.std() == pytest.approx(mean_of(values[:, 0]).standard_error, rel=0.1)
    widths = [np.ptp(limits(bca_interval(values[:, 0], resamples=resamples))) for resamples in (1_000, 16_000)]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_equal_samples_drawn_together_have_the_sums_of_samples_drawn_singly():
    few = np.repeat([[0.0, 1.0], [0.5, 2.0], [1.0, 1.0]], [50, 20, 30], axis=0)
    many = few + np.random.default_rng(0).normal(scale=1e-9, size=few.shape)
    for together, singly in zip(
        resampled_sums(few, 20_000, np.random.default_rng(1)).T,
        resampled_sums(many, 20_000, np.random.default_rng(1)).T,
        strict=True,
    ):
        assert together.mean() == pytest.approx(singly.mean(), rel=0.01)
        assert np.quantile(together, [0.025, 0.5, 0.975]) == pytest.approx(
            np.quantile(singly, [0.025, 0.5, 0.975]), rel=0.02
        )
    moves = np.repeat([0.25, -0.5, 1.0], [40, 20, 10])
    together = flipped_sums(moves, 20_000, np.random.default_rng(1))
    singly = flipped_sums(moves + np.arange(70) * 1e-9, 20_000, np.random.default_rng(1))
    assert np.std(together) == pytest.approx(np.std(singly), rel=0.03)
    assert np.std(together) == pytest.approx(math.sqrt(np.sum(moves**2)), rel=0.03)


@pytest.mark.parametrize("n", [1, 2, 9, 12])
def test_exact_sign_flips_agree_with_scipys(n):
    before, after = np.random.default_rng(n).normal(size=(2, n))
    if n == 1:
        expected = 1.0
    else:
        expected = permutation_test(
            (before, after),
            lambda x, y, axis: np.mean(y - x, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
        ).pvalue
    assert sign_flip(differences(before, after)).p_value == pytest.approx(expected)


@pytest.mark.parametrize("continuous", [False, True])
def test_random_sign_flips_agree_with_scipys(continuous):
    before, after = graded(60, seed=4)
    if continuous:
        after = after + np.random.default_rng(1).normal(scale=0.02, size=60)
    theirs = permutation_test(
        (before, after),
        lambda x, y, axis: np.mean(y - x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    ours = sign_flip(differences(before, after), flips=20_000)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.012)
    assert ours.method == "20,000 sign flips"


def test_clusters_change_sign_together():
    values = np.array([1.0, 2.0, -1.0, 0.5, 0.5, 3.0])
    clusters = ["a", "a", "b", "b", "c", "c"]
    together = sign_flip([3.0, -0.5, 3.5])
    assert sign_flip(values, clusters) == together
    assert together.p_value == 0.5


def test_runs_that_differ_the_same_way_everywhere_are_no_surer_than_their_number_allows():
    assert sign_flip([0.5] * 3).p_value == 0.25
    assert t_test(mean_of([0.5] * 3)).p_value == 0
    assert t_test(mean_of([0.5] * 3), 0.5).p_value == 1
    assert mean_of([0.1] * 30).standard_error == 0
    interval = bounded_interval([0.5] * 3)
    assert -1 < interval.low < 0
    assert 0.5 < interval.high < 1


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60))
def test_the_bounded_interval_is_tangos_for_scores_of_0_and_1(values):
    counts = PairedCounts(values.count(0), values.count(-1), values.count(1), 0)
    assert limits(bounded_interval(values)) == pytest.approx(limits(tango(counts)), abs=1e-9)
    tenfold = bounded_interval([10 * value for value in values], span=10)
    assert limits(tenfold) == pytest.approx([10 * limit for limit in limits(tango(counts))], abs=1e-8)


@given(st.lists(st.tuples(st.floats(-1, 1), st.sampled_from("abcd")), min_size=1, max_size=40))
def test_the_bounded_interval_holds_the_mean_within_the_span(rows):
    values, clusters = zip(*rows, strict=True)
    for of in (None, clusters):
        interval = bounded_interval(values, of)
        assert -1 - 1e-9 <= interval.low <= interval.estimate <= interval.high <= 1 + 1e-9


def test_a_difference_beyond_the_span_is_refused():
    with pytest.raises(ValueError, match=r"bounded_interval: a difference of 2\.0 is beyond the span of 1\.0\."):
        bounded_interval([0, -2])


def test_one_sample_or_one_cluster_bounds_nothing():
    for estimate in (mean_of([0.3]), mean_of([0.3, 0.6], ["a", "a"]), liang_zeger([0.3, 0.6], [1, 1])):
        assert limits(t_interval(estimate)) == (-math.inf, math.inf)
        assert t_test(estimate).p_value == 1
    assert limits(bca_interval([0.3])) == (-math.inf, math.inf)
    assert sign_flip([0.3]).p_value == 1


@given(runs)
def test_swapped_runs_give_mirrored_intervals_and_the_same_p_values(pair):
    forth, back = differences(*pair), differences(*pair[::-1])
    one, other = mean_of(forth), mean_of(back)
    assert t_test(one).p_value == pytest.approx(t_test(other).p_value)
    assert sign_flip(forth, flips=200) == sign_flip(back, flips=200)
    low, high = limits(t_interval(one))
    assert low <= one.value <= high
    assert limits(t_interval(other)) == pytest.approx((-high, -low))
    for test in (t_test(one), sign_flip(forth, flips=200)):
        assert 0 <= test.p_value <= 1


@given(st.lists(st.tuples(st.floats(-1, 1, width=16), st.sampled_from("abcde")), min_size=2, max_size=30), st.randoms())
def test_the_order_of_samples_and_the_names_of_clusters_do_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    for clusters in (False, True):
        results = []
        for order in (rows, shuffled):
            values = [value for value, _ in order]
            names = [name * 2 for _, name in order] if clusters else None
            estimate = mean_of(values, names)
            bca = bca_interval(values, names, resamples=50, seed=1)
            assert bca.low <= bca.estimate <= bca.high
            flips = sign_flip(values, names, flips=50, seed=1).p_value
            results.append([estimate.value, estimate.standard_error, estimate.degrees, bca.low, bca.high, flips])
        assert results[0] == pytest.approx(results[1], abs=1e-9)


@given(scores)
def test_a_higher_level_is_wider(values):
    estimate = mean_of(values)
    assert t_interval(estimate, 0.99).high >= t_interval(estimate, 0.9).high


def test_seeds_repeat_and_differ():
    values = np.random.default_rng(0).normal(size=50)
    assert bca_interval(values, seed=1) == bca_interval(values, seed=1) != bca_interval(values, seed=2)
    assert sign_flip(values, seed=1) == sign_flip(values, seed=1) != sign_flip(values, seed=2)


@pytest.mark.parametrize("function", [mean_of, bca_interval, sign_flip])
def test_values_and_clusters_that_cannot_be_are_refused(function):
    with pytest.raises(ValueError, match=r"values: 1 of 2 scores are NaN or infinite, the first at index 1"):
        function([0.0, math.nan])
    with pytest.raises(ValueError, match=r"clusters: shape \(2,\): expected one for each of the 3 samples\."):
        function([0.0, 1.0, 0.5], ["a", "b"])
    with pytest.raises(ValueError, match="at least one"):
        function([])
