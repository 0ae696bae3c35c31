"""The exact binomial test: whether a count of successes is consistent with chance.

Clopper and Pearson (1934), https://doi.org/10.1093/biomet/26.4.404. If trials differ in their probability, the tails of
the mean probability are at least as heavy, so the test errs on the side of chance: Hoeffding (1956),
https://doi.org/10.1214/aoms/1177728178.
"""

import math


def at_most(successes: int, trials: int, probability: float) -> float:
    """Return the probability of at most this many successes."""
    return math.fsum(_exactly(count, trials, probability) for count in range(successes + 1))


def at_least(successes: int, trials: int, probability: float) -> float:
    """Return the probability of at least this many successes."""
    return math.fsum(_exactly(count, trials, probability) for count in range(successes, trials + 1))


def interval(trials: int, probability: float, *, outside: float = 0.001) -> tuple[int, int]:
    """Return the smallest and the largest count of successes that the two-sided test accepts as chance.

    Args:
        trials: The number of trials.
        probability: That of a success, 0 to 1.
        outside: The probability of rejecting chance wrongly, half of it on each side.
    """
    counts = range(trials + 1)
    low = next(count for count in counts if at_most(count, trials, probability) > outside / 2)
    high = next(count for count in reversed(counts) if at_least(count, trials, probability) > outside / 2)
    return low, high


def _exactly(successes: int, trials: int, probability: float) -> float:
    if probability in {0.0, 1.0}:
        return float(successes == trials * probability)
    ways = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    return math.exp(ways + successes * math.log(probability) + (trials - successes) * math.log1p(-probability))
