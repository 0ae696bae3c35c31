import math

import numpy as np
import pytest

from openbench.errors import UsageError
from openbench_analysis.planning import DISCORDANCES, Request, Target, Variability, plan
from openbench_analysis.statistics import Components, mean_of, t_test

GSM8K = Target("gsm8k", 1_319)


def assumed(share, within=None):
    return Variability.of_discordance(share, within)


@pytest.mark.parametrize(("discordance", "samples"), [(0.10, 865), (0.15, 1301), (0.20, 1737), (0.30, 2609)])
def test_three_points_need_the_known_numbers_of_samples(discordance, samples):
    [found] = plan(Request(effect=0.03), [(Target(None, None), assumed(discordance))])
    assert found.samples_needed == samples
    assert found.samples_needed_exact > samples
    assert (found.power, found.difference, found.epochs_needed) == (None, None, None)
    [again] = plan(Request(effect=0.03), [(Target(None, samples), assumed(discordance))])
    assert again.power == pytest.approx(0.8, abs=1e-3)
    assert again.difference == pytest.approx(0.03, abs=2e-5)


def test_more_samples_and_fewer_differences_show_more():
    found = plan(Request(), [(GSM8K, assumed(share)) for share in DISCORDANCES])
    assert [each.difference for each in found] == sorted(each.difference for each in found)
    for each in found:
        assert each.no_worse_by < each.equivalent_within
        assert each.difference < each.difference_exact
    [larger] = plan(Request(), [(Target("mmlu", 14_042), assumed(0.1))])
    assert larger.difference < found[1].difference


def test_epochs_take_away_the_noise_within_samples_and_nothing_else():
    found = plan(Request(effect=0.03), [(GSM8K, assumed(0.3, within=0.5))])
    assert [each.epochs for each in found] == [1, 2, 4, 8]
    first, *_, last = found
    assert first.deviation == pytest.approx(math.sqrt(0.3))
    assert last.deviation == pytest.approx(math.sqrt(0.15 + 0.15 / 8))
    assert first.power < last.power
    needed = last.epochs_needed
    [enough] = plan(Request(effect=0.03), [(GSM8K, assumed(0.3, within=0.5))], [needed])
    [too_few] = plan(Request(effect=0.03), [(GSM8K, assumed(0.3, within=0.5))], [needed - 1])
    assert too_few.power < 0.8 <= enough.power
    [never] = plan(Request(effect=0.03), [(GSM8K, assumed(0.3, within=0.1))], [1])
    assert never.epochs_needed is None


def test_the_power_of_epochs_is_the_rate_at_which_the_test_rejects():
    rng, samples, epochs, effect = np.random.default_rng(0), 300, 4, 0.05
    between, within = 0.05, 0.2
    shown = []
    for _ in range(2_000):
        true = rng.normal(effect, math.sqrt(between), samples)
        noise = rng.normal(0, math.sqrt(within / epochs), samples)
        shown.append(t_test(mean_of(true + noise)).p_value <= 0.05)
    graded = Variability(components=Components(between, within), pilot="a and b")
    [found] = plan(Request(effect=effect), [(Target(None, samples), graded)], [epochs])
    assert found.power == pytest.approx(np.mean(shown), abs=0.025)
    assert found.difference_exact is None


def test_a_difference_cannot_exceed_the_share_that_differs():
    [found] = plan(Request(effect=0.06), [(GSM8K, assumed(0.05))])
    assert (found.power, found.samples_needed) == (None, None)
    [few] = plan(Request(), [(Target(None, 40), assumed(0.05))])
    assert (few.difference, few.difference_exact) == (None, None)
    assert few.no_worse_by > 0.05


def test_epochs_of_which_nothing_is_known_are_refused():
    with pytest.raises(UsageError) as raised:
        plan(Request(), [(GSM8K, assumed(0.1))], [4])
    assert str(raised.value) == (
        "--epochs 4: how much of the variance is noise between epochs is not known. Give --within SHARE, or --from "
        "with logs of several epochs."
    )
