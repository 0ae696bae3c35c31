"""A conversation with its examples, up to the model's turn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from openbench_authoring.few_shot import Shot, as_message, as_turns

FewShotAs = Literal["turns", "message"]


def conversation(
    question: str,
    shots: Sequence[Shot],
    *,
    few_shot_as: FewShotAs = "turns",
    initial: str = "",
    system: str | None = None,
    cue: str = "",
) -> list[ChatMessage]:
    """Return messages: the system's, if any; the examples, the question; and the cue, if any, as the assistant's.

    Args:
        question: The question.
        shots: The examples.
        few_shot_as: Examples as turns of user and assistant, or all in one message with the question.
        initial: The text before the first example or, without examples, before the question.
        system: The system's message.
        cue: The beginning of the answer.
    """
    if initial and shots:
        shots = [replace(shots[0], question=f"{initial}\n\n{shots[0].question}"), *shots[1:]]
    elif initial:
        question = f"{initial}\n\n{question}"
    messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    if few_shot_as == "message":
        messages.append(ChatMessageUser(content=as_message(shots, question)))
    else:
        messages += [*as_turns(shots), ChatMessageUser(content=question)]
    return [*messages, ChatMessageAssistant(content=cue)] if cue else messages
