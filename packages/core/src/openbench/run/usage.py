"""Sums of the tokens that were used."""

from collections.abc import Iterable, Mapping

from inspect_ai.model import ModelUsage


def total(usages: Iterable[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
    """Sum up usage that is given by name: of a model, or of a role."""
    summed: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, used in usage.items():
            summed[name] = summed[name] + used if name in summed else used
    return summed
