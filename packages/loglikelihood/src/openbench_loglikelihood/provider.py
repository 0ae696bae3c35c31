"""The model provider `openbench-hf`: a model of transformers in this process that ranks, reads texts and generates."""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.errors import UsageError
from openbench.tasks.prompts import concatenated
from openbench_loglikelihood.bulk import Bulk
from openbench_loglikelihood.chat import Chat, FewShotAs, templated, templated_request
from openbench_loglikelihood.request import Request
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.request import RankingRequest

if TYPE_CHECKING:
    from openbench_loglikelihood.local.model import Generation, LocalModel

_OPTIONS = ("revision", "device", "dtype", "adapter", "device_map", "batch_tokens", "window")
_OF_CHATS = ("chat_template", "few_shot_as", "system_message")
_MAX_TOKENS = 512
_IN_FLIGHT = 100_000


@dataclass(frozen=True)
class _Settings:
    """The settings shared by prompts that are generated together."""

    max_tokens: int
    stop: tuple[str, ...]
    sampling: tuple[tuple[str, Any], ...]


@modelapi(name="openbench-hf")
class LocalAPI(ModelAPI):
    """A model of transformers in this process: `--model openbench-hf/PATH_OR_ID`.

    Attributes:
        bulk: True: engines keep the requests of all samples in flight, since they are answered together.
        resolved_args: The resolved dtype, device and commit, which the log records.

    Args:
        model_name: A folder or an id of the Hugging Face Hub.
        base_url: Not used.
        api_key: Not used.
        config: How it generates.
        chat_template: Whether prompts are rendered with the tokenizer's chat template. By default, as in
            lm-evaluation-harness, prompts for generation are, if there is a template, and prompts for ranking are not.
            An assistant's message at the end of a prompt, such as `Answer:`, is continued; otherwise options begin the
            assistant's turn, without their leading space.
        few_shot_as: Whether the template shows examples as `turns`, or in one `message`; see
            `openbench_loglikelihood.chat.Chat`.
        system_message: A system message for the template; likewise.
        options: `revision`, `device`, `dtype`, `adapter`, `device_map`, `batch_tokens` and `window`; see
            `LocalModel.load`.

    Raises:
        UsageError: The extra `local` is not installed, an option is unknown, the model cannot be loaded, or its
            tokenizer has no chat template.
    """

    bulk = True

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's signature
        chat_template: bool | None = None,
        few_shot_as: FewShotAs = "turns",
        system_message: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._chat = Chat(few_shot_as, system_message)
        self._chat_template = chat_template
        self._model = _loaded(model_name, options)
        self.resolved_args = self._model.resolved
        if chat_template and not self._model.tokenizer.chat_template:
            raise UsageError(
                f"chat_template: the tokenizer of {model_name} has none. Leave it out, or use a model that was "
                "trained on chats."
            )
        turn = threading.Lock()
        self._ranked = Bulk(self._model.loglikelihoods, turn)
        self._read = Bulk(self._read_texts, turn)
        self._generated = Bulk(self._generate, turn)

    async def loglikelihoods(self, request: RankingRequest) -> Sequence[ContinuationScore]:
        """Rank continuations; see `openbench_ranking.request.Ranker`."""
        if not self._chat_template:
            return await self._ranked.ask(Request(request.context, request.continuations))
        return await self._ranked.ask(templated_request(self._model.tokenizer, self._chat, request))

    async def rolling_loglikelihood(self, text: str) -> ContinuationScore:
        """Read a text; see `openbench_ranking.perplexity.RollingRanker`."""
        return await self._read.ask(text)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's signature
        tools: list[ToolInfo],
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,
    ) -> ModelOutput:
        """Generate a text."""
        if tools:
            raise UsageError(f"openbench-hf/{self.model_name} calls no tools.")
        as_chat = self._chat_template is not False and self._model.tokenizer.chat_template
        prompt = (
            templated(self._model.tokenizer, self._chat.turns(input))
            if as_chat
            else concatenated((each.role, each.text) for each in input)
        )
        generation = await self._generated.ask((prompt, _settings(config)))
        return _output(f"openbench-hf/{self.model_name}", self._model.count_tokens(prompt), generation)

    def max_connections(self) -> int:
        """Return the maximum number of waiting requests, which cost nothing."""
        return _IN_FLIGHT

    def _read_texts(self, texts: Sequence[str]) -> Iterator[tuple[int, ContinuationScore]]:
        for index, score in self._model.rolling(texts):
            yield index, ContinuationScore(score.loglikelihood, score.tokens)

    def _generate(self, requests: Sequence[tuple[str, _Settings]]) -> Iterator[tuple[int, "Generation"]]:
        places: defaultdict[_Settings, list[int]] = defaultdict(list)
        for place, (_, settings) in enumerate(requests):
            places[settings].append(place)
        for settings, of in places.items():
            prompts = [requests[place][0] for place in of]
            options = dict(settings.sampling)
            for index, text in self._model.generate(prompts, settings.max_tokens, stop=settings.stop, **options):
                yield of[index], text


def _loaded(name: str, options: dict[str, Any]) -> "LocalModel":
    if unknown := options.keys() - set(_OPTIONS):
        known = ", ".join((*_OF_CHATS, *_OPTIONS))
        raise UsageError(f"openbench-hf has no argument {min(unknown)!r}. Arguments (-M): {known}.")
    try:
        # Both are imported here so that the log records their versions, like those of a provider's other imports.
        import torch  # noqa: F401, PLC0415 - as below
        import transformers  # noqa: PLC0415 - as below

        from openbench_loglikelihood.local.model import LocalModel  # noqa: PLC0415 - imports torch
    except ModuleNotFoundError as error:
        raise UsageError(f"openbench-hf needs {error.name}: pip install 'openbench-loglikelihood[local]'") from error
    transformers.utils.logging.disable_progress_bar()  # a run has its own progress display
    return LocalModel.load(name, **options)


def _settings(config: GenerateConfig) -> _Settings:
    sampling: dict[str, Any] = {}
    if config.temperature:
        sampling = {"do_sample": True, "temperature": config.temperature}
        sampling |= {name: value for name in ("top_p", "top_k") if (value := getattr(config, name)) is not None}
    return _Settings(config.max_tokens or _MAX_TOKENS, tuple(config.stop_seqs or ()), tuple(sampling.items()))


def _output(model: str, read: int, generation: "Generation") -> ModelOutput:
    message = ChatMessageAssistant(content=generation.text, model=model, source="generate")
    choice = ChatCompletionChoice(message=message, stop_reason="stop" if generation.complete else "max_tokens")
    total = read + generation.tokens
    usage = ModelUsage(input_tokens=read, output_tokens=generation.tokens, total_tokens=total)
    return ModelOutput(model=model, choices=[choice], usage=usage)
