"""The model provider `baseline`: answers without a model, a key or a network."""

import hashlib
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.baselines import BASELINES
from openbench.baselines.grader import exact_match_verdict
from openbench.baselines.ranking import announced, drawn, undecided
from openbench.errors import UsageError
from openbench.scorers.prompt_options import read_options
from openbench.scorers.ranking_request import RankingRequest


@modelapi(name="baseline")
def baseline() -> type[ModelAPI]:
    """Register `baseline/random`, `constant`, `empty`, `echo`, `reference` and `grader`."""
    return BaselineAPI


class BaselineAPI(ModelAPI):
    """Answers by a rule.

    - `random`: one of the letters that the prompt's option block offers; the seed (0, or `-M seed=`) and the
      prompt decide which, so that a run can be had again.
    - `constant`: `-M answer=` (by default `A`).
    - `empty`: nothing.
    - `echo`: the prompt.
    - `grader`: the grade of an exact match, for prompts of our model-graded scorers and of inspect's.
    - `reference` is the label of runs whose solver answers from the targets; it is never asked.

    Where options are ranked, `random` prefers one by chance, `constant` the one that its answer names, and the others
    none: to them all options are equally probable.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - inspect's signature
        *,
        answer: object = "A",
        seed: int = 0,
    ) -> None:
        super().__init__(model_name, base_url, api_key, config=config)
        if model_name not in {*BASELINES, "grader"}:
            raise UsageError(f"baseline/{model_name} does not exist. Baselines: {', '.join(BASELINES)}.")
        # `-M answer="A, C"` has been read as a list.
        self._answer = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
        self._seed = seed

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - inspect's signature
        tools: list[ToolInfo],  # noqa: ARG002 - likewise
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,  # noqa: ARG002 - likewise
    ) -> ModelOutput:
        """Answer the last user message, which a prefill may follow."""
        asked = next((message for message in reversed(input) if message.role == "user"), input[-1])
        return output(f"baseline/{self.model_name}", asked.text, self._text(asked))

    async def loglikelihoods(self, request: RankingRequest) -> list[float]:
        """Rank options; see `openbench.scorers.ranking_request.Ranker`."""
        match self.model_name:
            case "random":
                return drawn(request, self._seed)
            case "constant":
                return announced(request, self._answer)
            case "empty" | "echo":
                return undecided(request.continuations)
            case name:
                raise _not_asked(name)

    def _text(self, message: ChatMessage) -> str:
        match self.model_name:
            case "random":
                return random_answer(message.text, self._seed)
            case "constant":
                return self._answer
            case "empty":
                return ""
            case "echo":
                return message.text
            case "grader":
                return exact_match_verdict(message)
            case name:
                raise _not_asked(name)


def output(model: str, prompt: str, completion: str) -> ModelOutput:
    """Return a model's output; its usage counts words, so that no tokenizer has to be fetched."""
    read, written = len(prompt.split()), len(completion.split())
    result = ModelOutput.from_content(model, completion)
    result.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return result


def _not_asked(name: str) -> UsageError:
    return UsageError(f"baseline/{name} is no model to ask. Use bench eval --baseline {name}.")


def random_answer(prompt: str, seed: int) -> str:
    """Return an answer with one of the letters that a prompt offers; the seed and the prompt decide which."""
    options: dict[str, Any] = read_options(prompt)
    letters = list(options) or ["A"]
    digest = hashlib.sha256(f"{seed}\n{prompt}".encode()).digest()
    return f"Answer: {letters[int.from_bytes(digest[:8], 'big') % len(letters)]}"
