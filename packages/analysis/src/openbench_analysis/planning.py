"""The power of a comparison of two systems on the same samples, before anything is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from openbench.errors import UsageError
from openbench_analysis.statistics import (
    Components,
    detectable_effect,
    discordance_deviation,
    epochs_deviation,
    epochs_needed,
    minimum_detectable_effect,
    power_of,
    samples_needed,
    smallest_margin,
)
from openbench_analysis.statistics.exact_power import (
    mcnemar_detectable_effect,
    mcnemar_power,
    mcnemar_samples_needed,
)

DISCORDANCES = (0.05, 0.1, 0.15, 0.2, 0.3)
"""Shares of samples whose scores differ between two systems: of two versions of one model, up to unlike models."""

EPOCHS = (1, 2, 4, 8)


@dataclass(frozen=True, kw_only=True)
class Variability:
    """How much the differences of two systems vary from sample to sample.

    Attributes:
        components: The variance of the differences between samples and within; with clusters, the former is multiplied
            by the design effect.
        epochs: The number of epochs that a variance is of whose parts are not known; None if they are known.
        discordance: Where it is from this share of samples whose scores of 0 and 1 differ.
        pilot: What it was measured in, such as two models; None if it is assumed.
        design_effect: That of the pilot's clusters.
    """

    components: Components
    epochs: int | None = None
    discordance: float | None = None
    pilot: str | None = None
    design_effect: float | None = None

    @classmethod
    def of_discordance(cls, share: float, within: float | None = None, pilot: str | None = None) -> "Variability":
        """Return the variability of scores of 0 and 1.

        Args:
            share: The share of samples whose scores differ.
            within: The part of the variance that is noise between epochs, from 0 to 1, if it is known.
            pilot: What the share was measured in.
        """
        components = Components(between=share * (1 - (within or 0.0)), within=share * (within or 0.0))
        return cls(components=components, epochs=1 if within is None else None, discordance=share, pilot=pilot)

    def deviation(self, epochs: int, effect: float = 0.0) -> float:
        """Return the standard deviation of the samples' differences, which a true one leaves less of a discordance."""
        if self.discordance is None:
            return epochs_deviation(self.components, epochs)
        of_one = discordance_deviation(self.discordance, effect) / sqrt(self.discordance)
        return epochs_deviation(self.components, epochs) * of_one

    def possible(self, effect: float) -> bool:
        """Return whether two systems can differ so much."""
        return self.discordance is None or abs(effect) <= self.discordance

    @property
    def exact(self) -> float | None:
        """The discordance, if the exact McNemar test is the default."""
        return self.discordance if not self.components.within else None


@dataclass(frozen=True)
class Target:
    """A benchmark, or a mere number of samples.

    Attributes:
        benchmark: Its name, if there is one.
        samples: How many samples it has; None where that is asked.
    """

    benchmark: str | None
    samples: int | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """The question that a plan answers.

    Attributes:
        effect: A true difference, in the unit of the scores; None to ask what can be found.
        power: The probability of finding it, and of showing a margin.
        alpha: The two-sided significance level; margins are shown at this one-sided level.
    """

    effect: float | None = None
    power: float = 0.8
    alpha: float = 0.05

    @property
    def level(self) -> float:
        """One less the significance level."""
        return 1 - self.alpha


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The power of some samples under one variability. Differences and margins are in the unit of the scores.

    Attributes:
        benchmark: As in `Target`.
        samples: As in `Target`.
        pilot: As in `Variability`.
        discordance: As in `Variability`.
        design_effect: As in `Variability`.
        epochs: The number of epochs of both runs, averaged.
        deviation: The standard deviation of the samples' differences.
        difference: The smallest true difference that is found; None if none can be.
        difference_exact: That which the exact McNemar test finds; None where it is not the default, or finds none.
        no_worse_by: The smallest margin by which an equally good system is shown not to be worse.
        equivalent_within: The smallest margin within which an equally good system is shown to be.
        power: The probability of finding the effect.
        power_exact: That of the exact McNemar test.
        samples_needed: The number of samples that find the effect.
        samples_needed_exact: That of the exact McNemar test.
        epochs_needed: The number of epochs in which these samples find the effect; None if none does, or it is unknown.
    """

    benchmark: str | None
    samples: int | None
    pilot: str | None
    discordance: float | None
    design_effect: float | None
    epochs: int
    deviation: float
    difference: float | None = None
    difference_exact: float | None = None
    no_worse_by: float | None = None
    equivalent_within: float | None = None
    power: float | None = None
    power_exact: float | None = None
    samples_needed: int | None = None
    samples_needed_exact: int | None = None
    epochs_needed: int | None = None


def plan(
    request: Request, cases: Sequence[tuple[Target, Variability]], epochs: Sequence[int] | None = None
) -> list[Figures]:
    """Return what samples can show.

    Args:
        request: What is asked.
        cases: The samples, with how much two systems differ on them.
        epochs: The numbers of epochs; by default one, and `EPOCHS` where the noise between epochs is known.

    Raises:
        UsageError: The noise between epochs is not known for a number of epochs.
    """
    found = []
    for target, variability in cases:
        known = EPOCHS if variability.epochs is None else (variability.epochs,)
        for count in epochs or known:
            if variability.epochs not in {None, count}:
                raise UsageError(
                    f"--epochs {count}: how much of the variance is noise between epochs is not known. Give --within "
                    "SHARE, or --from with logs of several epochs."
                )
            found.append(figures(request, target, variability, count))
    return found


def figures(request: Request, target: Target, variability: Variability, epochs: int) -> Figures:
    """Return what samples can show in one number of epochs."""
    found: dict[str, float | int | None] = {}
    samples = target.samples
    if samples:
        found |= _shown(request, variability, epochs, samples)
    if request.effect and variability.possible(request.effect):
        found |= _needed(request, request.effect, variability, epochs, samples)
    return Figures(
        benchmark=target.benchmark,
        samples=samples,
        pilot=variability.pilot,
        discordance=variability.discordance,
        design_effect=variability.design_effect,
        epochs=epochs,
        deviation=variability.deviation(epochs),
        **found,  # type: ignore[arg-type]
    )


def _shown(request: Request, of: Variability, epochs: int, samples: int) -> dict[str, float | None]:
    deviation, power = of.deviation(epochs), request.power
    error = deviation / sqrt(samples)
    if of.discordance is None:
        difference: float | None = minimum_detectable_effect(error, power=power, level=request.level)
    else:
        independent = samples * of.discordance / deviation**2
        difference = detectable_effect(independent, of.discordance, power=power, level=request.level)
    exact = of.exact and mcnemar_detectable_effect(samples, of.exact, power=power, level=request.level)
    return {
        "difference": difference,
        "difference_exact": exact,
        "no_worse_by": smallest_margin(error, power=power, alpha=request.alpha),
        "equivalent_within": smallest_margin(error, both_ways=True, power=power, alpha=request.alpha),
    }


def _needed(
    request: Request, effect: float, of: Variability, epochs: int, samples: int | None
) -> dict[str, float | int | None]:
    deviation, level, power = of.deviation(epochs, effect), request.level, request.power
    found: dict[str, float | int | None] = {
        "samples_needed": samples_needed(effect, deviation, power=power, level=level),
        "samples_needed_exact": of.exact and mcnemar_samples_needed(effect, of.exact, power=power, level=level),
    }
    if samples:
        found["power"] = power_of(effect, deviation / sqrt(samples), level=level) if deviation else 1.0
        found["power_exact"] = of.exact and mcnemar_power(samples, of.exact, effect, level=level)
    if samples and of.epochs is None:
        scale = (of.deviation(1, effect) / of.deviation(1)) ** 2
        components = Components(of.components.between * scale, of.components.within * scale)
        found["epochs_needed"] = epochs_needed(effect, samples, components, power=power, level=level)
    return found
