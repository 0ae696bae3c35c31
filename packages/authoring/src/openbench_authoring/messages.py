"""Messages as classes of eval-framework write them: `Message(role=Role.USER, content="...")`."""

from enum import StrEnum

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser


class Role(StrEnum):
    """Who says a message; equal to the `role` of inspect's messages."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message:
    """A message of inspect's, by its role: a class, so that it may stand in annotations as well.

    Raises:
        ValueError: There is no such role.
    """

    def __new__(cls, role: Role | str, content: str) -> ChatMessage:  # type: ignore[misc]
        """Return the message of inspect's."""
        return _CLASSES[Role(role)](content=content)


_CLASSES: dict[Role, type[ChatMessageSystem] | type[ChatMessageUser] | type[ChatMessageAssistant]] = {
    Role.SYSTEM: ChatMessageSystem,
    Role.USER: ChatMessageUser,
    Role.ASSISTANT: ChatMessageAssistant,
}
