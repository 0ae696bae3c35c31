"""The model provider `first-token`: ranks options by the probability of their first token, as listed by a chat server.

It is a fallback for servers that return no log-probabilities of prompts. One request per sample asks for one token and
its most probable alternatives. Unlisted tokens are unknown: the log has their total probability, and an unlisted option
gets an upper bound.
"""

import math
from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    TopLogprob,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.errors import UsageError
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench_loglikelihood.chat import Chat, FewShotAs, Turn, with_cue_asked
from openbench_loglikelihood.served import is_refused
from openbench_ranking.continuation import FirstTokenScore
from openbench_ranking.request import RankingRequest

_LISTED = (20, 5)
"""The numbers of tokens to request: the maximum of OpenAI and vLLM, and that of other servers."""
_SPACES = "\u2581\u0120"
"""Characters that represent a leading space on some servers: those of SentencePiece and byte-level BPE."""
_MESSAGES: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@modelapi(name="first-token")
class FirstTokenAPI(ModelAPI):
    """Ranks letters with another provider's chat model: `--model first-token/PROVIDER/MODEL`.

    An option's log-probability is log(sum of the probabilities) of the listed tokens that begin it, with or without a
    leading space. A cue at the end of a prompt, such as `Answer:`, is appended to the user's message.

    Args:
        model_name: The other provider and its model.
        base_url: The address of its API.
        api_key: Not used.
        config: The generation settings.
        few_shot_as: See `openbench_loglikelihood.chat.Chat`.
        system_message: Likewise.
        options: Arguments of the other provider.

    Raises:
        UsageError: The other model cannot be created.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's signature
        few_shot_as: FewShotAs = "turns",
        system_message: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._chat = Chat(few_shot_as, system_message)
        self._model = make_model(ModelSpec(name=model_name, base_url=base_url, args=options), config, fresh=True)
        self._most: int | None = None
        self._asking = anyio.Lock()

    async def loglikelihoods(self, request: RankingRequest) -> Sequence[FirstTokenScore]:
        """Rank continuations; see `openbench_ranking.request.Ranker`.

        Raises:
            UsageError: The first tokens of the options do not differ, or the server lists no tokens.
        """
        if why := self.why_not(request):
            raise UsageError(f"{self._name}: {why}.")
        return first_token_scores(request.continuations, await self._listed(request.messages))

    def why_not(self, request: RankingRequest) -> str | None:
        """Return why a request cannot be ranked; see `openbench_ranking.request.SelectiveRanker`."""
        if not any(message.role == "user" for message in request.messages):
            return "a chat needs a message of the user, so that options cannot be ranked without the question"
        starts = [text.strip()[:1] for text in request.continuations]
        if len(set(starts)) == len(starts) > 1:
            return None
        return (
            "the first token does not tell its options apart, since they do not begin with different characters: "
            f"{', '.join(map(repr, request.continuations)):.80}. Rank letters (-T style=letters_ranked), or use a "
            "provider of whole log-probabilities, such as openbench-hf or vllm-completions"
        )

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002, ARG002 - Inspect's signature
        tools: list[ToolInfo],  # noqa: ARG002 - likewise
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,  # noqa: ARG002 - likewise
    ) -> ModelOutput:
        """Raise an error: this provider only ranks."""
        raise UsageError(
            f"{self._name} ranks options by their first token, and generates nothing. Run benchmarks that generate "
            "without --loglikelihood."
        )

    def max_connections(self) -> int:
        """Return the other provider's maximum connections."""
        return self._model.api.max_connections()

    @property
    def _name(self) -> str:
        return f"first-token/{self.model_name}"

    async def _listed(self, messages: Sequence[ChatMessage]) -> list[TopLogprob]:
        """Return the tokens listed by the server for the beginning of an answer."""
        asked = _as_messages(with_cue_asked(self._chat.turns(messages)))
        async with self._asking:
            if self._most is None:  # the first request finds out how many it lists
                return await self._first(asked)
        return await self._ask(asked, self._most)

    async def _first(self, asked: list[ChatMessage]) -> list[TopLogprob]:
        for most in _LISTED:
            try:
                listed = await self._ask(asked, most)
            except Exception as error:
                if most == _LISTED[-1] or not is_refused(error):
                    raise
            else:
                self._most = most
                break
        return listed

    async def _ask(self, asked: list[ChatMessage], most: int) -> list[TopLogprob]:
        # At temperature 1, values are the model's even if a server returns them after applying the temperature.
        config = GenerateConfig(max_tokens=1, logprobs=True, top_logprobs=most, temperature=1.0, top_p=1.0)
        output = await self._model.generate(asked, config=config)
        found = output.choices[0].logprobs if output.choices else None
        if found and found.content and found.content[0].top_logprobs:
            return found.content[0].top_logprobs
        raise UsageError(
            f"{self._model} lists no log-probabilities of the first token. Use a server that takes logprobs and "
            "top_logprobs, such as OpenAI's models without reasoning, or vLLM."
        )


def first_token_scores(continuations: Sequence[str], listed: Sequence[TopLogprob]) -> list[FirstTokenScore]:
    """Return the score of each continuation by its first token.

    Args:
        continuations: The texts, which begin with different characters after their leading space.
        listed: The most probable tokens, at least one, with their log-probabilities (natural logarithm).
    """
    tokens = [(each.token.strip().lstrip(_SPACES), each.logprob) for each in listed]
    least = min(value for _, value in tokens)
    best = max(tokens, key=lambda each: each[1])[0]
    unseen = max(0.0, 1.0 - math.fsum(math.exp(value) for _, value in tokens))
    scores = []
    for text in map(str.strip, continuations):
        values = [value for token, value in tokens if token and text.startswith(token)]
        total = _log_sum(values) if values else least
        greedy = bool(best) and text.startswith(best)
        scores.append(FirstTokenScore(total, greedy=greedy, bound=not values, unseen=unseen))
    return scores


def _log_sum(values: Sequence[float]) -> float:
    """Return log(sum of exp(values)), not above 0."""
    highest = max(values)
    if highest == -math.inf:
        return highest
    return min(0.0, highest + math.log(math.fsum(math.exp(value - highest) for value in values)))


def _as_messages(turns: Sequence[Turn]) -> list[ChatMessage]:
    return [_MESSAGES[turn["role"]](content=turn["content"]) for turn in turns]
