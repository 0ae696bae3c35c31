"""Helpers that classes of eval-framework import besides the base class and its metrics."""

from string import ascii_uppercase

RANDOM_SEED = 42
"""The seed of such classes' own random numbers."""


class LogicError(Exception):
    """An error in the code of such a class."""


def get_n_letters(n: int) -> list[str]:
    """Return the first `n` capital letters, 26 at most."""
    return list(ascii_uppercase[: max(n, 0)])
