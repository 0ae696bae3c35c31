"""How many samples a comparison needs and what it can show; and whether a run is no worse than another, or equivalent.

Effects, margins, standard errors and deviations are in one unit, the scores': for scores of 0 and 1, three points of
accuracy are 0.03. All of them are of the difference of two runs on the same samples.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from openbench_analysis.statistics.means import upper_tail
from openbench_analysis.statistics.proportions import PairedCounts, tango_z
from openbench_analysis.statistics.results import Estimate, Significance, normal_quantile


def discordance_deviation(discordance: float, effect: float = 0.0) -> float:
    """Return the standard deviation of the differences of two runs with scores of 0 and 1.

    Args:
        discordance: The share of samples whose scores differ, from 0 to 1.
        effect: The difference in accuracy, from -discordance to discordance.

    Raises:
        ValueError: The discordance is not from 0 to 1, or the effect is beyond it.
    """
    if not abs(effect) <= discordance <= 1:
        raise ValueError(f"discordance={discordance!r}, effect={effect!r}: expected |effect| <= discordance <= 1.")
    return math.sqrt(discordance - effect**2)


def minimum_detectable_effect(standard_error: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Return the smallest true difference that a comparison finds with this probability.

    Source: Miller 2024, Adding error bars to evals, arXiv 2411.00640, power analysis: (z of 1 - alpha / 2 + z of the
    power) times the standard error of the difference.

    Args:
        standard_error: The standard error of the difference.
        power: The probability of finding it.
        level: One less the two-sided significance level.

    Raises:
        ValueError: The standard error is negative, or power or level is not between 0 and 1.
    """
    if not standard_error >= 0:
        raise ValueError(f"standard_error={standard_error!r}: expected 0 or more.")
    return _quantiles(power, level) * standard_error


def detectable_effect(samples: float, discordance: float, *, power: float = 0.8, level: float = 0.95) -> float | None:
    """Return the smallest true difference in accuracy that `samples` samples detect with this probability.

    It is the effect for which `samples_needed` returns this number of samples.

    Args:
        samples: The number of samples; of samples in clusters, divided by the design effect.
        discordance: The share of samples whose scores differ.
        power: The probability of finding it.
        level: One less the two-sided significance level.

    Returns:
        The difference; None if it would be larger than the discordance, beyond which none can be.

    Raises:
        ValueError: Power or level is not between 0 and 1.
    """
    quantiles = _quantiles(power, level)
    effect = quantiles * math.sqrt(discordance / (samples + quantiles**2))
    return effect if effect <= discordance else None


def smallest_margin(
    standard_error: float, *, both_ways: bool = False, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest margin by which an equally good run is shown not to be worse with this probability.

    Source: the two one-sided tests of Schuirmann 1987, see `equivalence`, with the normal form of their power: Phillips
    1990, Power of the two one-sided tests procedure in bioequivalence, Journal of Pharmacokinetics and Biopharmaceutics
    18.

    Args:
        standard_error: The standard error of the difference.
        both_ways: Whether it is to be shown that the run is not better by the margin either: `equivalence`.
        power: The probability of showing it.
        alpha: The one-sided significance level.

    Raises:
        ValueError: The standard error is negative, or power or alpha is not between 0 and 1.
    """
    shown = (1 + power) / 2 if both_ways else power
    return minimum_detectable_effect(standard_error, power=shown, level=1 - 2 * alpha)


def power_of(effect: float, standard_error: float, *, level: float = 0.95) -> float:
    """Return the probability that a two-sided test finds a true difference.

    Source: Miller 2024, arXiv 2411.00640, power analysis.

    Args:
        effect: The true difference.
        standard_error: The standard error of the difference.
        level: One less the two-sided significance level.

    Raises:
        ValueError: The standard error is not positive, or the level is not between 0 and 1.
    """
    if not standard_error > 0:
        raise ValueError(f"standard_error={standard_error!r}: expected more than 0.")
    z, distance = normal_quantile(level), effect / standard_error
    return float(ndtr(distance - z) + ndtr(-distance - z))


def samples_needed(effect: float, deviation: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Return how many samples find a true difference with this probability.

    Source: Miller 2024, arXiv 2411.00640, its sample-size formula for one epoch.

    Args:
        effect: The true difference.
        deviation: The standard deviation of the differences, from `discordance_deviation` or `epochs_deviation`.
        power: The probability of finding it.
        level: One less the two-sided significance level.

    Raises:
        ValueError: The effect is 0, or power or level is not between 0 and 1.
    """
    if not effect:
        raise ValueError("effect=0: no number of samples finds a difference that does not exist.")
    return _whole((_quantiles(power, level) * deviation / effect) ** 2)


def samples_needed_for_margin(
    margin: float, deviation: float, *, effect: float = 0.0, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Return how many samples show with this probability that a run is worse by less than a margin.

    Source: the one-sided test of Schuirmann 1987, see `non_inferiority`.

    Args:
        margin: How much worse is not bad enough to matter, above 0.
        deviation: The standard deviation of the differences.
        effect: The true difference: 0 if the runs are equally good.
        power: The probability of showing it.
        alpha: The one-sided significance level.

    Raises:
        ValueError: The true difference is as bad as the margin, or power or alpha is not between 0 and 1.
    """
    if not margin + effect > 0:
        raise ValueError(f"margin={margin!r}, effect={effect!r}: expected a difference above minus the margin.")
    return _whole((_quantiles(power, 1 - 2 * alpha) * deviation / (margin + effect)) ** 2)


@dataclass(frozen=True)
class Components:
    """Where the variance of the differences of two runs comes from.

    Attributes:
        between: The variance of the true differences of samples.
        within: The variance of one epoch's difference within a sample: both runs' noise.
    """

    between: float
    within: float


def components_of(before: npt.ArrayLike, after: npt.ArrayLike) -> Components:
    """Estimate the components of variance from runs with several epochs.

    Source: Miller 2024, arXiv 2411.00640, resampling and power analysis: the law of total variance; estimated by the
    analysis of variance. A negative estimate of the variance between samples is 0.

    Args:
        before: The scores of the first run, shape (n, epochs).
        after: The scores of the second run on the same samples, shape (n, its epochs).

    Raises:
        ValueError: There are fewer than two samples or epochs, the samples' numbers differ, or a score is not finite.
    """
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    shapes = (first.shape, second.shape)
    if any(len(shape) != 2 or min(shape) < 2 for shape in shapes) or len(first) != len(second):  # noqa: PLR2004
        raise ValueError(f"components_of: shapes {shapes}: expected two samples and two epochs or more of each run.")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("components_of: some scores are NaN or infinite: leave these samples out.")
    noise = [float(scores.var(axis=1, ddof=1).mean()) for scores in (first, second)]
    of_means = float((second.mean(axis=1) - first.mean(axis=1)).var(ddof=1))
    between = of_means - noise[0] / first.shape[1] - noise[1] / second.shape[1]
    return Components(max(between, 0.0), sum(noise))


def epochs_deviation(components: Components, epochs: int) -> float:
    """Return the standard deviation of the differences if each sample has this many epochs, averaged.

    Source: Miller 2024, arXiv 2411.00640, power analysis.

    Args:
        components: The components of variance.
        epochs: The number of epochs of both runs.

    Raises:
        ValueError: There is not at least one epoch.
    """
    if epochs < 1:
        raise ValueError(f"epochs={epochs!r}: expected 1 or more.")
    return math.sqrt(components.between + components.within / epochs)


def epochs_needed(
    effect: float, samples: int, components: Components, *, power: float = 0.8, level: float = 0.95
) -> int | None:
    """Return how many epochs find a true difference with this probability; None if no number of them does.

    Source: Miller 2024, arXiv 2411.00640, its sample-size formula, solved for the epochs.

    Args:
        effect: The true difference.
        samples: The number of samples.
        components: The components of variance.
        power: The probability of finding it.
        level: One less the two-sided significance level.

    Raises:
        ValueError: Power or level is not between 0 and 1.
    """
    room = samples * (effect / _quantiles(power, level)) ** 2 - components.between
    if room <= 0:
        return None
    return max(_whole(components.within / room), 1)


def non_inferiority(observed: Estimate | PairedCounts, margin: float) -> Significance:
    """Test whether the second run is worse than the first by less than a margin, one-sided.

    A p-value of 0.05 or less shows it: then the 90 % interval lies above minus the margin. Counts of 0/1 scores use
    Tango's score, which also holds where few samples, or none, differ; other differences use Student's t, which then
    says too much: there the 90 % interval of `paired_interval` is the one to look at.

    Source: Schuirmann 1987, A comparison of the two one-sided tests procedure and the power approach, Journal of
    Pharmacokinetics and Biopharmaceutics 15; Tango 1998, Statistics in Medicine 17.

    Args:
        observed: The samples of both runs, or the mean of the differences, second less first.
        margin: How much worse is not bad enough to matter: above 0, in the unit of the scores.

    Raises:
        ValueError: The margin is not above 0, or not below 1 where scores are 0 and 1.
    """
    _check_margin(margin)
    if isinstance(observed, PairedCounts):
        return Significance(float(ndtr(-tango_z(observed, -margin))), "Tango, one-sided")
    return Significance(upper_tail(observed.value + margin, observed), "Student's t, one-sided")


def equivalence(observed: Estimate | PairedCounts, margin: float) -> Significance:
    """Test whether two runs differ by less than a margin, either way: two one-sided tests, both of which must hold.

    A p-value of 0.05 or less shows it: then the 90 % interval lies within minus and plus the margin.

    Source: Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15; Tango 1998, Statistics in Medicine 17.

    Args:
        observed: The samples of both runs, or the mean of the differences, second less first.
        margin: The difference that would matter: above 0, in the unit of the scores.

    Raises:
        ValueError: The margin is not above 0, or not below 1 where scores are 0 and 1.
    """
    no_worse = non_inferiority(observed, margin)
    if isinstance(observed, PairedCounts):
        no_better = float(ndtr(tango_z(observed, margin)))
    else:
        no_better = upper_tail(margin - observed.value, observed)
    return Significance(max(no_worse.p_value, no_better), no_worse.method.replace("one-sided", "two one-sided tests"))


def _quantiles(power: float, level: float) -> float:
    if not 0 < power < 1:
        raise ValueError(f"power={power!r}: expected a number between 0 and 1, such as 0.8.")
    return normal_quantile(level) + float(ndtri(power))


def _whole(number: float) -> int:
    """Return the next whole number; what is whole but for rounding stays."""
    return math.ceil(number - 1e-9)


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"margin={margin!r}: expected a difference above 0, in the unit of the scores.")
