"""Plans what is computed, and in which order: each distinct token once.

Sequences are sorted, so those that share a prefix are neighbours. A prefix that many rows would repeat becomes a
separate `Group`: its keys and values are computed once and cached. The other tokens are packed into `Row`s: each row
is a tree in the order in which a depth-first walk meets its tokens, so that the descendants of a token directly follow
it, and a token sees those before it whose descendants have not ended.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from openbench_loglikelihood.encoding import Encoded
from openbench_loglikelihood.tokenizing import Tokens

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is computed together.

    Attributes:
        batch: Tokens of a batch, padding included.
        row: Tokens of a row; a row grows to `batch` by sequences that share more with it than they add.
        scored: Positions of a batch whose logits are computed.
    """

    batch: int
    row: int
    scored: int

    def halved(self) -> "Budget":
        """Return half of the budget."""
        return Budget(max(1, self.batch // 2), max(1, self.row // 2), max(1, self.scored // 2))


@dataclass(slots=True)
class Group:
    """Sequences that share a prefix.

    Attributes:
        start: Where the prefix of the group around it ends.
        depth: Where its own prefix ends.
        members: All its sequences, sorted; the first one holds the prefix.
        own: Those that are in none of the groups inside it.
        inner: The groups inside it, whose prefixes begin with its own.
    """

    start: int
    depth: int
    members: list[int]
    own: list[int]
    inner: list["Group"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """A packed tree of tokens.

    Attributes:
        tokens: The tokens, in depth-first order.
        depths: The position of each in its sequence.
        ends: For each, the index after its last descendant.
        places: The indexes of the tokens whose next token is scored.
        targets: The next tokens.
        owners: The sequences that they belong to.
        sequences: The sequences of the row.
        forks: Whether it is a tree, and not one chain.
    """

    tokens: Tokens
    depths: Indices
    ends: Indices
    places: Indices
    targets: Indices
    owners: Indices
    sequences: list[int]
    forks: bool


class PrefixTree:
    """The sequences of a run, sorted, with the length of the prefix that each shares with the one before it."""

    def __init__(self, encoded: Sequence[Encoded]) -> None:
        self.encoded = encoded
        self.fed = [item.tokens[:-1] for item in encoded]
        keys = [tokens.astype(">u4").tobytes() for tokens in self.fed]
        self.order = sorted(range(len(encoded)), key=keys.__getitem__)
        self._rank = {sequence: rank for rank, sequence in enumerate(self.order)}
        pairs = pairwise(self.order)
        self._shared = np.array([0, *(_shared(self.fed[a], self.fed[b]) for a, b in pairs)], np.int64)
        self._lengths = np.array([len(self.fed[sequence]) for sequence in self.order], np.int64)

    @property
    def distinct(self) -> int:
        """The number of distinct tokens, given all that precede them, that the model has to read."""
        return int((self._lengths - self._shared).sum())

    def groups(self, budget: Budget, worth: int) -> Group:
        """Return the group of all sequences, with nested groups whose prefixes are worth caching.

        Args:
            budget: How much is computed together.
            worth: The minimum number of tokens that a cached prefix must save.
        """
        everything = Group(0, 0, self.order, [])
        self._divide(everything, 0, len(self.order), budget.row, worth)
        return everything

    def rows(self, sequences: Sequence[int], start: int, budget: Budget, *, chains: bool = False) -> list[Row]:
        """Pack sequences of one group.

        Args:
            sequences: The sequences, sorted; each is longer than the prefix.
            start: The end of the prefix that is already computed.
            budget: How much is computed together.
            chains: Whether each row is a single chain, for models that cannot read trees.
        """
        packed: list[Row] = []
        some: list[tuple[int, int]] = []
        size = 0
        for sequence, shared in self._with_shared(sequences, start):
            added, common = len(self.fed[sequence]) - shared, shared - start
            limit = budget.row if added > common else max(budget.batch, 2 * (len(self.fed[sequence]) - start))
            full = size + added > limit
            if some and (full or (chains and shared < len(self.fed[some[-1][0]]))):
                packed.append(self._row(some, start))
                some, size, added = [], 0, added + common
            some.append((sequence, shared if some else start))
            size += added
        return [*packed, self._row(some, start)] if some else packed

    def prefix(self, group: Group) -> Row:
        """Return the prefix of a group as a row, with all positions that are scored for any of its sequences."""
        start, depth = group.start, group.depth
        scored = [(sequence, *self._scored(sequence, start, depth)) for sequence in group.members]
        length = depth - start
        return Row(
            tokens=self.fed[group.members[0]][start:depth],
            depths=np.arange(start, depth),
            ends=np.full(length, length),
            places=np.concatenate([places for _, places, _ in scored]),
            targets=np.concatenate([targets for _, _, targets in scored]),
            owners=np.concatenate([np.full(len(places), sequence) for sequence, places, _ in scored]),
            sequences=[group.members[0]],
            forks=False,
        )

    def _divide(self, group: Group, low: int, high: int, row: int, worth: int) -> None:
        """Distribute the sequences from `low` to `high` (as ranks) to the group and its nested groups."""
        spans = [(low, high)]
        while spans:
            low, high = spans.pop()
            depth = int(self._shared[low + 1 : high].min()) if high - low > 1 else int(self._lengths[low])
            below = int((self._lengths[low:high] - np.maximum(self._shared[low:high], depth)).sum())
            rows = max(below // row, 1)
            saved = (depth - group.depth) * (rows - 1)
            if saved >= max(1, worth):
                inner = Group(group.depth, depth, self.order[low:high], [])
                group.inner.append(inner)
                self._divide(inner, low, high, row, worth)
            elif (high - low) * int(self._lengths[low:high].max() - group.depth) < worth or high - low == 1:
                group.own.extend(self.order[low:high])
            else:
                cuts = [low, *(low + 1 + np.flatnonzero(self._shared[low + 1 : high] == depth)).tolist(), high]
                spans.extend(reversed(list(pairwise(cuts))))

    def _with_shared(self, sequences: Sequence[int], start: int) -> Iterator[tuple[int, int]]:
        """Yield each sequence with the length of the prefix that it shares with the previous one in the list."""
        before = -1
        for sequence in sequences:
            rank = self._rank[sequence]
            yield sequence, start if before < 0 else int(self._shared[before + 1 : rank + 1].min())
            before = rank

    def _row(self, some: Sequence[tuple[int, int]], start: int) -> Row:
        size = sum(len(self.fed[sequence]) - shared for sequence, shared in some)
        tokens, depths, ends = np.empty(size, np.int32), np.empty(size, np.int64), np.full(size, size)
        path = np.empty(max(len(self.fed[sequence]) for sequence, _ in some) - start, np.int64)
        used = length = 0
        forks = False
        places, targets, owners = [], [], []
        for sequence, shared in some:
            fed, kept = self.fed[sequence], shared - start
            forks = forks or kept < length
            ends[path[kept:length]] = used
            length = len(fed) - start
            end = used + length - kept
            tokens[used:end], depths[used:end] = fed[shared:], np.arange(shared, len(fed))
            path[kept:length] = np.arange(used, end)
            used = end
            at, following = self._scored(sequence, start, len(fed))
            places.append(path[at])
            targets.append(following)
            owners.append(np.full(len(at), sequence))
        joined = np.concatenate(places), np.concatenate(targets), np.concatenate(owners)
        return Row(tokens, depths, ends, *joined, sequences=[sequence for sequence, _ in some], forks=forks)

    def _scored(self, sequence: int, start: int, end: int) -> tuple[Indices, Indices]:
        """Return the places between `start` and `end`, from `start`, whose next token is scored, and those tokens."""
        item = self.encoded[sequence]
        first = max(len(item.tokens) - 1 - item.scored, start)
        last = max(first, min(end, len(item.tokens) - 1))
        return np.arange(first - start, last - start), item.tokens[first + 1 : last + 1].astype(np.int64)


def batches(rows: Sequence[Row], prefix: int, budget: Budget) -> list[list[Row]]:
    """Combine rows into batches, longest first.

    Args:
        rows: The rows.
        prefix: The length of the cached prefix, which counts for each row of a batch.
        budget: How much is computed together; a batch has at least one row.
    """
    combined: list[list[Row]] = []
    width = scored = padding = 0
    for row in sorted(rows, key=lambda row: -len(row.tokens)):
        count = len(combined[-1]) + 1 if combined else 0
        scored, padding = scored + len(row.places), padding + width - len(row.tokens)
        fits = count * width <= budget.batch and count * (prefix + width) <= 8 * budget.batch
        if combined and fits and scored <= budget.scored and padding <= budget.batch // 16:
            combined[-1].append(row)
        else:
            combined.append([row])
            width, scored, padding = len(row.tokens), len(row.places), 0
    return combined


def _shared(a: Tokens, b: Tokens) -> int:
    """Return the length of the common prefix of two sequences."""
    length = min(len(a), len(b))
    different = np.flatnonzero(a[:length] != b[:length])
    return int(different[0]) if len(different) else length
