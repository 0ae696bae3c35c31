"""The power of the exact McNemar test, computed from the binomial distributions and not from the normal one.

The formulas of `power` are of the normal approximation. The exact test, which is the default for scores of 0 and 1,
finds somewhat less, most of all where few samples differ.
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from openbench_analysis.statistics.power import discordance_deviation, samples_needed
from openbench_analysis.statistics.results import checked_level

_TAIL = 1e-10
_STEPS = 30
"""Halvings of the range from no difference to the discordance: an effect is exact to 1e-9."""


def mcnemar_power(samples: int, discordance: float, effect: float, *, level: float = 0.95) -> float:
    """Return the probability that the exact two-sided McNemar test finds a true difference.

    Source: the number of discordant samples is binomial, and given it, so is the number of those that the second run
    wins; Duffy 1984, Asymptotic and exact power for the McNemar test and its analogue with R controls per case,
    Biometrics 40.

    Args:
        samples: The number of samples.
        discordance: The share of samples whose scores differ, above 0.
        effect: The true difference in accuracy, from -discordance to discordance.
        level: One less the significance level.

    Raises:
        ValueError: The discordance is not above 0 and at most 1, the effect is beyond it, or the level is not between 0
            and 1.
    """
    if not (0 < discordance <= 1 and abs(effect) <= discordance):
        raise ValueError(f"discordance={discordance!r}, effect={effect!r}: expected |effect| <= discordance <= 1, > 0.")
    tail = (1 - checked_level(level)) / 2
    least, most = binom.ppf([_TAIL, 1 - _TAIL], samples, discordance)
    differ = np.arange(least, most + 1)
    limit = binom.ppf(tail, differ, 0.5)  # the test rejects below or at the largest count of a probability up to `tail`
    limit = np.where(binom.cdf(limit, differ, 0.5) <= tail, limit, limit - 1)
    wins = (discordance + effect) / (2 * discordance)
    rejected = binom.cdf(limit, differ, wins) + binom.sf(differ - limit - 1, differ, wins)
    return float(binom.pmf(differ, samples, discordance) @ rejected)


def mcnemar_detectable_effect(
    samples: int, discordance: float, *, power: float = 0.8, level: float = 0.95
) -> float | None:
    """Return the smallest true difference in accuracy that the exact McNemar test finds with this probability.

    Args:
        samples: The number of samples.
        discordance: The share of samples whose scores differ, above 0.
        power: The probability of finding it.
        level: One less the significance level.

    Returns:
        The difference; None if even one as large as the discordance is not found.
    """
    if mcnemar_power(samples, discordance, discordance, level=level) < power:
        return None
    low, high = 0.0, discordance
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = mcnemar_power(samples, discordance, middle, level=level) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def mcnemar_samples_needed(effect: float, discordance: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Return how many samples the exact McNemar test needs to find a true difference with this probability.

    Power rises with the samples in small steps up and down; this is a number at which it reaches what is asked.

    Args:
        effect: The true difference in accuracy.
        discordance: The share of samples whose scores differ, at least as large as the difference.
        power: The probability of finding it.
        level: One less the significance level.

    Raises:
        ValueError: The effect is 0 or beyond the discordance, or power or level is not between 0 and 1.
    """
    approximate = samples_needed(effect, discordance_deviation(discordance, effect), power=power, level=level)

    def enough(samples: int) -> bool:
        return mcnemar_power(samples, discordance, effect, level=level) >= power

    most = approximate + 1
    while not enough(most):
        most *= 2
    return _first(enough, most)


def _first(enough: Callable[[int], bool], most: int) -> int:
    low = 0
    while most - low > 1:
        middle = (low + most) // 2
        low, most = (low, middle) if enough(middle) else (middle, most)
    return most
