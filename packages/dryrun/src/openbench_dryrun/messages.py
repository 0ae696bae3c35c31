"""Messages as readable text, without binary data or invisible characters."""

import base64
import hashlib
import json
import re
import unicodedata
from pathlib import Path

from inspect_ai.model import ChatMessage, ChatMessageAssistant, Content, ContentText

_DIGEST_LENGTH = 12
_NAMES = {"\t": "tab", "\n": "newline", "\r": "CR", " ": "space"}
# Control, format and lone surrogate characters, and all separators except the plain space.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
# Spaces at the end of a line, line breaks at the end of the text, and a line's beginning that looks like a heading.
_AMBIGUOUS = re.compile(r" +(?=\n|\Z)|\n+\Z|^=(?=== )", re.MULTILINE)


def shown_content(message: ChatMessage) -> str:
    """Return a message's content as text; for other media their address, or a digest of their bytes."""
    content = message.content
    parts = [content] if isinstance(content, str) else list(map(_part, content))
    if isinstance(message, ChatMessageAssistant):
        if message.source == "generate" and not "".join(parts):
            parts = ["[the model's answer]"]
        for call in message.tool_calls or ():
            arguments = json.dumps(call.arguments, ensure_ascii=False, sort_keys=True, default=str)
            parts.append(f"[calls {call.function} with {arguments}]")
    return "\n".join(parts)


def visible(text: str) -> str:
    """Return a text with a mark such as ⟦tab⟧ or ⟦U+00A0⟧ for each invisible or ambiguous character.

    Different texts have different results. A result has no blanks at the end of a line, no empty line at its end, no
    line that begins with `=== `, and can be encoded.
    """
    if not text:
        return "⟦empty⟧"
    marked = "".join(char if _is_visible(char) else _mark(char) for char in text)
    # Each line break at the end keeps a line of its own, so their number is visible.
    return _AMBIGUOUS.sub(lambda m: ("\n" if m[0].startswith("\n") else "").join(map(_mark, m[0])), marked)


def _part(part: Content) -> str:
    if isinstance(part, ContentText):
        return part.text
    source = getattr(part, part.type, None)  # such as the attribute `image` of an image
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        return f"[{part.type} {source}]"
    data = _bytes(source) if isinstance(source, str) else part.model_dump_json(exclude={"id", "internal"}).encode()
    return f"[{part.type} sha256={hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]}]"


def _bytes(source: str) -> bytes:
    """Return the content of a data URL or a file, whose digest does not depend on its location."""
    try:
        if source.startswith("data:") and ";base64," in source:
            return base64.b64decode(source.partition(";base64,")[2])
        return Path(source).read_bytes()
    except (OSError, ValueError):  # neither a data URL nor a file
        return source.encode("utf-8", "backslashreplace")


def _is_visible(char: str) -> bool:
    return char in "\n " or (char != "⟦" and unicodedata.category(char) not in _INVISIBLE)


def _mark(char: str) -> str:
    return f"⟦{_NAMES.get(char) or (char if char in '⟦=' else f'U+{ord(char):04X}')}⟧"
