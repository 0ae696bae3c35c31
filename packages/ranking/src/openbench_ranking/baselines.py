"""Baselines for ranked options: log-probabilities that prefer one option, or none."""

import math
import random
from collections.abc import Sequence
from string import ascii_uppercase

from openbench.baselines.models import BaselineAPI, not_asked
from openbench.datasets import content_digest
from openbench.scorers.mcq import extract_mcq_answer
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.request import RankingRequest
from openbench_ranking.scorer import byte_count

_BYTE = 8 * math.log(2)
"""The cost of a byte to a model for which all bytes are equally probable, as a natural logarithm."""

_MARGIN = 5 * _BYTE
"""More than `_BYTE` for each of the up to four bytes of a character: no normalisation turns the order around."""


class BaselineRanker:
    """Ranks options as a model `baseline/…` would answer.

    `random` prefers an option at random, and `constant` the one that its answer names; `empty` and `echo` consider all
    options equally probable.
    """

    def __init__(self, api: BaselineAPI) -> None:
        self._api = api

    async def loglikelihoods(self, request: RankingRequest) -> list[ContinuationScore]:
        """Rank options; see `openbench_ranking.request.Ranker`."""
        match self._api.model_name:
            case "random":
                return drawn(request, self._api.seed)
            case "constant":
                return announced(request, self._api.answer)
            case "empty" | "echo":
                return undecided(request.continuations)
            case name:
                raise not_asked(name)


class BaselineReader:
    """Reads whole texts as a model for which all bytes are equally probable, whatever the baseline."""

    async def rolling_loglikelihood(self, text: str) -> ContinuationScore:
        """Read a text; see `openbench_ranking.perplexity.RollingRanker`."""
        return ContinuationScore(-_BYTE * len(text.encode("utf-8", "surrogatepass")))


def preferring(best: int, continuations: Sequence[str], *, byte: float = 0.0) -> list[ContinuationScore]:
    """Return log-probabilities whose highest is the given one's, also when divided by characters or bytes.

    A continuation is `greedy` only if its probability is 1.

    Args:
        best: The index of the most probable continuation.
        continuations: The texts.
        byte: The cost of a byte of the most probable one; by default its log-probability is 0.
    """
    cost = byte * byte_count(continuations[best])
    costs = [cost + _MARGIN * byte_count(text) for text in continuations]
    costs[best] = cost
    return [ContinuationScore(0.0 - cost, greedy=cost == 0) for cost in costs]  # no minus zero


def undecided(continuations: Sequence[str]) -> list[ContinuationScore]:
    """Return one log-probability for all continuations: 8 bits for each byte of the longest."""
    return [ContinuationScore(-_BYTE * max(map(byte_count, continuations)), greedy=False)] * len(continuations)


def drawn(request: RankingRequest, seed: int) -> list[ContinuationScore]:
    """Return log-probabilities that prefer a random continuation, determined by the seed and the request."""
    messages = [(message.role, message.text) for message in request.messages]
    chance = random.Random(content_digest([seed, messages, list(request.continuations)]))  # noqa: S311 - not a secret
    return preferring(chance.randrange(len(request.continuations)), request.continuations, byte=_BYTE)


def announced(request: RankingRequest, answer: str) -> list[ContinuationScore]:
    """Return log-probabilities that prefer the continuation that an answer names by its text or its letter."""
    texts = [text.strip() for text in request.continuations]
    letters = ascii_uppercase[: len(texts)]
    if answer.strip() in texts:
        return preferring(texts.index(answer.strip()), request.continuations, byte=_BYTE)
    letter = extract_mcq_answer(answer, letters, texts[: len(letters)])
    if letter is None:
        return undecided(request.continuations)
    return preferring(letters.index(letter), request.continuations, byte=_BYTE)
