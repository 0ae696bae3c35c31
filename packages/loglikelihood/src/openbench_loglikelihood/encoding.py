"""Encodes texts, with the boundary between context and continuation as in lm-evaluation-harness.

Special tokens in a text (`</s>`) are encoded as such, as in lm-evaluation-harness. There is one deviation: tokens that
a tokenizer appends to every text (such as an end-of-sequence token) are removed, since otherwise they would separate
the context from the continuation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbench.errors import UsageError
from openbench_loglikelihood.request import Request, RequestError
from openbench_loglikelihood.tokenizing import TextTokenizer, Tokens

_AT_ONCE = 128
"""Requests whose texts are tokenised together, limited because the tokenizer's encodings are large."""

_UNLIMITED = 10**12
"""Tokenizers without a limit declare one above this."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Tokens, the last of which are scored, each given all before it.

    Attributes:
        tokens: The context, perhaps truncated, and the continuation: at most one token more than the model's window.
        scored: The number of tokens at the end that are scored.
        truncated: The number of tokens cut from the left.
        request: The index of the request (or text) that it belongs to.
    """

    tokens: Tokens
    scored: int
    truncated: int
    request: int


class Encoder:
    """Encodes requests and texts for one model.

    Args:
        tokenizer: A tokenizer of transformers.
        window: The maximum number of tokens that the model reads.

    Raises:
        UsageError: The tokenizer has neither a beginning-of-sequence nor an end-of-sequence token, one of which must
            precede a text without context.
    """

    def __init__(self, tokenizer: Any, window: int) -> None:
        self.tokenizer, self.window = tokenizer, window
        prefix = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        if prefix is None:
            raise UsageError(
                "the tokenizer has neither a beginning-of-sequence nor an end-of-sequence token, so nothing can "
                "precede a text without context. Set its bos_token."
            )
        self.prefix: int = prefix
        self._texts = TextTokenizer(tokenizer, prefix)

    def requests(self, requests: Sequence[Request]) -> list[list[Encoded]]:
        """Encode the continuations of each request with its context.

        Whitespace at the end of a context is moved to its continuations. The context's tokens are those of the context
        alone; the continuation's are the remaining ones of both encoded together.

        Raises:
            DataError: A request has no continuation, or one that adds no token or does not fit the window.
        """
        encoded: list[list[Encoded]] = []
        for start in range(0, len(requests), _AT_ONCE):
            encoded.extend(self._encode(start, requests[start : start + _AT_ONCE]))
        return encoded

    def texts(self, texts: Sequence[str]) -> list[list[Encoded]]:
        """Encode whole texts as windows, each of which scores the tokens not scored by an earlier one.

        The first window begins with the prefix token (the beginning of a sequence, or else its end). Each further
        window is as long as the model allows, so that the last one repeats, as context, tokens already scored.

        Raises:
            DataError: A text has no token.
        """
        return [list(self._windows(index, tokens)) for index, tokens in enumerate(self._texts.whole(texts))]

    def _encode(self, start: int, requests: Sequence[Request]) -> Iterator[list[Encoded]]:
        pairs = [split_context(request.context) for request in requests]
        asked = [
            (stem, [spaces + text for text in request.continuations])
            for request, (stem, spaces) in zip(requests, pairs, strict=True)
        ]
        after = iter(self._texts.continued([each for each in asked if each[0]]))
        alone = dict.fromkeys(text for stem, texts in asked if not stem for text in texts)
        bare = dict(zip(alone, self._texts.bare(list(alone)), strict=True))
        for index, (request, (stem, texts)) in enumerate(zip(requests, asked, strict=True), start):
            if not texts:
                raise RequestError(index, "it has no continuation to score.")
            if stem:
                context, wholes = next(after)
                found = [(np.concatenate([context, whole[len(context) :]]), len(context)) for whole in wholes]
            else:
                found = [self._after_prefix(bare[text]) for text in texts]
            yield [
                self._fitted(index, number, text, *tokens)
                for number, (text, tokens) in enumerate(zip(request.continuations, found, strict=True))
            ]

    def _after_prefix(self, tokens: Tokens) -> tuple[Tokens, int]:
        """Return a text with the prefix token before it, unless it begins with it, and the length of this context."""
        begins = len(tokens) > 0 and int(tokens[0]) == self.prefix
        return (tokens if begins else np.concatenate([np.array([self.prefix], np.int32), tokens])), 1

    def _fitted(self, index: int, number: int, text: str, tokens: Tokens, before: int) -> Encoded:
        scored = len(tokens) - before
        if scored <= 0:
            raise RequestError(
                index,
                f"continuation {number} ({text!r:.80}) adds no token to its context, so that it has no "
                "log-probability. Begin it with a space or a new line, or leave it out.",
            )
        if scored > self.window:
            raise RequestError(
                index,
                f"continuation {number} ({text!r:.80}) has {scored} tokens, and the model reads at most "
                f"{self.window}. Shorten it.",
            )
        cut = max(0, len(tokens) - self.window - 1)
        return Encoded(tokens[cut:], scored, cut, index)

    def _windows(self, index: int, tokens: Tokens) -> Iterator[Encoded]:
        if not len(tokens):
            raise RequestError(index, "the text has no token to score.")
        first = min(self.window, len(tokens))
        yield Encoded(np.concatenate([np.array([self.prefix], np.int32), tokens[:first]]), first, 0, index)
        for done in range(first, len(tokens), self.window):
            end = min(done + self.window, len(tokens))
            yield Encoded(tokens[end - self.window - 1 : end], end - done, 0, index)


def window_of(config: Any, tokenizer: Any) -> int:
    """Return the maximum number of tokens that a model reads, from its configuration or its tokenizer; else 2,048."""
    config = getattr(config, "text_config", None) or config
    for name in ("n_positions", "max_position_embeddings", "n_ctx"):
        if (value := getattr(config, name, None)) is not None:
            return int(value)
    declared = getattr(tokenizer, "model_max_length", None)
    return int(declared) if declared is not None and declared < _UNLIMITED else 2048


def split_context(context: str) -> tuple[str, str]:
    """Split a context into its text and its trailing whitespace, which is moved to continuations."""
    stem = context.rstrip()
    return stem, context[len(stem) :]
