"""An OpenAI-compatible chat server with scripted answers and faults."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from openbench_testing.chat.breaking import EVENTS, broken, retry_after
from openbench_testing.chat.completions import (
    ChatRequest,
    Reply,
    completion,
    completion_of_nothing,
    event_stream,
    stream_of_nothing,
)
from openbench_testing.chat.faults import Fault, FaultKind
from openbench_testing.server import LocalServer, Request, Response

Answer = Callable[[ChatRequest], str | Reply] | str | Reply
Faults = Callable[[ChatRequest, int], Fault | None] | Iterable[Fault | None]

_ERROR_TYPES = {401: "authentication_error", 429: "rate_limit_error"}


class ChatServer(LocalServer):
    """A model behind OpenAI's chat completions API, for the length of a `with` block.

    Args:
        answer: The text of every answer, or a function from the request to its answer. The function is called from many
            threads at once; an exception is answered with 400 and its message.
        faults: One fault for each request in order, or None for a normal answer, which all requests after the last
            fault also get; or a function from the request and its number (from 0) to a fault or None, called for one
            request at a time.
        api_key: Answer 401 to a request without this key. Such a request does not consume a fault.
        model: The only model that the server lists; it answers requests for any model.
        record: Keep every request in `requests`. Disable it for a long run.
    """

    def __init__(
        self,
        answer: Answer = "...",
        faults: Faults = (),
        *,
        api_key: str | None = None,
        model: str = "local",
        record: bool = True,
    ) -> None:
        super().__init__()
        self._answer = answer
        self._next_fault = faults if callable(faults) else _in_order(faults)
        self._api_key = api_key
        self._model = model
        self._record = record
        self._requests: list[ChatRequest] = []
        self._answered = 0
        self._requests_lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The base URL for a client: `http://127.0.0.1:PORT/v1`."""
        return f"{self.address}/v1"

    @property
    def requests(self) -> list[ChatRequest]:
        """All chat completion requests so far, in the order of arrival, including refused ones."""
        with self._requests_lock:
            return list(self._requests)

    def respond(self, request: Request) -> Response | None:
        """Answer chat completions and the list of models; other requests get an error."""
        route = (request.method, request.path.rstrip("/"))
        if route == ("POST", "/v1/chat/completions"):
            return self._chat(request)
        if not self._authorized(request):
            return _unauthorized()
        if route == ("GET", "/v1/models"):
            model = {"id": self._model, "object": "model", "created": 1_700_000_000, "owned_by": "openbench"}
            return Response(json.dumps({"object": "list", "data": [model]}).encode())
        return _error(404, f"Invalid URL ({request.method} {request.path})")

    def _chat(self, request: Request) -> Response | None:
        try:
            chat = _parse(request)
        except ValueError as error:
            return _error(400, str(error)) if self._authorized(request) else _unauthorized()
        authorized = self._authorized(request)
        with self._requests_lock:  # numbers and faults must follow the recorded order
            if self._record:
                self._requests.append(chat)
            if not authorized:
                return _unauthorized()
            number = self._answered
            self._answered += 1
            fault = self._next_fault(chat, number)
        return self._faulty(chat, number, fault) if fault else self._ordinary(chat, number)

    def _faulty(self, chat: ChatRequest, number: int, fault: Fault) -> Response | None:
        match fault.kind:
            case FaultKind.STATUS:
                return _error(fault.code, f"Scripted fault: HTTP {fault.code}.", retry_after(fault), fault.error)
            case FaultKind.DISCONNECT:
                return None
            case FaultKind.MALFORMED:
                return Response(b'{"id": "chatcmpl-malformed", "choices": [')
            case FaultKind.NO_CHOICES:
                return _nothing(chat, number)
            case FaultKind.SLOW | FaultKind.SILENT:
                return None if self.closing.wait(fault.seconds) else self._ordinary(chat, number)
            case _:
                return broken(self._ordinary(chat, number), fault)

    def _ordinary(self, chat: ChatRequest, number: int) -> Response:
        try:
            reply = self._answer(chat) if callable(self._answer) else self._answer
        except Exception as error:  # noqa: BLE001 - clients would retry a 500, which hides a defect in the script
            return _error(400, f"The answer function raised {type(error).__name__}: {error}")
        if isinstance(reply, str):
            reply = Reply(reply)
        if chat.body.get("stream"):
            return Response(event_stream(chat, reply, number), content_type=EVENTS)
        return Response(completion(chat, reply, number))

    def _authorized(self, request: Request) -> bool:
        return self._api_key is None or request.headers.get("authorization") == f"Bearer {self._api_key}"


def _in_order(faults: Iterable[Fault | None]) -> Callable[[ChatRequest, int], Fault | None]:
    remaining = iter(faults)
    return lambda _request, _number: next(remaining, None)


def _parse(request: Request) -> ChatRequest:
    try:
        body: Any = json.loads(request.body)
    except ValueError:
        raise ValueError("We could not parse the JSON body of your request.") from None
    if not isinstance(body, dict):
        raise ValueError(f"The body must be a JSON object, got a {type(body).__name__}.")  # noqa: TRY004 - a 400
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise ValueError("Missing or invalid required parameter: 'messages', a list of objects.")
    return ChatRequest(str(body.get("model", "")), messages, body, request.headers)


def _nothing(chat: ChatRequest, number: int) -> Response:
    if chat.body.get("stream"):
        return Response(stream_of_nothing(), content_type=EVENTS)
    return Response(completion_of_nothing(chat, number))


def _error(
    status: int, message: str, headers: dict[str, str] | None = None, details: Mapping[str, str] | None = None
) -> Response:
    default = "server_error" if status >= 500 else "invalid_request_error"  # noqa: PLR2004 - HTTP's classes
    code = "rate_limit_exceeded" if status == 429 else None  # noqa: PLR2004 - HTTP's number
    error = {"message": message, "type": _ERROR_TYPES.get(status, default), "param": None, "code": code}
    error |= details or {}
    return Response(json.dumps({"error": error}).encode(), status=status, headers=headers or {})


def _unauthorized() -> Response:
    return _error(401, "Incorrect API key provided.")
