"""What the baselines say where options are ranked: log-probabilities of one that knows, draws or cannot tell."""

import math
import random
from collections.abc import Sequence
from string import ascii_uppercase

from openbench.datasets import content_digest
from openbench.scorers.mcq import extract_mcq_answer
from openbench.scorers.ranking import byte_count
from openbench.scorers.ranking_request import RankingRequest

_BYTE = 8 * math.log(2)
"""What a byte costs a model that holds all bytes for equally probable, as a natural logarithm."""

_MARGIN = 5 * _BYTE
"""More than `_BYTE` for each of the up to four bytes of a character: no normalisation turns the order around."""


def preferring(best: int, continuations: Sequence[str], *, byte: float = 0.0) -> list[float]:
    """Return log-probabilities of which one is the highest, also divided by characters or bytes.

    Args:
        best: The index of the most probable continuation.
        continuations: The texts.
        byte: What a byte of the most probable one costs; without cost its log-probability is 0.
    """
    cost = byte * byte_count(continuations[best])
    costs = [cost + _MARGIN * byte_count(text) for text in continuations]
    costs[best] = cost
    return [0.0 - cost for cost in costs]  # no minus zero


def undecided(continuations: Sequence[str]) -> list[float]:
    """Return one log-probability for all continuations: 8 bits for each byte of the longest."""
    return [-_BYTE * max(map(byte_count, continuations))] * len(continuations)


def drawn(request: RankingRequest, seed: int) -> list[float]:
    """Return log-probabilities that prefer a continuation by chance; the seed and the request decide which."""
    messages = [(message.role, message.text) for message in request.messages]
    chance = random.Random(content_digest([seed, messages, list(request.continuations)]))  # noqa: S311 - no secret
    return preferring(chance.randrange(len(request.continuations)), request.continuations, byte=_BYTE)


def announced(request: RankingRequest, answer: str) -> list[float]:
    """Return log-probabilities that prefer what an answer names: a continuation's text, or its letter in order."""
    texts = [text.strip() for text in request.continuations]
    letters = ascii_uppercase[: len(texts)]
    if answer.strip() in texts:
        return preferring(texts.index(answer.strip()), request.continuations, byte=_BYTE)
    letter = extract_mcq_answer(answer, letters, texts[: len(letters)])
    if letter is None:
        return undecided(request.continuations)
    return preferring(letters.index(letter), request.continuations, byte=_BYTE)
