"""Messages in the form of eval-framework: `Message(role=Role.USER, content="...")`."""

from enum import StrEnum

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser


class Role(StrEnum):
    """The role of a message; equal to the `role` of Inspect's messages."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message:
    """A message of Inspect's, by role: a class, so that it can be used in annotations.

    Raises:
        ValueError: The role is unknown.
    """

    def __new__(cls, role: Role | str, content: str) -> ChatMessage:  # type: ignore[misc]
        """Return the message of inspect's."""
        return _CLASSES[Role(role)](content=content)


_CLASSES: dict[Role, type[ChatMessageSystem] | type[ChatMessageUser] | type[ChatMessageAssistant]] = {
    Role.SYSTEM: ChatMessageSystem,
    Role.USER: ChatMessageUser,
    Role.ASSISTANT: ChatMessageAssistant,
}
