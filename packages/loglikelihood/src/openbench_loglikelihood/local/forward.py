"""Forward passes over batches of rows; only the scored positions reach the output layer."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache

from openbench_loglikelihood.local.prefix_tree import Indices, Row

_ROWS_OF_LOGITS = 64
"""Positions whose probabilities are normalised together, sized to stay in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The keys and values of a prefix, by layer, each of shape [1, heads, length, size of a head]."""

    layers: Sequence[tuple[torch.Tensor, torch.Tensor]] = ()
    length: int = 0

    def cache(self, rows: int) -> DynamicCache:
        """Return a cache with the prefix for each row of a batch, without copying it."""
        return DynamicCache([(k.expand(rows, -1, -1, -1), v.expand(rows, -1, -1, -1)) for k, v in self.layers])


@dataclass(frozen=True, slots=True)
class Scored:
    """The log-probability of each scored token of a batch, and whether it is the most probable one there."""

    owners: Indices
    logprobs: NDArray[np.float64]
    greedy: NDArray[np.bool_]


class Forward:
    """Runs a model over batches of rows.

    Args:
        model: A causal language model of transformers.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.device = model.get_input_embeddings().weight.device

    def chains(self, rows: Sequence[Row]) -> Scored:
        """Score rows that are chains, padded on the right, where a causal model does not see the padding."""
        ids = self._padded([row.tokens for row in rows], 0)
        return self._run(rows, input_ids=ids, use_cache=False)

    def trees(self, rows: Sequence[Row], prefix: Prefix) -> Scored:
        """Score rows that are trees after a prefix."""
        if not prefix.length and not any(row.forks for row in rows):
            return self.chains(rows)
        inputs = self._inputs(rows, prefix)
        cache = {"past_key_values": prefix.cache(len(rows))} if prefix.length else {}
        return self._run(rows, **inputs, **cache, use_cache=bool(cache))

    def extend(self, row: Row, prefix: Prefix) -> tuple[Scored, Prefix]:
        """Score a chain after a prefix, and return the prefix that ends with it."""
        cache = prefix.cache(1) if prefix.length else DynamicCache()
        scored = self._run([row], **self._inputs([row], prefix), past_key_values=cache, use_cache=True)
        return scored, Prefix([(layer.keys, layer.values) for layer in cache.layers], prefix.length + len(row.tokens))

    def _inputs(self, rows: Sequence[Row], prefix: Prefix) -> dict[str, torch.Tensor]:
        ids = self._padded([row.tokens for row in rows], 0)
        width = ids.shape[1]
        # Padding sees itself, since a row of a mask that allows nothing yields NaN.
        ends = torch.arange(1, width + 1).repeat(len(rows), 1)
        for index, row in enumerate(rows):
            ends[index, : len(row.ends)] = torch.from_numpy(row.ends)
        ends = ends.to(self.device)
        order = torch.arange(width, device=self.device)
        # [rows, 1, width, prefix + width]: a token sees the prefix, and the tokens before it that have not ended.
        allowed = (order[None, :] <= order[:, None]) & (order[:, None] < ends[:, None, :])
        mask = torch.zeros(len(rows), 1, width, prefix.length + width, dtype=self.model.dtype, device=self.device)
        mask[:, 0, :, prefix.length :].masked_fill_(~allowed, torch.finfo(self.model.dtype).min)
        positions = self._padded([row.depths for row in rows], prefix.length)
        return {"input_ids": ids, "attention_mask": mask, "position_ids": positions}

    def _padded(self, values: Sequence[NDArray[Any]], padding: int) -> torch.Tensor:
        padded = np.full((len(values), max(map(len, values))), padding, np.int64)
        for index, value in enumerate(values):
            padded[index, : len(value)] = value
        return torch.from_numpy(padded).to(self.device)

    def _run(self, rows: Sequence[Row], **inputs: Any) -> Scored:
        """Run the model, and normalise only the logits of the scored positions."""
        width = inputs["input_ids"].shape[1]
        flat = np.concatenate([row.places + index * width for index, row in enumerate(rows)])
        owners = np.concatenate([row.owners for row in rows])
        distinct, inverse = np.unique(flat, return_inverse=True)
        with torch.inference_mode(), _selected(self.model, torch.from_numpy(distinct)):
            logits = self.model(**inputs).logits
            if not len(flat):
                return Scored(owners, np.empty(0), np.empty(0, np.bool_))
            targets = torch.from_numpy(np.concatenate([row.targets for row in rows]))
            logprobs, greedy = _of_targets(logits[0], torch.from_numpy(inverse), targets)
        return Scored(owners, logprobs, greedy)


@contextmanager
def _selected(model: Any, places: torch.Tensor) -> Iterator[None]:
    """Pass only the hidden states at some places (flattened over rows and positions) to the output layer."""

    def select(_: Any, arguments: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        (hidden,) = arguments
        return (hidden.flatten(0, 1)[places.to(hidden.device)][None],)

    hook = model.get_output_embeddings().register_forward_pre_hook(select)
    try:
        yield
    finally:
        hook.remove()


def _of_targets(
    logits: torch.Tensor, where: torch.Tensor, targets: torch.Tensor
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the log-probability of each target at its row of the logits, and whether it is that row's first maximum.

    Args:
        logits: Shape [positions, vocabulary]; it is overwritten.
        where: The row of each target.
        targets: The tokens.
    """
    where, targets = where.to(logits.device), targets.to(logits.device)
    chosen = logits[where, targets].double()
    normalisers, best = [], []
    for some in logits.split(_ROWS_OF_LOGITS):
        highest, at = some.max(-1, keepdim=True)
        shifted = some.sub_(highest) if some.dtype == torch.float32 else some.float().sub_(highest.float())
        normalisers.append(shifted.exp_().sum(-1, dtype=torch.float32).log().double() + highest[:, 0].double())
        best.append(at[:, 0])
    logprobs = chosen - torch.cat(normalisers)[where]
    return logprobs.cpu().numpy(), (torch.cat(best)[where] == targets).cpu().numpy()
