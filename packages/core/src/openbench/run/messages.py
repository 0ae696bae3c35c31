"""Texts that people can read: errors as one plain line, and messages without binary data or invisible characters."""

import base64
import hashlib
import json
import re
import unicodedata
from pathlib import Path

from inspect_ai.log import EvalError
from inspect_ai.model import ChatMessage, ChatMessageAssistant, Content, ContentText

from openbench.run.paths import display_path

_CAUSE = "The above exception was the direct cause of the following exception:"
_TRACEBACK = "Traceback (most recent call last):"
_GIVEN_UP = "tenacity.RetryError"
_LINKS = ("For further information ", "For more information ")  # how pydantic and httpx end their errors
_VALIDATION = re.compile(r"^\S+: \d+ validation errors? for .+? \[type=[^\n]+", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]|\[link=[^\]]*\]|\[/\]")
_FRAME = re.compile(r'^ *File "([^"<]+)", line (\d+), in ', re.MULTILINE)
_NOT_OF_USERS = re.compile(r"/lib/python3|/(?:site|dist)-packages/(?!openbench_)|/inspect_ai/")
_CORE = str(Path(__file__).parents[1])

_DIGEST_LENGTH = 12
_NAMES = {"\t": "tab", "\n": "newline", "\r": "CR", " ": "space"}
# Control, format and lone surrogate characters, and all separators but the plain space.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
# Spaces at the end of a line, line breaks at the end of the text, and what begins a line like a heading.
_AMBIGUOUS = re.compile(r" +(?=\n|\Z)|\n+\Z|^=(?=== )", re.MULTILINE)


def plain_message(error: Exception) -> str:
    """Return an error's text without the markup and line breaks that Inspect writes for its own display."""
    return _plain(str(getattr(error, "message", error)))


def logged_message(error: EvalError) -> str:
    """Return the essential line of a logged error; see `traceback_message`."""
    return traceback_message(error.traceback) or _plain(error.message)


def located_message(error: EvalError) -> str:
    """Return the message of a logged error with the file and line of the benchmark's code that led to it, if any."""
    frames = _FRAME.findall(error.traceback)
    own = [frame for frame in frames if not _NOT_OF_USERS.search(frame[0]) and not frame[0].startswith(_CORE)]
    return f"{logged_message(error)}{f' ({display_path(own[-1][0])}, line {own[-1][1]})' if own else ''}"


def traceback_message(traceback: str) -> str:
    """Return the essential line of a traceback; an empty string if there is none.

    That is its last line, except for a link to more information. For an error of pydantic, which has lines for each
    fault, it is the first fault; for a request that was sent again in vain, it is the last failure.
    """
    lines = [line for line in traceback.splitlines() if line.strip() and not line.lstrip().startswith(_LINKS)]
    if lines and lines[-1].startswith(_GIVEN_UP) and _CAUSE in traceback:
        return traceback_message(traceback.rpartition(_CAUSE)[0])
    if invalid := _VALIDATION.search(traceback.rpartition(_TRACEBACK)[2]):
        return _plain(": ".join(line.strip() for line in invalid[0].splitlines()))
    return _plain(lines[-1]) if lines else ""


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).removeprefix("ERROR: ")


def shown_content(message: ChatMessage) -> str:
    """Return a message's content as text; for images and the like their address, or a digest of their bytes."""
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
    # Line breaks at the end keep a line each, so that one can see how many they are.
    return _AMBIGUOUS.sub(lambda m: ("\n" if m[0].startswith("\n") else "").join(map(_mark, m[0])), marked)


def _part(part: Content) -> str:
    if isinstance(part, ContentText):
        return part.text
    source = getattr(part, part.type, None)  # an image's image, an audio's audio
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        return f"[{part.type} {source}]"
    data = _bytes(source) if isinstance(source, str) else part.model_dump_json(exclude={"id", "internal"}).encode()
    return f"[{part.type} sha256={hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]}]"


def _bytes(source: str) -> bytes:
    """Return the content of a data URL or a file, which has one digest wherever it lies."""
    try:
        if source.startswith("data:") and ";base64," in source:
            return base64.b64decode(source.partition(";base64,")[2])
        return Path(source).read_bytes()
    except (OSError, ValueError):  # it is neither
        return source.encode("utf-8", "backslashreplace")


def _is_visible(char: str) -> bool:
    return char in "\n " or (char != "⟦" and unicodedata.category(char) not in _INVISIBLE)


def _mark(char: str) -> str:
    return f"⟦{_NAMES.get(char) or (char if char in '⟦=' else f'U+{ord(char):04X}')}⟧"
