import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_analysis.statistics import (
    PairedCounts,
    detectable_effect,
    discordance_deviation,
    equivalence,
    mcnemar,
    non_inferiority,
    samples_needed,
    smallest_margin,
)
from openbench_analysis.statistics.exact_power import (
    mcnemar_detectable_effect,
    mcnemar_power,
    mcnemar_samples_needed,
)


def tables(samples, discordance, effect, runs=4_000):
    """Simulate the counts of two runs: both right, only the first, only the second, neither."""
    lost, won = (discordance - effect) / 2, (discordance + effect) / 2
    drawn = np.random.default_rng(0).multinomial(samples, [0.9 - discordance, lost, won, 0.1], size=runs)
    return [PairedCounts(*map(int, table)) for table in drawn]


@pytest.mark.parametrize(
    ("samples", "discordance", "effect"),
    [(60, 0.2, 0.15), (164, 0.05, 0.04), (865, 0.1, 0.03), (1_319, 0.1, 0.0), (2_609, 0.3, 0.03), (40, 0.1, 0.1)],
)
def test_the_power_of_the_exact_test_is_the_rate_at_which_it_rejects(samples, discordance, effect):
    rejected = np.mean([mcnemar(counts).p_value <= 0.05 for counts in tables(samples, discordance, effect)])
    assert mcnemar_power(samples, discordance, effect) == pytest.approx(rejected, abs=0.02)


@pytest.mark.parametrize(("samples", "discordance"), [(164, 0.2), (1_319, 0.05), (1_319, 0.3), (5_000, 0.1)])
def test_what_is_detectable_is_found_as_often_as_claimed(samples, discordance):
    exact, usual = mcnemar_detectable_effect(samples, discordance), detectable_effect(samples, discordance)
    assert exact > usual
    found = np.mean([mcnemar(counts).p_value <= 0.05 for counts in tables(samples, discordance, exact)])
    assert found == pytest.approx(0.8, abs=0.025)
    mid_p = np.mean([mcnemar(counts, mid_p=True).p_value <= 0.05 for counts in tables(samples, discordance, usual)])
    assert mid_p == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("samples", "discordance"), [(541, 0.1), (1_319, 0.05), (1_319, 0.3)])
def test_margins_are_shown_as_often_as_claimed(samples, discordance):
    error = discordance_deviation(discordance) / samples**0.5
    drawn = tables(samples, discordance, 0.0)
    for test, both_ways in ((non_inferiority, False), (equivalence, True)):
        margin = smallest_margin(error, both_ways=both_ways)
        shown = np.mean([test(counts, margin).p_value <= 0.05 for counts in drawn])
        assert shown == pytest.approx(0.8, abs=0.04)


@given(st.integers(50, 3_000), st.floats(0.02, 0.5))
def test_the_smallest_effect_needs_as_many_samples(samples, discordance):
    effect = detectable_effect(samples, discordance)
    if effect is not None:
        assert abs(samples_needed(effect, discordance_deviation(discordance, effect)) - samples) <= 1


@pytest.mark.parametrize(("discordance", "samples"), [(0.05, 463), (0.10, 920), (0.20, 1_800)])
def test_the_exact_test_needs_more_samples(discordance, samples):
    assert mcnemar_samples_needed(0.03, discordance) == samples
    assert mcnemar_power(samples, discordance, 0.03) >= 0.8
    assert mcnemar_power(samples - 1, discordance, 0.03) < 0.8
    assert mcnemar_samples_needed(-0.03, discordance) == samples


def test_few_samples_find_nothing():
    # two of forty differ: no result of two samples is significant
    assert mcnemar_detectable_effect(40, 0.05) is None
    assert detectable_effect(40, 0.05) is None
    assert mcnemar_power(5, 1.0, 1.0) == 0
    assert mcnemar_power(6, 1.0, 1.0) == 1


@pytest.mark.parametrize(("discordance", "effect"), [(0, 0), (1.1, 0), (0.1, 0.2), (float("nan"), 0)])
def test_what_cannot_be_is_refused(discordance, effect):
    with pytest.raises(ValueError, match=r"expected \|effect\| <= discordance <= 1, > 0"):
        mcnemar_power(100, discordance, effect)
