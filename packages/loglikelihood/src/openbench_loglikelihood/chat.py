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
    """A message as chat templates take it."""

    role: str
    content: str


@dataclass(frozen=True)
class Chat:
    """How the messages of a request become a chat.

    Args:
        few_shot_as: Whether examples are `turns`, as they are in the request, or in one `message` with the question.
        system_message: What precedes the system message of the request, or takes its place if it has none.

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
        """Return messages as turns; an assistant's message at the end is one that the answer continues."""
        system = [text for text in (self.system_message, *_texts(messages, "system")) if text]
        others = [(each.role, each.text) for each in messages if each.role != "system"]
        if self.few_shot_as == "message":
            cue = others[-1:] if others and others[-1][0] == "assistant" else []
            others = [("user", concatenated(others[: len(others) - len(cue)])), *cue]
        first = [Turn(role="system", content="\n\n".join(system))] if system else []
        return [*first, *(Turn(role=role, content=text) for role, text in others)]


def continues(turns: Sequence[Turn]) -> bool:
    """Return whether an answer continues the last turn; otherwise it begins one."""
    return bool(turns) and turns[-1]["role"] == "assistant"


def with_cue_asked(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns without one to continue, which most servers cannot do: its text ends the user's last message."""
    if not continues(turns):
        return list(turns)
    *before, last, cue = turns
    return [
        *before,
        Turn(role=last["role"], content=concatenated([("user", last["content"]), ("assistant", cue["content"])])),
    ]


def templated(tokenizer: Any, turns: Sequence[Turn]) -> str:
    """Write turns with a tokenizer's chat template, and begin the assistant's turn unless one is to be continued.

    Raises:
        UsageError: The template refuses them, as some do a system message.
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
    """Write a request with a tokenizer's chat template.

    Source: `--apply_chat_template` of lm-evaluation-harness. What the assistant has begun, its `gen_prefix`, is
    continued; otherwise, and after white space, options lack their leading space. Where the user has no message, as for
    unconditional log-probabilities, there is no chat.

    Raises:
        UsageError: The template refuses the messages.
    """
    turns = chat.turns(request.messages)
    spaced = continues(turns) and not turns[-1]["content"][-1:].isspace()
    options = [text if spaced else text.removeprefix(" ") for text in request.continuations]
    if any(turn["role"] == "user" and turn["content"] for turn in turns):
        return Request(templated(tokenizer, turns), options)
    return Request(request.context, options)


def _texts(messages: Sequence[ChatMessage], role: str) -> list[str]:
    return [message.text for message in messages if message.role == role]
