"""Two runs compared: every figure against an independent computation, and the mistakes that others made."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from openbench.errors import LogError
from openbench_analysis.comparison import Method, compare_runs
from openbench_analysis.figures import figures_of
from openbench_analysis.runs import read_run

COUNT = 120


def made(make_log, before, after, **fields):
    """Return two runs with these scores, a list of epochs for each sample."""
    return [
        (name, read_run(str(make_log(f"{name}.json", {str(i): v for i, v in enumerate(values)}, model=name, **fields))))
        for name, values in (("one", before), ("two", after))
    ]


def compared(make_log, before, after, method=None, **fields):
    return compare_runs("quiz", *made(make_log, before, after, **fields), method)


def binary(seed=0, count=COUNT):
    rng = np.random.default_rng(seed)
    before = rng.random(count) < 0.6
    after = np.where(rng.random(count) < 0.25, rng.random(count) < 0.8, before)
    return before.astype(float), after.astype(float)


def epochs(array):
    return [[value] for value in array.tolist()]


def test_scores_of_0_and_1_are_tested_by_mcnemar(make_log):
    before, after = binary()
    found = compared(make_log, epochs(before), epochs(after), Method(margin=0.1))
    gained, lost = int((after > before).sum()), int((after < before).sum())
    expected = statsmodels_mcnemar([[0, lost], [gained, 0]], exact=True).pvalue
    assert (found.higher, found.lower, found.samples) == (gained, lost, COUNT)
    assert found.p_value == pytest.approx(expected)
    assert found.scores == pytest.approx((before.mean(), after.mean()))
    assert found.difference.method == "Tango"
    assert found.difference.estimate == pytest.approx((gained - lost) / COUNT)


def test_the_standard_error_is_that_of_the_differences_not_of_two_separate_runs(make_log):
    before, after = binary()
    found = compared(make_log, epochs(before), epochs(after))
    differences = after - before
    assert found.estimate.standard_error == pytest.approx(stats.sem(differences))
    unpaired = math.hypot(stats.sem(before), stats.sem(after))
    assert found.estimate.standard_error < 0.8 * unpaired


def test_the_detectable_effect_is_on_the_scale_of_the_difference(make_log):
    before, after = binary()
    found = compared(make_log, epochs(before), epochs(after))
    factor = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert found.detectable == pytest.approx(factor * stats.sem(after - before), rel=0.01)


def test_epochs_are_averaged_before_anything_else(make_log):
    rng = np.random.default_rng(1)
    before, after = (rng.random((60, 4)) < chance for chance in (0.5, 0.62))
    found = compared(make_log, before.astype(float).tolist(), after.astype(float).tolist())
    expected = stats.ttest_rel(after.mean(axis=1), before.mean(axis=1))
    interval = expected.confidence_interval()
    assert found.samples == 60
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high))
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.02)


def test_graded_scores_have_the_paired_t_interval_and_sign_flips(make_log):
    rng = np.random.default_rng(2)
    before = rng.random(80)
    after = np.clip(before + rng.normal(0.03, 0.1, 80), 0, 1)
    found = compared(make_log, epochs(before), epochs(after), metric="mean")
    interval = stats.ttest_rel(after, before).confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high))
    permuted = stats.permutation_test(
        (after, before), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=5_000, rng=0
    )
    assert found.test.method == "10,000 sign flips"
    assert found.p_value == pytest.approx(permuted.pvalue, abs=0.02)


def clustered(count=12, size=10):
    rng = np.random.default_rng(3)
    shift = np.repeat(rng.normal(0, 0.25, count), size)
    before = rng.random(count * size)
    after = before + shift + rng.normal(0, 0.1, count * size)
    return before, after, [f"passage {number}" for number in np.repeat(np.arange(count), size)]


def test_clusters_that_the_benchmark_declares_cluster_the_differences(make_log):
    before, after, groups = clustered()
    clusters = {str(number): group for number, group in enumerate(groups)}
    found = compared(make_log, epochs(before), epochs(after), metric="mean", clusters=clusters)
    names = np.unique(groups, return_inverse=True)[1]
    model = sm.OLS(after - before, np.ones(before.size))
    expected = model.fit(cov_type="cluster", cov_kwds={"groups": names}, use_t=True)
    assert found.estimate.standard_error == pytest.approx(expected.bse[0], rel=0.005)
    assert found.p_value == pytest.approx(expected.pvalues[0], abs=0.002)
    assert found.design_effect == pytest.approx((expected.bse[0] / stats.sem(after - before)) ** 2, rel=0.01)


def test_clusters_may_be_named_by_a_key(make_log):
    before, after, groups = clustered()
    fields = {str(number): {"passage": group} for number, group in enumerate(groups)}
    runs = made(make_log, epochs(before), epochs(after), metric="mean", metadata={})
    for _, run in runs:
        for result in run.results:
            result.metadata.update(fields[result.id])
    plain = compare_runs("quiz", *runs)
    found = compare_runs("quiz", *runs, Method(cluster="passage"))
    assert plain.design_effect is None
    assert found.design_effect > 4
    assert found.estimate.standard_error > 2 * plain.estimate.standard_error


def test_samples_are_matched_by_content_not_by_row(make_log):
    before, after = binary()
    straight = compared(make_log, epochs(before), epochs(after))
    scores = {str(number): [value] for number, value in enumerate(after.tolist())}
    turned = dict(reversed(scores.items()))
    other = read_run(str(make_log("turned.json", turned, model="two")))
    found = compare_runs("quiz", ("one", straight.runs[0]), ("two", other))
    assert (found.p_value, found.difference) == (straight.p_value, straight.difference)


def test_lower_is_better_turns_the_verdict_not_the_difference(make_log):
    lower = {"openbench": {"benchmark": "quiz", "higher_is_better": False}}
    ones, zeros = [[1.0]] * 40, [[0.0]] * 40
    found = compared(make_log, ones, zeros, metadata=lower)
    assert found.difference.estimate == -1
    assert found.verdict == "better"
    assert compared(make_log, ones, zeros).verdict == "worse"


def test_equivalence_needs_both_sides_and_no_regression_one(make_log):
    ones = [[1.0]] * 400
    same = compared(make_log, ones, ones, Method(margin=0.03)).equivalence
    assert (same.equivalent, same.not_worse, same.interval.level) == (True, True, 0.9)
    better = compared(make_log, [[0.0]] * 40 + ones, [[1.0]] * 40 + ones, Method(margin=0.03)).equivalence
    assert (better.equivalent, better.not_worse) == (False, True)
    worse = compared(make_log, [[1.0]] * 40 + ones, [[0.0]] * 40 + ones, Method(margin=0.03)).equivalence
    assert (worse.equivalent, worse.not_worse) == (False, False)
    few = compared(make_log, ones[:20], ones[:20], Method(margin=0.03)).equivalence
    assert (few.equivalent, few.not_worse) == (False, False)


def test_flips_name_samples_with_the_largest_change_first(make_log):
    found = compared(make_log, [[1.0], [0.5], [0.0], [1.0]], [[1.0], [1.0], [1.0], [0.0]])
    assert [(flip.before.id, flip.change) for flip in found.flips()] == [("2", 1.0), ("3", -1.0), ("1", 0.5)]


def test_categories_are_compared_and_adjusted_by_themselves(make_log):
    groups = {str(number): "hard" if number < 30 else "easy" for number in range(60)}
    before, after = [[0.0]] * 60, [[1.0]] * 20 + [[0.0]] * 40
    runs = made(make_log, before, after, clusters=groups)
    found = compare_runs("quiz", *runs, Method(by=["group"], cluster="none"))
    easy, hard = found.categories
    assert (easy.name, easy.samples, easy.before, easy.after, easy.p_value) == ("easy", 30, 0, 0, 1)
    assert (hard.name, hard.samples, hard.after) == ("hard", 30, pytest.approx(2 / 3))
    assert hard.p_value == pytest.approx(2 * 2 * 0.5**20)


def test_samples_without_a_score_are_left_out_of_both_and_counted(make_log):
    found = compared(make_log, [[1.0], [None], [0.0], [1.0]], [[1.0], [1.0], [None], [1.0]])
    assert found.samples == 2
    assert found.paired.unscored == (1, 1)
    assert found.difference.estimate == 0


def test_one_sample_and_equal_scores_show_no_difference(make_log):
    one = compared(make_log, [[0.5]], [[0.9]], metric="mean")
    assert (one.samples, one.p_value, one.verdict) == (1, 1.0, "no difference shown")
    assert one.detectable is None
    same = compared(make_log, [[1.0]] * 10, [[1.0]] * 10)
    assert (same.p_value, same.verdict, same.detectable) == (1.0, "no difference shown", None)
    assert same.difference.low < 0 < same.difference.high


def test_runs_without_common_samples_say_why(make_log):
    before = read_run(str(make_log("one.json", {"a": [1.0]})))
    after = read_run(str(make_log("two.json", {"b": [1.0]})))
    with pytest.raises(LogError, match=r"one\.json and .*two\.json have no sample in common\.$"):
        compare_runs("quiz", ("A", before), ("B", after))
    unscored = read_run(str(make_log("three.json", {"a": [None]})))
    with pytest.raises(LogError, match=r"have 1 samples? in common, none of which has a score in both\.$"):
        compare_runs("quiz", ("A", before), ("B", unscored))


def test_another_major_version_is_refused_unless_forced(make_log):
    made = [
        read_run(str(make_log(f"{v}.json", {"a": [1.0]}, metadata={"openbench": {"benchmark": "quiz", "version": v}})))
        for v in ("1.0.0", "2.0.0")
    ]
    with pytest.raises(LogError, match=r"^quiz: A and B are not compared: .* differ in the major version"):
        compare_runs("quiz", ("A", made[0]), ("B", made[1]))
    found = compare_runs("quiz", ("A", made[0]), ("B", made[1]), Method(force=True))
    assert "differ in the major version" in found.caveats[0]


def test_a_run_has_a_score_with_an_interval_that_suits_its_size(make_log):
    _, run = made(make_log, [[1.0]] * 9 + [[0.0]], [[1.0]])[0]
    figures = figures_of(run)
    expected = stats.binomtest(9, 10).proportion_ci(method="exact")
    assert (figures.interval.low, figures.interval.high) == pytest.approx((expected.low, expected.high))
    assert (figures.score, figures.scored, figures.samples) == (0.9, 10, 10)
