"""Messages as people read them."""

import base64
import hashlib
import json
from pathlib import Path

from inspect_ai.model import ChatMessage, ChatMessageAssistant, Content, ContentText
from inspect_ai.tool import ToolCall

_DIGITS = 12


def shown_content(message: ChatMessage) -> str:
    """Return a message's content as text; of images and the like their address, or a digest of their bytes."""
    content = message.content
    parts = [content] if isinstance(content, str) else list(map(_part, content))
    if isinstance(message, ChatMessageAssistant):
        if message.source == "generate" and not "".join(parts):
            parts = ["[the model's answer]"]
        parts += [f"[calls {call.function} with {_arguments(call)}]" for call in message.tool_calls or ()]
    return "\n".join(parts)


def _arguments(call: ToolCall) -> str:
    return json.dumps(call.arguments, ensure_ascii=False, sort_keys=True, default=str)


def _part(part: Content) -> str:
    if isinstance(part, ContentText):
        return part.text
    said = getattr(part, part.type, None)  # an image's image, an audio's audio
    if isinstance(said, str) and said.startswith(("http://", "https://")):
        return f"[{part.type} {said}]"
    data = _bytes(said) if isinstance(said, str) else part.model_dump_json(exclude={"id", "internal"}).encode()
    return f"[{part.type} sha256={hashlib.sha256(data).hexdigest()[:_DIGITS]}]"


def _bytes(said: str) -> bytes:
    """Return what a data URL or a file holds, so that it has one digest wherever it lies."""
    try:
        if said.startswith("data:") and ";base64," in said:
            return base64.b64decode(said.partition(";base64,")[2])
        return Path(said).read_bytes()
    except (OSError, ValueError):  # it is neither
        return said.encode("utf-8", "backslashreplace")
