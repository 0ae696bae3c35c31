"""A model in this process that scores continuations and texts, and generates."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from openbench.errors import DataError
from openbench_loglikelihood.encoding import Encoded, Encoder, window_of
from openbench_loglikelihood.local.forward import Forward
from openbench_loglikelihood.local.loading import commit_of, load
from openbench_loglikelihood.local.prefix_tree import Budget
from openbench_loglikelihood.local.scoring import Scoring, Work
from openbench_loglikelihood.request import Request
from openbench_ranking.continuation import ContinuationScore

_BATCH = {"cpu": 2048, "mps": 4096}
_BATCH_ELSEWHERE = 16384
"""Tokens of a batch on a GPU: enough to keep it busy; halved if memory runs out."""

_ROW = 256
"""Tokens of a row: attention cost grows with its square, but shorter rows need more padding."""

_LOGITS = {"cpu": 2**26}
_LOGITS_ELSEWHERE = 2**29
"""Logits of a batch: positions times the vocabulary."""

_SHARES = {"full_attention", "sliding_attention", "chunked_attention"}
"""The kinds of layers whose keys and values can be cached, and masked token by token."""


Total = tuple[Encoded, float, bool]
"""A sequence, the sum of its log-probabilities, and whether all its tokens are greedy (the most probable ones)."""


@dataclass(frozen=True, slots=True)
class RollingScore:
    """The log-probability of a whole text, read in windows that predict disjoint tokens.

    Attributes:
        loglikelihood: The sum of its tokens' log-probabilities (natural logarithm).
        tokens: The number of scored tokens.
        windows: The number of windows.
    """

    loglikelihood: float
    tokens: int
    windows: int


@dataclass(frozen=True, slots=True)
class Generation:
    """A generated text.

    Attributes:
        text: The text, without the prompt and without the stop string that ended it.
        tokens: The number of generated tokens.
        complete: Whether it ended by itself or at a stop string, rather than at the token limit.
    """

    text: str
    tokens: int
    complete: bool


class LocalModel:
    """A causal language model of transformers.

    Args:
        model: The model, in inference mode.
        tokenizer: Its tokenizer.
        batch_tokens: The number of tokens computed together; "auto" depends on the device. It is halved whenever
            memory runs out.
        window: The maximum number of tokens that the model reads; by default its configuration's.

    Attributes:
        resolved: What was loaded: `dtype`, `device`, and `revision`, the commit, of a model of the Hub.

    Raises:
        UsageError: The tokenizer has neither a beginning-of-sequence nor an end-of-sequence token.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, batch_tokens: int | str = "auto", window: int | None = None
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self.encoder = Encoder(tokenizer, window or window_of(model.config, tokenizer))
        self.work = Work()
        self._forward = Forward(model)
        self.resolved = {"dtype": str(model.dtype).removeprefix("torch."), "device": str(self._forward.device)}
        self._budget = _budget(batch_tokens, self._forward.device.type, model.get_output_embeddings().weight.shape[0])

    @classmethod
    def load(
        cls, name: str, *, batch_tokens: int | str = "auto", window: int | None = None, **options: Any
    ) -> "LocalModel":
        """Load a model and its tokenizer; see `openbench_loglikelihood.local.loading.load` for the options.

        Raises:
            UsageError: The model, its tokenizer or its adapter cannot be loaded.
        """
        loaded = cls(*load(name, **options), batch_tokens=batch_tokens, window=window)
        if commit := commit_of(name, options.get("revision")):
            loaded.resolved["revision"] = commit
        return loaded

    def loglikelihoods(self, requests: Sequence[Request]) -> Iterator[tuple[int, list[ContinuationScore]]]:
        """Score the continuations of requests.

        Yields:
            The index of a request and the scores of its continuations, as soon as all of them are known, those of the
                longest batches first.

        Raises:
            DataError: A request has no continuation, or one that adds no token or is too long for the window.
            OpenbenchError: A log-probability is NaN, or memory does not suffice for one request alone.
        """
        for index, items in self._complete(self.encoder.requests(requests)):
            yield (
                index,
                [ContinuationScore(total, item.scored, greedy, item.truncated) for item, total, greedy in items],
            )

    def rolling(self, texts: Sequence[str]) -> Iterator[tuple[int, RollingScore]]:
        """Score whole texts.

        Yields:
            The index of a text and its score, as soon as all its windows are known.

        Raises:
            DataError: A text has no token.
            OpenbenchError: A log-probability is NaN, or memory does not suffice for one window alone.
        """
        for index, items in self._complete(self.encoder.texts(texts)):
            total, tokens = sum(total for _, total, _ in items), sum(item.scored for item, _, _ in items)
            yield index, RollingScore(total, tokens, len(items))

    def count_tokens(self, prompt: str) -> int:
        """Return the number of tokens of a prompt."""
        return len(self.tokenizer(prompt)["input_ids"])

    def generate(
        self, prompts: Sequence[str], max_tokens: int, *, stop: Sequence[str] = (), **options: Any
    ) -> Iterator[tuple[int, Generation]]:
        """Generate texts, greedily unless the options say otherwise.

        Args:
            prompts: The texts to continue.
            max_tokens: The maximum number of tokens to generate.
            stop: Strings that end a text.
            options: Further options of transformers' `generate`, such as `do_sample` and `temperature`.

        Yields:
            The index of a prompt and its text; those of a batch together, the longest prompts first.

        Raises:
            DataError: A prompt and the tokens to generate do not fit the model's window.
        """
        encoded = [self.tokenizer(prompt)["input_ids"] or [self.encoder.prefix] for prompt in prompts]
        for index, tokens in enumerate(encoded):
            if len(tokens) + max_tokens > self.encoder.window:
                raise DataError(
                    f"prompt {index}: its {len(tokens)} tokens and {max_tokens} to generate exceed the model's window "
                    f"of {self.encoder.window}. Shorten the prompt, or generate fewer."
                )
        waiting = sorted(range(len(prompts)), key=lambda index: -len(encoded[index]))
        while waiting:
            count = max(1, self._budget.batch // (len(encoded[waiting[0]]) + max_tokens))
            some, waiting = waiting[:count], waiting[count:]
            texts = self._generated([encoded[index] for index in some], max_tokens, list(stop), options)
            yield from zip(some, texts, strict=True)

    @cached_property
    def shares_work(self) -> bool:
        """Whether cached prefixes and packed trees do not change the values, determined by a small probe."""
        kinds = getattr(self.model.config.get_text_config(), "layer_types", None)
        if (kinds is None or set(kinds) <= _SHARES) and self._probe():
            return True
        warnings.warn(
            f"{self.model.config.model_type}: this model's work cannot be shared between requests, so each context is "
            "computed once per continuation that differs in more than its last token.",
            stacklevel=2,
        )
        return False

    def _complete(self, encoded: Sequence[Sequence[Encoded]]) -> Iterator[tuple[int, list[Total]]]:
        """Yield the index of each list of sequences, and its sequences with their sums and greedy flags."""
        flat = [(index, item) for index, items in enumerate(encoded) for item in items]
        left = [len(items) for items in encoded]
        starts = np.cumsum([0, *left]).tolist()
        sums, greedy = [0.0] * len(flat), [True] * len(flat)
        for place, total, best in self._scored([item for _, item in flat]):
            sums[place], greedy[place] = total, best
            index = flat[place][0]
            left[index] -= 1
            if not left[index]:
                span = slice(starts[index], starts[index + 1])
                yield index, list(zip(encoded[index], sums[span], greedy[span], strict=True))

    def _scored(self, items: Sequence[Encoded]) -> Iterator[tuple[int, float, bool]]:
        """Yield the place of each sequence, its sum and its greedy flag; equal sequences are scored once."""
        equal: dict[tuple[int, bytes], list[int]] = {}
        for place, item in enumerate(items):
            equal.setdefault((item.scored, item.tokens.tobytes()), []).append(place)
        places = list(equal.values())
        for index, total, greedy in self._scored_once([items[first] for first, *_ in places]):
            for place in places[index]:
                yield place, total, greedy

    def _scored_once(self, items: Sequence[Encoded]) -> Iterator[tuple[int, float, bool]]:
        limit = self._shared_window()
        short = [place for place, item in enumerate(items) if len(item.tokens) - 1 <= limit]
        long = [place for place, item in enumerate(items) if len(item.tokens) - 1 > limit]
        if long and limit:
            warnings.warn(
                f"{self.model.config.model_type}: {len(long)} sequences are longer than the model's sliding window of "
                f"{limit} tokens, so their work is not shared.",
                stacklevel=2,
            )
        for places, trees in ((long, False), (short, True)):
            run = Scoring(self._forward, [items[i] for i in places], self._budget, trees=trees, work=self.work)
            for place in run:
                yield places[place], float(run.sums[place]), bool(run.greedy[place])
            self._budget = run.budget

    def _shared_window(self) -> int:
        """Return the maximum length of sequences that can share work; 0 if none can."""
        if not self.shares_work:
            return 0
        config = self.model.config.get_text_config()
        kinds = getattr(config, "layer_types", None) or ["sliding_attention", "chunked_attention"]
        windows = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
        found = [getattr(config, name, None) for kind, name in windows.items() if kind in kinds]
        return min((window for window in found if window), default=self.encoder.window)

    def _probe(self) -> bool:
        """Return whether a few synthetic sequences have the same values with and without shared work.

        The tolerance is the difference that the shape of a batch alone causes: 1e-6 in float32, and more in bfloat16.
        """
        size = min(self.model.get_input_embeddings().weight.shape[0], 1000)
        lead = [(7 * i * i + 3) % size for i in range(12)]
        ends = [[(11 * i + 5 * j) % size for j in range(3 + i % 2)] for i in range(6)]
        items = [Encoded(np.array(lead + end, np.int32), len(end), 0, i) for i, end in enumerate(ends)]
        small = Budget(batch=16, row=8, scored=8)
        alone = self._sums(items, small, trees=False)
        together = self._sums(items, replace(self._budget, row=256), trees=False)
        try:
            shared = [self._sums(items, small, trees=True), self._sums(items, self._budget, trees=True)]
        except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
            return False
        rounding = torch.finfo(self.model.dtype).eps * float(np.abs(alone).max())
        tolerance = max(1e-3, 8 * float(np.abs(together - alone).max()), 8 * rounding)
        return all(bool(np.abs(sums - alone).max() <= tolerance) for sums in shared)

    def _sums(self, items: Sequence[Encoded], budget: Budget, *, trees: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
        run = Scoring(self._forward, items, budget, trees=trees)
        list(run)
        return run.sums

    def _generated(
        self, prompts: Sequence[Sequence[int]], max_tokens: int, stop: list[str], options: dict[str, Any]
    ) -> list[Generation]:
        width = max(map(len, prompts))
        ids = torch.tensor([[self.encoder.prefix] * (width - len(tokens)) + list(tokens) for tokens in prompts])
        mask = torch.tensor([[0] * (width - len(tokens)) + [1] * len(tokens) for tokens in prompts])
        stops = {"stop_strings": stop, "tokenizer": self.tokenizer} if stop else {}
        with torch.inference_mode():
            output = self.model.generate(
                input_ids=ids.to(self._forward.device),
                attention_mask=mask.to(self._forward.device),
                max_new_tokens=max_tokens,
                pad_token_id=self.encoder.prefix,
                **{"do_sample": False, **stops, **options},
            )
        return [self._generation(tokens, stop, max_tokens) for tokens in output[:, width:].tolist()]

    def _generation(self, tokens: list[int], stop: list[str], max_tokens: int) -> Generation:
        configured = self.model.generation_config.eos_token_id
        ends = set(configured if isinstance(configured, list) else [configured])
        length = next((at for at, token in enumerate(tokens) if token in ends), len(tokens))
        text: str = self.tokenizer.decode(tokens[:length], skip_special_tokens=True)
        found = [at for at in (text.find(string) for string in stop) if at >= 0]
        complete = bool(found) or length < max_tokens
        return Generation(text[: min(found)] if found else text, length, complete)


def _budget(batch_tokens: int | str, device: str, vocabulary: int) -> Budget:
    batch = int(batch_tokens) if batch_tokens != "auto" else _BATCH.get(device, _BATCH_ELSEWHERE)
    return Budget(batch, _ROW, max(64, _LOGITS.get(device, _LOGITS_ELSEWHERE) // vocabulary))
