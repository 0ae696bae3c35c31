"""Log-probabilities from servers, through Inspect's Model, with its cache, retries, limits and usage.

A server must return the log-probabilities of a prompt's tokens: as `prompt_logprobs`, like vLLM and SGLang, or before
those of the completion with `echo`, like OpenAI's original completions API.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from inspect_ai.model import ChatMessageUser, GenerateConfig, Logprob, Model, ModelOutput

from openbench.errors import DataError, UsageError
from openbench_loglikelihood.encoding import split_context
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.request import RankingRequest

_PROMPT = GenerateConfig(prompt_logprobs=1, max_tokens=1, temperature=0.0)
_ECHO = GenerateConfig(extra_body={"echo": True, "logprobs": 1}, max_tokens=1, temperature=0.0)
_PROBE = "a b"
_REFUSED = frozenset({400, 413, 422})
"""The status codes with which servers reject unsupported parameters, or a prompt that is too long."""
_PART = re.compile(r"\ufffd+|(?:bytes:)?(?:\\x[0-9a-f]{2})+")
"""The character that servers return for a token that is part of a character."""
_LONGEST = 128
"""The maximum number of characters in a token."""


@dataclass(frozen=True)
class _Way:
    """How a server returns the log-probabilities of prompts.

    Attributes:
        config: The settings that request them.
        begins: Whether the first token of a text has one, because the tokenizer puts a token before it.
    """

    config: GenerateConfig
    begins: bool


@dataclass(frozen=True)
class _Read:
    """A text as tokenised by a server.

    Attributes:
        tokens: Its tokens with their log-probabilities, without a first token that has none.
        start: Where they begin in the text without whitespace; None if that cannot be determined.
    """

    tokens: Sequence[Logprob] = ()
    start: int | None = None


class Served:
    """Ranks continuations, and reads texts, with a server's log-probabilities of prompts.

    A continuation's tokens are those that it adds to its context, as counted by the server: one request for each
    continuation and one for the context, all concurrent. As in lm-evaluation-harness, whitespace at the end of a
    context belongs to the continuations. A prompt that does not fit the window is not truncated: the sample fails.

    Args:
        model: A model of a provider that sends prompts unchanged, such as `vllm-completions`.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: _Way | None = None
        self._probing = anyio.Lock()

    async def loglikelihoods(self, request: RankingRequest) -> Sequence[ContinuationScore]:
        """Rank continuations; see `openbench_ranking.request.Ranker`.

        Raises:
            UsageError: The server returns no log-probabilities of prompts.
            DataError: A continuation adds no token, or the server rejects a prompt, scores no first token although
                there is no context, or reads a different text than it was sent.
        """
        stem, spaces = split_context(request.context)
        if not stem and not (await self._way()).begins:
            raise DataError(
                f"{self._model} does not score the first token of a text without context, since its tokenizer puts "
                "none before it. Use a benchmark with a context, or the provider openbench-hf."
            )
        context, *whole = await self._all([stem, *(f"{stem}{spaces}{text}" for text in request.continuations)])
        for read in whole:
            self._check_same_start(context, read)
        return [
            _score(number, text, read.tokens[len(context.tokens) :])
            for number, (text, read) in enumerate(zip(request.continuations, whole, strict=True))
        ]

    async def rolling_loglikelihood(self, text: str) -> ContinuationScore:
        """Read a text that fits the model's window; see `openbench_ranking.perplexity.RollingRanker`.

        The first token has a log-probability only if the tokenizer puts a token before each text; otherwise `unscored`
        is 1. That preceding token itself, which lm-evaluation-harness and the provider `openbench-hf` score as well,
        has none.

        Raises:
            UsageError: The server returns no log-probabilities of prompts.
            DataError: The server rejects the text, or reads a different text than it was sent.
        """
        way, read = await self._way(), await self._read(text)
        return _score(0, text, read.tokens, unscored=0 if way.begins else 1)

    async def _all(self, texts: Sequence[str]) -> list[_Read]:
        """Read texts concurrently."""
        found = [_Read()] * len(texts)

        async def ask(place: int) -> None:
            found[place] = await self._read(texts[place])

        try:
            async with anyio.create_task_group() as group:
                for place in range(len(texts)):
                    group.start_soon(ask, place)
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from several
        return found

    async def _read(self, text: str) -> _Read:
        """Read a text, and check that the server read the same one."""
        if not text:
            return _Read()
        way = await self._way()
        try:
            tokens = await self._ask(text, way.config)
        except Exception as error:
            if not is_refused(error):
                raise
            raise DataError(
                f"{self._model} refuses a prompt of {len(text)} characters: {_words_of(error)} A prompt that is longer "
                "than the server's window is not cut: use fewer examples, or the provider openbench-hf, which cuts "
                "contexts from the left."
            ) from error
        if tokens is None:
            if not way.begins and len(text) <= _LONGEST:
                return _Read(start=len(_bare(text)))  # a single token, without a log-probability
            raise DataError(f"{self._model} returned no log-probabilities of the prompt {text!r:.80}.")
        start = start_of(text, tokens)
        if start is None or (way.begins and start > 0):
            raise DataError(self._not_the_same(text, tokens))
        return _Read(tokens, None if _PART.search(_joined(tokens)) else start)

    async def _way(self) -> _Way:
        """Determine how the server returns the log-probabilities of a prompt."""
        if self._known:
            return self._known
        async with self._probing:
            self._known = self._known or await self._probe()
        return self._known

    async def _probe(self) -> _Way:
        refused = ""
        for config in (_PROMPT, _ECHO):
            try:
                tokens = await self._ask(_PROBE, config)
            except Exception as error:
                if not is_refused(error):
                    raise
                refused = f" It said: {_words_of(error)}"
                continue
            if tokens:
                if (start := start_of(_PROBE, tokens)) is None:
                    raise UsageError(self._not_the_same(_PROBE, tokens))
                return _Way(config, begins=start == 0)
        raise UsageError(
            f"{self._model} returns no log-probabilities of prompts. Use a server that does: vLLM or SGLang, with "
            "the provider vllm-completions or openai-api-completions, or one whose completions take echo and "
            f"logprobs. Of a chat server, --loglikelihood first-token ranks letters.{refused}"
        )

    async def _ask(self, text: str, config: GenerateConfig) -> list[Logprob] | None:
        return _prompt_tokens(await self._model.generate([ChatMessageUser(content=text)], config=config), config)

    def _check_same_start(self, context: _Read, whole: _Read) -> None:
        """Check that a text begins where its context does; otherwise the server truncated the longer one."""
        if None not in (context.start, whole.start) and context.start != whole.start and context.tokens:
            raise DataError(
                f"{self._model} cut a prompt from the left to fit its window, so that its continuation cannot be "
                "found. Let it refuse such prompts, use fewer examples, or the provider openbench-hf."
            )

    def _not_the_same(self, text: str, tokens: Sequence[Logprob]) -> str:
        return (
            f"{self._model} read another text than the prompt {text!r:.60}: {_joined(tokens)!r:.60}. Its server cuts "
            "prompts, or adds to them. Let it score prompts as they are."
        )


def start_of(text: str, tokens: Sequence[Logprob]) -> int | None:
    """Return where tokens begin in a text without its whitespace, if they match it to its end; else None.

    Whitespace is ignored, since some servers decode tokens without it, and parts of characters match anything. The
    first token, which may be missing, has at most `_LONGEST` characters.
    """
    rest, pieces = _bare(text), [_bare(piece) for piece in _PART.split(_joined(tokens))]
    return next((start for start in range(min(len(rest), _LONGEST) + 1) if _fits(rest[start:], pieces)), None)


def _fits(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text consists of pieces with anything between them."""
    at, end = len(pieces[0]), len(text) - len(pieces[-1])
    if not text.startswith(pieces[0]) or not text.endswith(pieces[-1]):
        return False
    for piece in pieces[1:-1]:
        if (found := text.find(piece, at, end)) < 0:
            return False
        at = found + len(piece)
    return at <= end if len(pieces) > 1 else text == pieces[0]


def _joined(tokens: Sequence[Logprob]) -> str:
    return "".join(token.token for token in tokens)


def _bare(text: str) -> str:
    """Return a text without whitespace, and normalised like tokenizers do."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _prompt_tokens(output: ModelOutput, config: GenerateConfig) -> list[Logprob] | None:
    """Return the tokens of the prompt that have log-probabilities; None if the server returned none."""
    choice = output.choices[0] if output.choices else None
    if choice is None:
        return None
    if config is _PROMPT:
        return choice.prompt_logprobs.content if choice.prompt_logprobs else None
    generated = output.usage.output_tokens if output.usage else 1
    tokens = choice.logprobs.content if choice.logprobs else []
    return tokens[: len(tokens) - generated] or None  # without an echo, there is only the completion


def _score(number: int, text: str, tokens: Sequence[Logprob], unscored: int = 0) -> ContinuationScore:
    if not tokens and not unscored:
        raise DataError(
            f"continuation {number} ({text!r:.80}) adds no token to its context, so that it has no log-probability. "
            "Begin it with a space or a new line, or leave it out."
        )
    total, greedy = math.fsum(each.logprob for each in tokens), all(map(_is_greedy, tokens))
    return ContinuationScore(total, len(tokens), greedy, unscored=unscored)


def _is_greedy(token: Logprob) -> bool:
    """Return whether no alternative is more probable."""
    return all(each.logprob <= token.logprob for each in token.top_logprobs or ())


def is_refused(error: Exception) -> bool:
    """Return whether an error means that a server rejects the request itself."""
    return getattr(error, "status_code", None) in _REFUSED


def _words_of(error: Exception) -> str:
    """Return a server's message as a sentence."""
    return f"{' '.join(str(error).split()):.300}".rstrip(".") + "."
