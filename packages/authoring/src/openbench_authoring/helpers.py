"""Small things that classes of eval-framework import besides the base class and its metrics."""

from string import ascii_uppercase

RANDOM_SEED = 42
"""What such classes seed random numbers of their own with."""


class LogicError(Exception):
    """What such classes raise where their own code is wrong."""


def get_n_letters(n: int) -> list[str]:
    """Return the first `n` capital letters, 26 at most."""
    return list(ascii_uppercase[: max(n, 0)])
