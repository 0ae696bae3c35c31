import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_analysis.statistics import (
    PairedCounts,
    clopper_pearson,
    mcnemar,
    mean_interval,
    mean_of,
    paired_interval,
    paired_test,
    sign_flip,
    t_interval,
    t_test,
    tango,
    wilson,
)

ones = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=50)
grades = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.25, 0.5, 1]), st.integers(0, 6)),
    min_size=1,
    max_size=50,
)


@given(ones)
def test_scores_of_0_and_1_get_tango_mcnemar_and_clopper_pearson_or_wilson(pairs):
    before, after = zip(*pairs, strict=True)
    counts = PairedCounts.of(before, after)
    assert paired_interval(before, after) == tango(counts)
    assert paired_test(before, after) == mcnemar(counts)
    assert paired_test(before, after, mid_p=True) == mcnemar(counts, mid_p=True)
    assert mean_interval(before) == clopper_pearson(sum(before), len(before))
    assert mean_interval(before * 200) == wilson(200 * sum(before), 200 * len(before))
    # clusters that no two samples share are none
    assert paired_interval(before, after, range(len(before))) == tango(counts)


def test_graded_scores_get_students_t_and_sign_flips():
    before, after = [0.5, 1, 0.25, 0.75], [0.75, 1, 0.25, 0.5]
    values = np.subtract(after, before)
    assert paired_interval(before, after, level=0.9) == t_interval(mean_of(values), 0.9)
    assert paired_test(before, after) == sign_flip(values)
    assert mean_interval(before) == t_interval(mean_of(before))


def test_clusters_get_students_t():
    before, after, clusters = [0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 1, 0], list("aabbcc")
    estimate = mean_of(np.subtract(after, before), clusters)
    assert paired_interval(before, after, clusters) == t_interval(estimate)
    assert paired_test(before, after, clusters) == t_test(estimate)
    assert mean_interval(before, clusters) == t_interval(mean_of(before, clusters))


@given(grades)
def test_intervals_are_finite_hold_the_difference_and_mirror(rows):
    before, after, clusters = (np.array(column) for column in zip(*rows, strict=True))
    for of in (None, clusters):
        interval, mirrored = paired_interval(before, after, of), paired_interval(after, before, of)
        assert math.isfinite(interval.low)
        assert interval.low <= interval.estimate <= interval.high
        assert interval.low < interval.high
        assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-9)
        p_value = paired_test(before, after, of, flips=100).p_value
        assert 0 < p_value <= 1
        assert p_value == pytest.approx(paired_test(after, before, of, flips=100).p_value)


@pytest.mark.parametrize("clusters", [None, [1, 1, 2, 2, 3, 3]])
def test_runs_that_agree_everywhere_are_not_surely_equal(clusters):
    same = [0.5, 0.25, 1, 0, 0.75, 0.5]
    interval = paired_interval(same, same, clusters)
    assert interval.low < -0.3
    assert interval.high > 0.3
    assert paired_test(same, same, clusters).p_value == 1
    assert paired_interval([5 * score for score in same], [5 * score for score in same]).high == pytest.approx(
        5 * paired_interval(same, same).high
    )


def test_equal_scores_of_one_run_get_an_interval_too():
    interval = mean_interval([0.5] * 10)
    assert 0 < interval.low < 0.5 < interval.high < 1
    assert mean_interval([0, 0, 0], ["a", "a", "b"]).high > 0.5


def test_scores_that_are_missing_are_refused():
    for function in (paired_interval, paired_test):
        with pytest.raises(ValueError, match="after: 1 of 2 scores are NaN"):
            function([0, 1], [math.nan, 1])
    with pytest.raises(ValueError, match="scores: 1 of 1 scores are NaN"):
        mean_interval([math.nan])


def test_importing_the_statistics_brings_no_heavy_library():
    script = (
        "import sys, openbench_analysis.statistics\n"
        "print({'scipy.stats', 'scipy.optimize', 'pandas', 'inspect_ai', 'openbench'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout == b"set()\n"


def few_discordant(rng):
    down, up = rng.random((2, 200)) < 0.025
    before = np.where(down != up, down, rng.random(200) < 0.7)
    return before, np.where(down != up, up, before), None


def means_of_epochs(rng):
    ability = rng.beta(1.5, 1, size=60)
    return rng.binomial(4, ability) / 4, rng.binomial(4, ability) / 4, None


def six_unequal_clusters(rng):
    clusters = np.repeat(np.arange(6), [3, 4, 5, 8, 14, 2])
    before = rng.random(36)
    return before, before + rng.normal(size=6)[clusters] * 0.1 + rng.normal(size=36) * 0.1, clusters


@pytest.mark.parametrize("draw", [few_discordant, means_of_epochs, six_unequal_clusters])
def test_intervals_hold_no_difference_and_tests_find_none_as_often_as_they_should(draw):
    rng, runs = np.random.default_rng(0), 1_000
    held, found = 0, 0
    for run in range(runs):
        before, after, clusters = draw(rng)
        interval = paired_interval(before, after, clusters)
        held += interval.low <= 0 <= interval.high
        found += paired_test(before, after, clusters, flips=199, seed=run).p_value <= 0.05
    assert 0.93 < held / runs < 0.985
    assert 0.01 < found / runs < 0.07


def test_a_few_differences_that_all_go_one_way_do_not_look_sure():
    rng, runs = np.random.default_rng(0), 500
    held, by_t = 0, 0
    for _ in range(runs):
        before = np.ones(50)
        after = np.where(rng.random(50) < 0.03, 0.5, 1.0)
        interval, usual = paired_interval(before, after), t_interval(mean_of(after - before))
        held += interval.low <= -0.015 <= interval.high
        by_t += usual.low <= -0.015 <= usual.high
    assert by_t / runs < 0.85
    assert held / runs > 0.95
    assert mean_interval(np.where(np.arange(50), 1.0, 0.5)).low < 0.95
