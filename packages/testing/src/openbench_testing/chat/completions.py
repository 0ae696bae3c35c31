"""OpenAI's chat completion format: requests and responses."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat completion request, as received.

    `messages` are OpenAI's message objects (`role`, `content`, ...), `body` is the whole JSON object, and `headers` are
    the HTTP headers with lower-case names.
    """

    model: str
    messages: list[dict[str, Any]]
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """The text of the last user message, its text parts joined; empty without one."""
        return next((message_text(m) for m in reversed(self.messages) if m.get("role") == "user"), "")

    @property
    def system(self) -> str:
        """The text of the first system or developer message; empty without one."""
        return next((message_text(m) for m in self.messages if m.get("role") in {"system", "developer"}), "")


@dataclass(frozen=True, slots=True)
class Reply:
    """A scripted answer with more than a text.

    `extra` is merged into the assistant message, in OpenAI's format: `tool_calls`, `refusal`, `reasoning_content` and
    so on.
    """

    text: str = ""
    finish_reason: str = "stop"
    extra: Mapping[str, Any] = field(default_factory=dict)


def message_text(message: Mapping[str, Any]) -> str:
    """The text of a message: its content, or the joined text parts of its content."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if part.get("type") == "text")
    return content or ""


def usage(request: ChatRequest, reply: Reply) -> dict[str, int]:
    """Token counts of a completion, counting words as tokens."""
    prompt = sum(len(message_text(message).split()) for message in request.messages)
    completion = len(reply.text.split()) * choice_count(request)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def choice_count(request: ChatRequest) -> int:
    """The number of choices that the request asks for (`n`), at least one."""
    return max(1, request.body.get("n") or 1)


def completion(request: ChatRequest, reply: Reply, number: int) -> bytes:
    """The JSON body of a chat completion; all choices have the same reply."""
    message = {"role": "assistant", "content": reply.text, **reply.extra}
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
        for index in range(choice_count(request))
    ]
    body = _envelope(request, number, "chat.completion")
    return json.dumps({**body, "choices": choices, "usage": usage(request, reply)}).encode()


def completion_of_nothing(request: ChatRequest, number: int) -> bytes:
    """The JSON body of a completion without choices."""
    body = _envelope(request, number, "chat.completion")
    return json.dumps({**body, "choices": [], "usage": usage(request, Reply())}).encode()


def stream_of_nothing() -> bytes:
    """Server-sent events with the end marker only."""
    return b"data: [DONE]\n\n"


def event_stream(request: ChatRequest, reply: Reply, number: int) -> bytes:
    """A completion as server-sent events: a chunk for the role, one for each word, one for the end."""
    return b"".join(b"data: %s\n\n" % event for event in _events(request, reply, number))


def _events(request: ChatRequest, reply: Reply, number: int) -> Iterator[bytes]:
    envelope = _envelope(request, number, "chat.completion.chunk")
    extra = dict(reply.extra)
    if "tool_calls" in extra:  # in a stream, each call has its index
        extra["tool_calls"] = [{"index": index, **call} for index, call in enumerate(extra["tool_calls"])]
    deltas = [
        {"role": "assistant", "content": "", **extra},
        *({"content": piece} for piece in _pieces(reply.text)),
        {},
    ]
    for index in range(choice_count(request)):
        for delta in deltas:
            finish_reason = None if delta else reply.finish_reason
            choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
            yield json.dumps({**envelope, "choices": [choice]}).encode()
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps({**envelope, "choices": [], "usage": usage(request, reply)}).encode()
    yield b"[DONE]"


def _envelope(request: ChatRequest, number: int, kind: str) -> dict[str, Any]:
    # The date is fixed: two runs of a script give the same bytes.
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 1_700_000_000, "model": request.model}


def _pieces(text: str) -> list[str]:
    first, *rest = text.split(" ")
    return [first, *(f" {word}" for word in rest)]
