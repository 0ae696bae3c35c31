"""The model provider `baseline`: answers without a model, a key or a network."""

import hashlib
import re

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.baselines import BASELINES
from openbench.errors import UsageError
from openbench.scorers.grading import GRADING_KEY
from openbench.scorers.matching import fold
from openbench.scorers.mcq import read_options

_GRADING_DATA = re.compile(r"\[BEGIN DATA\]\n(?P<rule>\*{3,})\n(?P<sections>.*)\n(?P=rule)\n\[END DATA\]\n", re.DOTALL)
_SECTIONS = 3  # the question, the answer and the target
_GRADES = ("GRADE: C", "GRADE: I")


@modelapi(name="baseline")
def baseline() -> type[ModelAPI]:
    """Register `baseline/random`, `constant`, `empty`, `echo`, `reference` and `grader`."""
    return BaselineAPI


class BaselineAPI(ModelAPI):
    """A model that answers by a rule.

    - `random`: one of the letters of the prompt's options, determined by the seed (0, or `-M seed=`) and the prompt.
    - `constant`: `-M answer=` (by default `A`).
    - `empty`: nothing.
    - `echo`: the prompt.
    - `grader`: the grade of an exact match, for prompts of openbench's model-graded scorers and of Inspect's.
    - `reference`: labels runs whose solver answers from the targets; it receives no requests.

    `answer` and `seed` are public: openbench-ranking ranks options by the same rules.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's signature
        *,
        answer: object = "A",
        seed: int = 0,
    ) -> None:
        super().__init__(model_name, base_url, api_key, config=config)
        if model_name not in {*BASELINES, "grader"}:
            raise UsageError(f"baseline/{model_name} does not exist. Baselines: {', '.join(BASELINES)}.")
        # `-M answer="A, C"` is parsed as a list.
        self.answer = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
        self.seed = seed

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's signature
        tools: list[ToolInfo],  # noqa: ARG002 - likewise
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,  # noqa: ARG002 - likewise
    ) -> ModelOutput:
        """Answer the last user message, which a prefill may follow."""
        asked = next((message for message in reversed(input) if message.role == "user"), input[-1])
        return output(f"baseline/{self.model_name}", asked.text, self._text(asked))

    def _text(self, message: ChatMessage) -> str:
        match self.model_name:
            case "random":
                return random_answer(message.text, self.seed)
            case "constant":
                return self.answer
            case "empty":
                return ""
            case "echo":
                return message.text
            case "grader":
                return exact_match_verdict(message)
            case name:
                raise not_asked(name)


def output(model: str, prompt: str, completion: str) -> ModelOutput:
    """Return a model output; its usage counts words, since a tokenizer would have to be downloaded."""
    read, written = len(prompt.split()), len(completion.split())
    result = ModelOutput.from_content(model, completion)
    result.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return result


def not_asked(name: str) -> UsageError:
    """Return the error for a baseline that is not a model."""
    return UsageError(f"baseline/{name} does not answer requests. Use bench eval --baseline {name}.")


def random_answer(prompt: str, seed: int) -> str:
    """Return an answer with one of the letters in a prompt, determined by the seed and the prompt."""
    letters = list(read_options(prompt)) or ["A"]
    digest = hashlib.sha256(f"{seed}\n{prompt}".encode()).digest()
    return f"Answer: {letters[int.from_bytes(digest[:8], 'big') % len(letters)]}"


def exact_match_verdict(message: ChatMessage) -> str:
    """Grade a prompt by comparing the answer with the targets, ignoring letter case and white space."""
    verdict = _grade_for_ask_grader(message) or _grade_for_inspect(message.text)
    if verdict is None:
        raise UsageError(
            "baseline/grader can only grade prompts of openbench_scorers.model_graded.ask_grader, and those of "
            "Inspect's model_graded_qa and model_graded_fact with their default template and instructions. "
            "Name a model with --model-role grader=PROVIDER/MODEL."
        )
    return verdict


def _grade_for_ask_grader(message: ChatMessage) -> str | None:
    """Grade a prompt of `ask_grader`; None if it is another prompt."""
    grading = (message.metadata or {}).get(GRADING_KEY)
    if not grading:
        return None
    right, wrong = grading["grades"][:2]
    targets = {fold(target) for target in grading["targets"]}
    return str(right if fold(grading["answer"]) in targets else wrong)


def _grade_for_inspect(prompt: str) -> str | None:
    """Grade a prompt of Inspect's scorers; None if it is another prompt, or ambiguous."""
    data = _GRADING_DATA.search(prompt)
    if not data or not all(grade in prompt[data.end() :] for grade in _GRADES):
        return None
    parts = data["sections"].split(f"\n{data['rule']}\n")
    sections = {title: text for title, _, text in (part.partition(": ") for part in parts)}
    answer, right = sections.get("[Submission]"), sections.get("[Criterion]", sections.get("[Expert]"))
    # A line of asterisks in a text would add a part.
    if len(parts) != _SECTIONS or answer is None or right is None:
        return None
    return _GRADES[0] if fold(answer) == fold(right) else _GRADES[1]
