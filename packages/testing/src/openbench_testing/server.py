"""A small HTTP/1.1 server on 127.0.0.1 that runs inside a `with` block."""

import contextlib
import http.server
import signal
import socket
import socketserver
import struct
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from types import FrameType, TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

HOST = "127.0.0.1"
_CLOSING_SECONDS = 5.0
_NO_LINGER = struct.pack("ii", 1, 0)  # turns a close into a reset
_DRIPS = 10


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, with a percent-encoded path and lower-case header names."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Ending(Enum):
    """How a connection ends after an incomplete response."""

    CLOSE = "close"
    RESET = "reset"
    HALF_CLOSE = "half_close"  # sends nothing more, but still reads from the client


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP response.

    With `sent`, the response announces the whole body, sends only this many of its bytes and ends the connection as
    given by `ending`. With `seconds`, it sends its body in small pieces over this time.
    """

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int | None = None
    ending: Ending = Ending.CLOSE
    seconds: float = 0.0


class LocalServer(ABC):
    """An HTTP server on a port that the operating system chooses, running inside a `with` block.

    A subclass answers requests in `respond`, which many threads call concurrently (one per open connection).
    """

    def __init__(self) -> None:
        self._server: _HTTPServer | None = None
        self._address: str | None = None
        self._port = 0
        self.closing = threading.Event()

    @abstractmethod
    def respond(self, request: Request) -> Response | None:
        """Answer a request; None closes the connection without an answer."""

    @property
    def address(self) -> str:
        """Scheme, host and port: `http://127.0.0.1:PORT`; also available after the server has closed.

        Raises:
            RuntimeError: The `with` block has not been entered.
        """
        if self._address is None:
            name = type(self).__name__
            raise RuntimeError(f"{name} has no address until it runs: use `with {name}(...) as server`.")
        return self._address

    def listen_on(self, port: int) -> Self:
        """Choose the port before entering the `with` block; 0, the default, leaves it to the system."""
        self._port = port
        return self

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Simulate a dead server for the length of the block, then listen on the same port again.

        Open connections end, and new ones are refused.

        Raises:
            RuntimeError: The server is not running.
        """
        port = urlsplit(self.address).port or 0
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.listen_on(port).__enter__()

    def __enter__(self) -> Self:
        self.closing.clear()
        self._server = _HTTPServer(self._port, self)
        self._address = f"http://{HOST}:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="server", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class _HTTPServer(http.server.ThreadingHTTPServer):
    """The standard library's threading server, which also ends its open connections when it closes."""

    request_queue_size = 1024  # a burst of connections must not wait for the kernel's retransmission

    def __init__(self, port: int, owner: LocalServer) -> None:
        self.owner = owner
        self._lock = threading.Lock()
        self._open: dict[Any, threading.Thread] = {}
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's method also resolves a host name, which is not needed here.
        socketserver.TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="connection", daemon=True
        )
        with self._lock:
            self._open[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._lock:
            self._open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients may disconnect at any time; every other error is a defect and is shown.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        super().server_close()
        with self._lock:
            connections = list(self._open.items())
        for connection, _ in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for _, thread in connections:
            thread.join(_CLOSING_SECONDS)


class _Handler(http.server.BaseHTTPRequestHandler):
    """Reads a request, passes it to the server's owner, and writes the response in one piece."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HTTPServer

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        if "transfer-encoding" in headers:
            self.close_connection = True  # a chunked body is not read, and neither is anything after it
        body = self.rfile.read(int(headers.get("content-length", 0)))
        url = urlsplit(self.path)
        response = self.server.owner.respond(Request(self.command, url.path, url.query, headers, body))
        if response is None:
            self.close_connection = True
            return
        body = b"" if self.command == "HEAD" else response.body
        if response.sent is not None:
            self.close_connection = True
            body = body[: response.sent]
        if response.seconds:
            self._drip(_head(response), body, response.seconds)
        else:
            self.wfile.write(_head(response) + body)
        if response.sent is not None:
            self._end(response.ending)

    def _drip(self, head: bytes, body: bytes, seconds: float) -> None:
        self.wfile.write(head)
        size = max(1, -(-len(body) // _DRIPS))
        for start in range(0, len(body), size):
            if self.server.owner.closing.wait(seconds / _DRIPS):
                self.close_connection = True
                return
            self.wfile.write(body[start : start + size])

    def _end(self, ending: Ending) -> None:
        if ending is Ending.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self.connection.close()
        elif ending is Ending.HALF_CLOSE:
            self.connection.shutdown(socket.SHUT_WR)
            while self.connection.recv(1024):
                pass

    do_GET = do_HEAD = do_POST = do_PUT = _answer  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        """Log nothing: requests are in the servers' `requests`."""


def _head(response: Response) -> bytes:
    lines = [
        f"HTTP/1.1 {response.status} {_phrase(response.status)}",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {len(response.body)}",
        *(f"{name}: {value}" for name, value in response.headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def serve_until_interrupted(server: LocalServer, announcement: str = "{address}") -> None:
    """Run a server, print one line with its `{address}`, and wait for SIGINT or SIGTERM."""
    stop = threading.Event()
    with server, _stopping(stop):
        print(announcement.format(address=server.address), flush=True)  # noqa: T201 - the command's output
        stop.wait()


@contextlib.contextmanager
def _stopping(stop: threading.Event) -> Iterator[None]:
    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
