"""Log-probabilities of servers, through Inspect's Model, so that its cache, retries, limits and usage hold.

A server must return the log-probabilities of a prompt's own tokens: as `prompt_logprobs`, like vLLM and SGLang, or
before those of the completion if it is asked to echo the prompt, like the completions of OpenAI's first API.
"""

import math
from collections.abc import Sequence

import anyio
from inspect_ai.model import ChatMessageUser, GenerateConfig, Logprob, Model, ModelOutput

from openbench.errors import DataError, UsageError
from openbench_loglikelihood.encoding import split_context
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.request import RankingRequest

_PROMPT = GenerateConfig(prompt_logprobs=1, max_tokens=1, temperature=0.0)
_ECHO = GenerateConfig(extra_body={"echo": True, "logprobs": 1}, max_tokens=1, temperature=0.0)
_PROBE = "a b"


class Served:
    """Ranks continuations, and reads texts, by a server's log-probabilities of prompts.

    A continuation's tokens are those that it adds to its context's, which the server counts: a request for each
    continuation and one for the context. As in lm-evaluation-harness, white space at the end of a context belongs to
    the continuations.

    Args:
        model: A model of a provider that sends prompts as they are, such as `vllm-completions`.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._config: GenerateConfig | None = None
        self._first: bool | None = None
        self._probing = anyio.Lock()

    async def loglikelihoods(self, request: RankingRequest) -> Sequence[ContinuationScore]:
        """Rank continuations; see `openbench_ranking.request.Ranker`.

        Raises:
            UsageError: The server returns no log-probabilities of prompts.
            DataError: A continuation has no token of its own, or the server scores no first token.
        """
        stem, spaces = split_context(request.context)
        texts = [f"{stem}{spaces}{text}" for text in request.continuations]
        if not stem:
            await self._check_first_token()
        context, *whole = await self._all([stem, *texts])
        return [
            _score(number, text, tokens[len(context) :])
            for number, (text, tokens) in enumerate(zip(request.continuations, whole, strict=True))
        ]

    async def rolling_loglikelihood(self, text: str) -> ContinuationScore:
        """Read a text that fits the model's window; see `openbench_ranking.perplexity.RollingRanker`.

        Of a tokenizer that puts a token before each text, lm-evaluation-harness and the provider `openbench-hf` score
        that token as well, which a server does not.

        Raises:
            UsageError: The server returns no log-probabilities of prompts.
            DataError: The server scores no first token.
        """
        await self._check_first_token()
        return _score(0, text, await self._tokens(text))

    async def _all(self, texts: Sequence[str]) -> list[list[Logprob]]:
        """Return the tokens of texts, which are asked for at the same time."""
        found: list[list[Logprob]] = [[] for _ in texts]

        async def ask(place: int) -> None:
            found[place] = await self._tokens(texts[place])

        try:
            async with anyio.create_task_group() as group:
                for place in range(len(texts)):
                    group.start_soon(ask, place)
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from several
        return found

    async def _tokens(self, text: str) -> list[Logprob]:
        """Return the tokens of a text with their log-probabilities, without a first one that has none."""
        if not text:
            return []
        config = self._config or await self._way()
        tokens = _read(await self._model.generate([ChatMessageUser(content=text)], config=config), config)
        if tokens is None:
            raise DataError(f"{self._model} returned no log-probabilities of the prompt {text!r:.80}.")
        return tokens

    async def _way(self) -> GenerateConfig:
        """Find out how the server returns the log-probabilities of a prompt."""
        async with self._probing:
            for config in () if self._config else (_PROMPT, _ECHO):
                if _read(await self._model.generate([ChatMessageUser(content=_PROBE)], config=config), config):
                    self._config = config
                    break
        if self._config is None:
            raise UsageError(
                f"{self._model} returns no log-probabilities of prompts. Use a server that does: vLLM or SGLang, with "
                "the provider vllm-completions or openai-api-completions, or one whose completions take echo and "
                "logprobs."
            )
        return self._config

    async def _check_first_token(self) -> None:
        """Check that the first token of a text has a log-probability: that the server puts a token before it."""
        if self._first is None:
            self._first = "".join(token.token for token in await self._tokens(_PROBE)).strip() == _PROBE
        if not self._first:
            raise DataError(
                f"{self._model} does not score the first token of a text without context, since its tokenizer puts "
                "none before it. Use a benchmark with a context, or the provider openbench-hf."
            )


def _read(output: ModelOutput, config: GenerateConfig) -> list[Logprob] | None:
    """Return the tokens of the prompt, as far as they have log-probabilities; None if the server returned none."""
    choice = output.choices[0] if output.choices else None
    if choice is None:
        return None
    if config is _PROMPT:
        return choice.prompt_logprobs.content if choice.prompt_logprobs else None
    generated = output.usage.output_tokens if output.usage else 1
    tokens = choice.logprobs.content if choice.logprobs else []
    return tokens[: len(tokens) - generated] or None  # without an echo, what was generated is all there is


def _score(number: int, text: str, tokens: Sequence[Logprob]) -> ContinuationScore:
    if not tokens:
        raise DataError(
            f"continuation {number} ({text!r:.80}) adds no token to its context, so that it has no log-probability. "
            "Begin it with a space or a new line, or leave it out."
        )
    return ContinuationScore(math.fsum(each.logprob for each in tokens), len(tokens), all(map(_is_greedy, tokens)))


def _is_greedy(token: Logprob) -> bool:
    """Return whether no alternative is more probable."""
    return all(each.logprob <= token.logprob for each in token.top_logprobs or ())
