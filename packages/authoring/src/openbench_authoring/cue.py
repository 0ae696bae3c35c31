"""Cues: the beginning of an answer, sent to the model as its own first words or as the last line of the question."""

from typing import NamedTuple

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, Content, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.errors import DataError, UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.tasks.solvers import static

CUE_KEY = "cue"
CUE_AS_KEY = "cue_as"

MODES = ("auto", "prefill", "append")


class Provider(NamedTuple):
    """Whether a provider's models continue an assistant message at the end of a conversation, and the evidence."""

    continues: bool
    source: str


_TURN = "inspect-ai closes the message and opens a turn after it (add_generation_prompt)"
_RAW = "takes one user message as it stands, so that its last line is continued anyway"
_FLAG = "wants a flag on the message (prefix or partial) that inspect-ai does not send"
_MODEL = "depends on the model behind it"

# By inspect-ai's names, as of 0.3.285. A provider that is missing here is not known to continue.
PROVIDERS = {
    "groq": Provider(True, "its documentation: Assistant Message Prefilling, for all text models"),
    "sagemaker": Provider(True, "inspect-ai sets continue_final_message"),
    "sglang": Provider(True, "inspect-ai sets continue_final_message"),
    "vllm": Provider(True, "inspect-ai sets continue_final_message"),
    "anthropic": Provider(False, "Claude 4.6 and later refuse it, and earlier models do so while they think"),
    "bedrock": Provider(False, _MODEL),
    "deepseek": Provider(False, _FLAG),
    "google": Provider(False, "not documented"),
    "hf": Provider(False, _TURN),
    "litellm-proxy": Provider(False, _MODEL),
    "mistral": Provider(False, _FLAG),
    "moonshot": Provider(False, _FLAG),
    "nnterp": Provider(False, _TURN),
    "ollama": Provider(False, "depends on the model's template (ollama/ollama issues 5775 and 6778)"),
    "openai": Provider(False, "starts an answer of its own"),
    "openai-api-completions": Provider(False, _RAW),
    "openrouter": Provider(False, _MODEL),
    "transformer_lens": Provider(False, _TURN),
    "vllm-completions": Provider(False, _RAW),
}


@static
@solver
def cue(mode: str = "auto") -> Solver:
    """Give the model the beginning of its answer: the text under `cue` in a sample's metadata, if there is one.

    As a prefill, the cue is an assistant message at the end of the conversation, which the model continues. Appended,
    it is a separate line at the end of the last user message. Trailing white space is removed: some providers refuse
    it, and tokenizers put a space before the next word, not after the last. The sample's metadata records under
    `cue_as` how it was sent: `prefill` or `appended`.

    A model may answer with the cue or without it; scorers compare with `answer_after_cue`.

    Args:
        mode: `prefill`, `append`, or `auto`: a prefill if the provider is known to continue it.

    Raises:
        UsageError: The mode is unknown.
    """
    if mode not in MODES:
        raise UsageError(f"cue: the mode {mode!r} is unknown. Known: {', '.join(MODES)}.")

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        text = _cue_of(state)
        if text:
            prefill = mode == "prefill" or (mode == "auto" and continues(state.model.api))
            (_prefill if prefill else _append)(state, text)
            state.metadata = {**state.metadata, CUE_AS_KEY: "prefill" if prefill else "appended"}
        return state

    return solve


def continues(provider: str) -> bool:
    """Return whether a provider's models are known to continue an assistant message at the end."""
    return provider in PROVIDERS and PROVIDERS[provider].continues


def without_cue(text: str, cue: str) -> str:
    """Return a text without leading white space, one leading cue, and the white space after it.

    A model may continue a cue or repeat it, and a target may begin with it; all are equal without the cue. Apply this
    to both answer and target.
    """
    return text.lstrip().removeprefix(cue.strip()).lstrip()


def answer_after_cue(completion: str, cue: str) -> str:
    """Return a completion without its reasoning and without a cue that follows it.

    A completion that consists only of the cue is unchanged: `A` may be the cue's first word, and the answer.
    """
    answer = strip_reasoning(completion)
    return without_cue(answer, cue) or answer


def _cue_of(state: TaskState) -> str:
    text = state.metadata.get(CUE_KEY) or ""
    if not isinstance(text, str):
        raise DataError(f"the sample {state.sample_id!r}: its cue is {text!r}, where a text is expected.")
    if text and state.messages and state.messages[-1].role == "assistant":
        raise DataError(f"the sample {state.sample_id!r} has a cue, but its conversation ends with an answer already.")
    return text.rstrip()


def _prefill(state: TaskState, text: str) -> None:
    state.messages.append(ChatMessageAssistant(content=text))


def _append(state: TaskState, text: str) -> None:
    for place in range(len(state.messages) - 1, -1, -1):
        message = state.messages[place]
        if isinstance(message, ChatMessageUser):
            state.messages[place] = message.model_copy(update={"content": _with_line(message.content, text)})
            return
    raise DataError(f"the sample {state.sample_id!r} has no user message that its cue could be appended to.")


def _with_line(content: str | list[Content], line: str) -> str | list[Content]:
    if isinstance(content, str):
        return content + line if content.endswith("\n") or not content else f"{content}\n{line}"
    if content and isinstance(content[-1], ContentText):
        last = content[-1].model_copy(update={"text": _with_line(content[-1].text, line)})
        return [*content[:-1], last]
    return [*content, ContentText(text=line)]
