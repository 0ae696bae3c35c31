"""Scores all sequences: groups, batches, memory, and completion."""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
import torch

from openbench_loglikelihood.encoding import Encoded
from openbench_loglikelihood.local.forward import Forward, Prefix, Scored
from openbench_loglikelihood.local.prefix_tree import Budget, Group, PrefixTree, Row, batches
from openbench_loglikelihood.request import RequestError

T = TypeVar("T")


@dataclass(slots=True)
class Work:
    """Counts of a run's computation.

    Attributes:
        distinct: Distinct tokens that the model has to read.
        computed: Tokens that it read, padding included.
        forwards: Forward passes.
        halvings: How often the budget was halved because memory ran out.
    """

    distinct: int = 0
    computed: int = 0
    forwards: int = 0
    halvings: int = 0


class Scoring:
    """Scores sequences; once a sequence's index is yielded, its sum is in `sums` and its flag in `greedy`.

    Args:
        forward: The model.
        encoded: The sequences.
        budget: How much is computed together; permanently halved when memory runs out.
        trees: Whether the model reads packed trees and cached prefixes; otherwise each row is a chain.
        work: The counts to update.
    """

    def __init__(
        self, forward: Forward, encoded: Sequence[Encoded], budget: Budget, *, trees: bool, work: Work | None = None
    ) -> None:
        self.forward, self.encoded, self.budget, self.trees = forward, encoded, budget, trees
        self.work = work or Work()
        self.sums = np.zeros(len(encoded))
        self.greedy = np.ones(len(encoded), np.bool_)
        self._left = np.array([item.scored for item in encoded], np.int64)
        self._tree = PrefixTree(encoded)

    def __iter__(self) -> Iterator[int]:
        """Yield the index of each sequence once it is scored.

        Raises:
            OpenbenchError: A log-probability is NaN, or memory does not suffice for one sequence alone.
        """
        if not self.encoded:
            return
        self.work.distinct += self._tree.distinct
        if self.trees:
            yield from self._group(self._tree.groups(self.budget, self.budget.batch // 8), Prefix())
        else:
            yield from self._rows(self._tree.order, Prefix())

    def _group(self, group: Group, prefix: Prefix) -> Iterator[int]:
        if group.depth > group.start:
            for scored, longer in self._extended(self._tree.prefix(group), prefix):
                yield from self._record(scored)
                prefix = longer
        yield from self._rows(group.own, prefix)
        for inner in sorted(group.inner, key=lambda inner: -inner.depth):
            yield from self._group(inner, prefix)

    def _extended(self, row: Row, prefix: Prefix) -> Iterator[tuple[Scored, Prefix]]:
        """Compute a prefix in parts that fit the budget."""
        done = 0
        while done < len(row.tokens):
            part = _part(row, done, min(done + self.budget.batch, len(row.tokens)))
            result = self._tried(partial(self.forward.extend, part, prefix), len(part.tokens))
            if result is not None:
                yield result
                prefix = result[1]
                done += len(part.tokens)
            elif len(part.tokens) > 1:
                self._shrink()
            else:
                raise self._too_large(row)

    def _rows(self, sequences: Sequence[int], prefix: Prefix) -> Iterator[int]:
        """Score sequences after a prefix, in batches; sequences of a failed batch are planned again."""
        waiting = [sequence for sequence in sequences if len(self.encoded[sequence].tokens) - 1 > prefix.length]
        while waiting:
            rows = self._tree.rows(waiting, prefix.length, self.budget, chains=not self.trees)
            for batch in batches(rows, prefix.length, self.budget):
                size = len(batch) * len(batch[0].tokens)
                scored = self._tried(partial(self._scored, batch, prefix), size)
                done = {sequence for row in batch for sequence in row.sequences}
                if scored is not None:
                    yield from self._record(scored)
                elif len(batch) > 1:
                    self._shrink()
                    break
                else:
                    yield from self._halves(batch[0], prefix)
                waiting = [sequence for sequence in waiting if sequence not in done]

    def _halves(self, row: Row, prefix: Prefix) -> Iterator[int]:
        """Score the sequences of a row that is too large, in halves."""
        if len(row.sequences) == 1:
            raise self._too_large(row)
        self.work.halvings += 1
        middle = len(row.sequences) // 2
        yield from self._rows(row.sequences[:middle], prefix)
        yield from self._rows(row.sequences[middle:], prefix)

    def _scored(self, batch: list[Row], prefix: Prefix) -> Scored:
        return self.forward.trees(batch, prefix) if self.trees else self.forward.chains(batch)

    def _tried(self, compute: Callable[[], T], size: int) -> T | None:
        """Return what a forward pass computes, or None if memory ran out."""
        try:
            result = compute()
        except RuntimeError as error:
            if not _out_of_memory(error):
                raise
        else:
            self.work.forwards += 1
            self.work.computed += size
            return result
        # The memory of the failed pass is released only once its exception is gone.
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return None

    def _shrink(self) -> None:
        self.budget = self.budget.halved()
        self.work.halvings += 1

    def _too_large(self, row: Row) -> RequestError:
        item = self.encoded[row.sequences[0]]
        return RequestError(
            item.request,
            f"memory does not suffice for this request alone ({len(item.tokens)} tokens). Use a smaller dtype, a "
            "device with more memory, or a shorter context.",
        )

    def _culprit(self, sequences: list[int]) -> int:
        """Return the first sequence whose log-probability is NaN by itself; in a row, NaN spreads to its neighbours."""
        for sequence in sequences:
            alone = self.forward.chains(self._tree.rows([sequence], 0, self.budget, chains=True))
            if np.isnan(alone.logprobs).any():
                return sequence
        return sequences[0]

    def _record(self, scored: Scored) -> Iterator[int]:
        bad = np.flatnonzero(np.isnan(scored.logprobs))
        if len(bad):
            item = self.encoded[self._culprit(np.unique(scored.owners[bad]).tolist())]
            raise RequestError(
                item.request,
                "the model's logits are NaN. Load it with another dtype (float16 overflows where bfloat16 and float32 "
                "do not), or check its weights.",
            )
        np.add.at(self.sums, scored.owners, scored.logprobs)
        np.logical_and.at(self.greedy, scored.owners, scored.greedy)
        np.subtract.at(self._left, scored.owners, 1)
        touched = np.unique(scored.owners)
        yield from touched[self._left[touched] == 0].tolist()


def _part(row: Row, start: int, end: int) -> Row:
    """Return a section of a row that is a single chain."""
    inside = (row.places >= start) & (row.places < end)
    return replace(
        row,
        tokens=row.tokens[start:end],
        depths=row.depths[start:end],
        ends=np.full(end - start, end - start),
        places=row.places[inside] - start,
        targets=row.targets[inside],
        owners=row.owners[inside],
    )


def _out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error)
