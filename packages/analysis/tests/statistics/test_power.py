import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.weightstats import ttost_paired

from openbench_analysis.statistics import (
    Components,
    Estimate,
    PairedCounts,
    components_of,
    differences,
    discordance_deviation,
    epochs_deviation,
    epochs_needed,
    equivalence,
    mcnemar,
    mean_of,
    minimum_detectable_effect,
    non_inferiority,
    power_of,
    samples_needed,
    samples_needed_for_margin,
    t_interval,
    tango,
)


@pytest.mark.parametrize(("discordance", "samples"), [(0.10, 865), (0.15, 1301), (0.20, 1737), (0.30, 2609)])
def test_three_points_need_the_known_numbers_of_samples(discordance, samples):
    assert samples_needed(0.03, discordance_deviation(discordance, 0.03)) == samples


@given(st.floats(0.01, 0.5), st.floats(0.1, 1), st.integers(10, 5000), st.sampled_from([0.9, 0.95, 0.99]))
def test_power_agrees_with_statsmodels(effect, deviation, samples, level):
    theirs = NormalIndPower().power(effect / deviation, samples, 1 - level, ratio=0)
    assert power_of(effect, deviation / math.sqrt(samples), level=level) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_samples_and_effects_agree_with_statsmodels(power):
    needed = NormalIndPower().solve_power(0.03 / 0.4, alpha=0.05, power=power, ratio=0)
    assert samples_needed(0.03, 0.4, power=power) == math.ceil(needed)
    effect = NormalIndPower().solve_power(nobs1=1000, alpha=0.05, power=power, ratio=0) * 0.4
    assert minimum_detectable_effect(0.4 / math.sqrt(1000), power=power) == pytest.approx(effect, rel=1e-4)


def test_the_smallest_effect_is_on_the_scale_of_the_scores():
    rng = np.random.default_rng(0)
    before, after = rng.random((2, 300))
    shares = minimum_detectable_effect(mean_of(differences(before, after)).standard_error)
    points = minimum_detectable_effect(mean_of(differences(100 * before, 100 * after)).standard_error)
    assert points == pytest.approx(100 * shares)
    assert power_of(shares, mean_of(differences(before, after)).standard_error) == pytest.approx(0.8, abs=1e-4)


def test_the_numbers_of_samples_find_what_they_promise():
    rng = np.random.default_rng(0)
    samples, runs = samples_needed(0.03, discordance_deviation(0.1, 0.03)), 3_000
    tables = rng.multinomial(samples, [0.6, 0.035, 0.065, 0.3], size=runs)
    found = np.mean([mcnemar(PairedCounts(*map(int, table)), mid_p=True).p_value <= 0.05 for table in tables])
    assert found == pytest.approx(0.8, abs=0.03)


@given(st.floats(0.001, 0.3), st.floats(0.1, 1))
def test_more_samples_and_larger_effects_have_more_power(effect, deviation):
    assert power_of(effect, deviation / 20) <= power_of(effect, deviation / 40) + 1e-12
    assert power_of(effect, deviation / 20) <= power_of(2 * effect, deviation / 20) + 1e-12
    assert samples_needed(effect, deviation) >= samples_needed(2 * effect, deviation)
    assert samples_needed(effect, deviation) == samples_needed(-effect, deviation)
    assert power_of(0.0, deviation) == pytest.approx(0.05)


def test_components_come_from_epochs():
    rng = np.random.default_rng(0)
    n, noise = 4_000, (0.3, 0.2)
    true = rng.normal(0.5, 0.2, n), rng.normal(0.5, 0.2, n)
    runs = [
        mean[:, None] + rng.normal(0, spread, (n, epochs))
        for mean, spread, epochs in zip(true, noise, (4, 3), strict=True)
    ]
    found = components_of(*runs)
    assert found.between == pytest.approx(0.08, rel=0.1)
    assert found.within == pytest.approx(0.09 + 0.04, rel=0.1)
    # what they say of four epochs is what four epochs show
    again = [mean[:, None] + rng.normal(0, spread, (n, 4)) for mean, spread in zip(true, noise, strict=True)]
    observed = mean_of(again[1].mean(axis=1) - again[0].mean(axis=1)).standard_error
    assert epochs_deviation(found, 4) / math.sqrt(n) == pytest.approx(observed, rel=0.05)
    assert components_of([[0, 1], [1, 0]], [[0, 1], [1, 0]]).between == 0


def test_epochs_help_as_long_as_noise_is_within_samples():
    parts = Components(between=0.02, within=0.2)
    epochs = epochs_needed(0.03, 400, parts)
    assert power_of(0.03, epochs_deviation(parts, epochs) / 20) >= 0.8
    assert power_of(0.03, epochs_deviation(parts, epochs - 1) / 20) < 0.8
    assert epochs_needed(0.03, 100, parts) is None
    assert epochs_needed(0.5, 400, parts) == 1


@pytest.mark.parametrize("shift", [-0.03, 0.0, 0.02])
def test_equivalence_and_non_inferiority_agree_with_statsmodels(shift):
    rng = np.random.default_rng(1)
    before = rng.random(80)
    after = before + rng.normal(shift, 0.1, 80)
    estimate = mean_of(differences(before, after))
    p_value, lower, _ = ttost_paired(after, before, -0.05, 0.05)
    assert equivalence(estimate, 0.05).p_value == pytest.approx(p_value, rel=1e-9)
    assert non_inferiority(estimate, 0.05).p_value == pytest.approx(lower[1], rel=1e-9)
    within = t_interval(estimate, 0.9)
    assert (equivalence(estimate, 0.05).p_value <= 0.05) == (within.low >= -0.05 and within.high <= 0.05)


@given(
    st.tuples(st.integers(0, 200), st.integers(0, 30), st.integers(0, 30), st.integers(0, 200)).filter(any),
    st.floats(0.01, 0.5),
)
def test_of_scores_of_0_and_1_they_say_what_tangos_interval_says(cells, margin):
    counts = PairedCounts(*cells)
    interval = tango(counts, 0.9)
    worse, both = non_inferiority(counts, margin).p_value, equivalence(counts, margin).p_value
    assert 0 <= worse <= both <= 1
    if abs(interval.low + margin) > 1e-6:
        assert (worse <= 0.05) == (interval.low >= -margin)
    if abs(interval.high - margin) > 1e-6 and abs(interval.low + margin) > 1e-6:
        assert (both <= 0.05) == (interval.low >= -margin and interval.high <= margin)
    assert both == pytest.approx(equivalence(PairedCounts(cells[0], cells[2], cells[1], cells[3]), margin).p_value)


def test_a_few_samples_that_agree_show_no_equivalence():
    # 1.645^2 / (n + 1.645^2) falls below 3 points at 88 samples
    assert non_inferiority(PairedCounts(87, 0, 0, 0), 0.03).p_value > 0.05
    assert non_inferiority(PairedCounts(88, 0, 0, 0), 0.03).p_value < 0.05
    assert equivalence(PairedCounts(5, 0, 0, 0), 0.03).p_value > 0.3
    assert non_inferiority(mean_of([0.4]), 0.03).p_value == 0.5


def test_numbers_of_samples_for_a_margin_show_what_they_promise():
    rng = np.random.default_rng(0)
    samples, runs = samples_needed_for_margin(0.05, 0.3), 2_000
    shown = [non_inferiority(mean_of(rng.normal(0, 0.3, samples)), 0.05).p_value <= 0.05 for _ in range(runs)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)
    # a run that is as bad as the margin passes 5 % of the time
    shown = [non_inferiority(mean_of(rng.normal(-0.05, 0.3, samples)), 0.05).p_value <= 0.05 for _ in range(runs)]
    assert np.mean(shown) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: samples_needed(0, 0.5), "effect=0: no number of samples finds a difference that does not exist"),
        (lambda: samples_needed(0.1, 0.5, power=1), r"power=1: expected a number between 0 and 1"),
        (lambda: samples_needed(0.1, 0.5, level=5), r"level=5: expected a number between 0 and 1"),
        (lambda: samples_needed_for_margin(0.03, 0.3, effect=-0.03), "expected a difference above minus the margin"),
        (lambda: discordance_deviation(0.02, 0.03), r"expected \|effect\| <= discordance <= 1"),
        (lambda: minimum_detectable_effect(math.nan), "standard_error=nan: expected 0 or more"),
        (lambda: power_of(0.1, 0), "standard_error=0: expected more than 0"),
        (lambda: epochs_deviation(Components(0, 1), 0), "epochs=0: expected 1 or more"),
        (lambda: components_of([[1], [0]], [[1], [0]]), "expected two samples and two epochs or more of each run"),
        (lambda: components_of([[1, 0]] * 2, [[1, math.nan]] * 2), "some scores are NaN or infinite"),
        (lambda: non_inferiority(Estimate(0, 0.1, 9), 0), "margin=0: expected a difference above 0"),
        (lambda: equivalence(PairedCounts(1, 1, 1, 1), 3), "expected a number above -1 and below 1"),
    ],
)
def test_requests_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
