"""Selects the rows of a dataset to evaluate: equally many of each category, or in proportion."""

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.fields import Sampling

T = TypeVar("T")
Shares = Mapping[Hashable, int]


def chosen(categories: Sequence[Hashable], limit: int, sampling: Sampling, *, seed: int = 0) -> list[int]:
    """Choose rows.

    Args:
        categories: The category of each row.
        limit: The number of rows; all, if there are fewer.
        sampling: `balanced`: equally many of each category; a category's shortfall is given to the others.
            `stratified`: in proportion to their sizes, and at least one of each category if the limit allows.
        seed: The seed that decides which rows of a category are taken.

    Returns:
        The positions of exactly `min(limit, len(categories))` rows, in order. They depend only on the arguments.
    """
    places: dict[Hashable, list[int]] = {}
    for place, category in enumerate(categories):
        places.setdefault(category, []).append(place)
    sizes = {category: len(of) for category, of in places.items()}
    shares = SHARES[sampling](sizes, min(limit, len(categories)))
    rng = random.Random(seed)  # noqa: S311 - no secret
    return sorted(place for category, of in places.items() for place in rng.sample(of, shares[category]))


def shaped(items: Sequence[T], categories: Sequence[Hashable] | None, config: BenchmarkConfig) -> list[T]:
    """Select and order items as a declaration says: first sampling by category, then the shuffle, then the limit.

    Args:
        items: The items.
        categories: The category of each; None keeps the first `limit` of them.
        config: The declaration. Without a limit everything is kept, whatever the sampling.
    """
    kept = list(items)
    if categories is not None and config.sampling and config.limit:
        kept = [kept[place] for place in chosen(categories, config.limit, config.sampling, seed=config.seed)]
    if config.shuffle:
        random.Random(config.seed).shuffle(kept)  # noqa: S311 - no secret
    return kept[: config.limit]


def balanced(sizes: Shares, total: int) -> Shares:
    """Share a total equally among categories; a category's shortfall is given to the others.

    Categories that are not taken whole differ by at most one.
    """
    shares, left = {}, total
    smallest_first = sorted(sizes, key=lambda category: sizes[category])
    for behind, category in zip(range(len(sizes), 0, -1), smallest_first, strict=True):
        shares[category] = min(sizes[category], left // behind)
        left -= shares[category]
    return shares


def stratified(sizes: Shares, total: int) -> Shares:
    """Share a total in proportion to the categories' sizes, by largest remainder.

    Each category gets at least one if the total allows, at the expense of those with the most to spare. If remainders
    are equal, the first category wins.
    """
    whole = sum(sizes.values())
    shares = {category: total * size // whole for category, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda category: -(total * sizes[category] % whole))
    for category in by_remainder[: total - sum(shares.values())]:
        shares[category] += 1
    if total >= len(sizes):
        for category in [category for category in sizes if not shares[category]]:
            # Above its exact share by most: the one that rounding, or the rule itself, favours.
            donors = [each for each in sizes if shares[each] > 1]
            donor = max(donors, key=lambda each: shares[each] * whole - total * sizes[each])
            shares[donor] -= 1
            shares[category] = 1
    return shares


SHARES: Mapping[Sampling, Callable[[Shares, int], Shares]] = {"balanced": balanced, "stratified": stratified}
