"""Ranked requests as chats: examples as turns or in one message, and a system message."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from inspect_ai.model import ChatMessage

from openbench.errors import UsageError
from openbench.tasks.prompts import concatenated
from openbench_loglikelihood.request import Request
from openbench_ranking.request import RankingRequest

FewShotAs = Literal["turns", "message"]


class Turn(TypedDict):
    """A message in the format of chat templates."""

    role: str
    content: str


@dataclass(frozen=True)
class Chat:
    """How the messages of a request are turned into a chat.

    Args:
        few_shot_as: Whether examples are `turns`, as in the request, or in one `message` with the question.
        system_message: A text that precedes the request's system message, or is the system message if it has none.

    Raises:
        UsageError: A value has the wrong type.
    """

    few_shot_as: FewShotAs = "turns"
    system_message: str | None = None

    def __post_init__(self) -> None:
        """Validate the values."""
        if self.few_shot_as not in get_args(FewShotAs):
            raise UsageError(f"few_shot_as: expected turns or message, not {self.few_shot_as!r}.")
        if not isinstance(self.system_message, str | None):
            raise UsageError(f"system_message: expected a text, not {self.system_message!r}.")

    def turns(self, messages: Sequence[ChatMessage]) -> list[Turn]:
        """Return messages as turns; the answer continues an assistant's message at the end."""
        system = [text for text in (self.system_message, *_texts(messages, "system")) if text]
        others = [(each.role, each.text) for each in messages if each.role != "system"]
        if self.few_shot_as == "message":
            cue = others[-1:] if others and others[-1][0] == "assistant" else []
            others = [("user", concatenated(others[: len(others) - len(cue)])), *cue]
        first = [Turn(role="system", content="\n\n".join(system))] if system else []
        return [*first, *(Turn(role=role, content=text) for role, text in others)]


def continues(turns: Sequence[Turn]) -> bool:
    """Return whether the answer continues the last turn; otherwise it begins a new one."""
    return bool(turns) and turns[-1]["role"] == "assistant"


def with_cue_asked(turns: Sequence[Turn]) -> list[Turn]:
    """Append a turn that is to be continued to the user's last message: most servers cannot continue turns."""
    if not continues(turns):
        return list(turns)
    *before, last, cue = turns
    return [
        *before,
        Turn(role=last["role"], content=concatenated([("user", last["content"]), ("assistant", cue["content"])])),
    ]


def templated(tokenizer: Any, turns: Sequence[Turn]) -> str:
    """Render turns with a tokenizer's chat template, and open the assistant's turn unless the last one is continued.

    Raises:
        UsageError: The template rejects them, for example a system message.
    """
    from jinja2 import TemplateError  # noqa: PLC0415 - comes with transformers

    goes_on = continues(turns)
    try:
        text: str = tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=not goes_on, continue_final_message=goes_on
        )
    except TemplateError as error:
        raise UsageError(
            f"chat_template: the template of {tokenizer.name_or_path} refuses the chat: {error}. Leave out the system "
            "message, or chat_template."
        ) from error
    return text


def templated_request(tokenizer: Any, chat: Chat, request: RankingRequest) -> Request:
    """Render a request with a tokenizer's chat template.

    Source: `--apply_chat_template` of lm-evaluation-harness. A text that the assistant has begun, its `gen_prefix`, is
    continued; otherwise, and after whitespace, options have no leading space. If there is no user message, as for
    unconditional log-probabilities, there is no chat.

    Raises:
        UsageError: The template rejects the messages.
    """
    turns = chat.turns(request.messages)
    spaced = continues(turns) and not turns[-1]["content"][-1:].isspace()
    options = [text if spaced else text.removeprefix(" ") for text in request.continuations]
    if any(turn["role"] == "user" and turn["content"] for turn in turns):
        return Request(templated(tokenizer, turns), options)
    return Request(request.context, options)


def _texts(messages: Sequence[ChatMessage], role: str) -> list[str]:
    return [message.text for message in messages if message.role == role]
