"""OpenAI's files and batches for a chat server: each line of an uploaded file is a request."""

import json
import threading
import time
from collections.abc import Mapping
from email import message_from_bytes
from email.policy import HTTP
from typing import Any

from openbench_testing.chat.server import ChatServer
from openbench_testing.server import Request, Response

_CREATED = 1_700_000_000


class BatchServer(ChatServer):
    """A chat server that also accepts batches: `POST /v1/files`, `POST /v1/batches`, and the requests that follow.

    A batch is complete after it has been polled `looks` times; only then are its requests answered and recorded. An
    error status becomes an error in the batch's results.

    Attributes:
        batches: The size of each batch so far, in the order of arrival.
        looks: The number of polls until a batch is complete; a large number means that it never is.
    """

    def __init__(self, *args: Any, looks: int = 1, **kwargs: Any) -> None:
        """Create a server; see `ChatServer`."""
        super().__init__(*args, **kwargs)
        self.looks = looks
        self.batches: list[int] = []
        self._files: dict[str, bytes] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._looks: dict[str, int] = {}
        self._lock = threading.Lock()

    def respond(self, request: Request) -> Response | None:
        """Answer a request for files or batches; other requests are answered by `ChatServer`."""
        match request.method, request.path.strip("/").split("/"):
            case "POST", ["v1", "files"]:
                return self._stored(_uploaded(request), "batch")
            case "GET", ["v1", "files", name, "content"] if name in self._files:
                return Response(self._files[name], content_type="application/octet-stream")
            case "POST", ["v1", "batches"]:
                return self._create_batch(json.loads(request.body))
            case "GET", ["v1", "batches", name] if name in self._made:
                return _json(self._polled(name, request.headers))
        return super().respond(request)

    def _stored(self, content: bytes, purpose: str) -> Response:
        with self._lock:
            name = f"file-{len(self._files)}"
            self._files[name] = content
        about = {"object": "file", "bytes": len(content), "created_at": _CREATED, "filename": "requests.jsonl"}
        return _json({"id": name, **about, "purpose": purpose, "status": "processed"})

    def _create_batch(self, batch: Mapping[str, Any]) -> Response:
        lines = self._files[batch["input_file_id"]].splitlines()
        with self._lock:
            name = f"batch-{len(self._made)}"
            self.batches.append(len(lines))
            self._made[name] = {
                "id": name,
                "object": "batch",
                "endpoint": batch["endpoint"],
                "input_file_id": batch["input_file_id"],
                "completion_window": batch["completion_window"],
                "created_at": int(time.time()),
                "status": "in_progress",
                "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
            }
        return _json(self._made[name])

    def _polled(self, name: str, headers: Mapping[str, str]) -> Mapping[str, Any]:
        batch = self._made[name]
        with self._lock:
            self._looks[name] = looks = self._looks.get(name, 0) + 1
        if looks < self.looks or batch["status"] == "completed":
            return batch
        right: list[str] = []
        wrong: list[str] = []
        for line in self._files[batch["input_file_id"]].splitlines():
            request = json.loads(line)
            body = json.dumps(request["body"]).encode()
            answer = super().respond(Request("POST", request["url"], "", headers, body))
            status, content = 500, {"error": {"message": "lost"}}
            if answer:
                status, content = answer.status, json.loads(answer.body)
            failed = status >= 400  # noqa: PLR2004 - HTTP's classes
            error = {"code": status, "message": content["error"]["message"]} if failed else None
            result = {
                "custom_id": request["custom_id"],
                "response": {"status_code": status, "body": content},
                "error": error,
            }
            (wrong if failed else right).append(json.dumps(result))
        done: dict[str, Any] = {"status": "completed"}
        for kind, results in (("output_file_id", right), ("error_file_id", wrong)):
            if results:
                done[kind] = json.loads(self._stored("\n".join(results).encode(), "batch_output").body)["id"]
        counts = {"total": len(right) + len(wrong), "completed": len(right), "failed": len(wrong)}
        batch.update(done, request_counts=counts)
        return batch


def _uploaded(request: Request) -> bytes:
    """Return the file of a multipart form."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    form = message_from_bytes(head + request.body, policy=HTTP)
    return next(bytes(part.get_content()) for part in form.iter_parts() if part.get_filename())


def _json(data: Mapping[str, Any]) -> Response:
    return Response(json.dumps(data).encode())
