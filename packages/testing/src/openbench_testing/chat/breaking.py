"""Applies faults to responses, for any server."""

import json
import time
from dataclasses import replace
from email.utils import formatdate
from math import ceil

from openbench_testing.chat.faults import Fault, FaultKind
from openbench_testing.server import Ending, Response

EVENTS = "text/event-stream"

_PAGE = b"<html><body>Sign in to go on.</body></html>"


def retry_after(fault: Fault) -> dict[str, str]:
    """Return the headers of a status fault."""
    if fault.seconds is None:
        return {}
    if fault.as_date:
        return {"Retry-After": formatdate(ceil(time.time() + fault.seconds), usegmt=True)}
    return {"Retry-After": f"{fault.seconds:g}"}


def broken(whole: Response, fault: Fault) -> Response:  # noqa: PLR0911 - one for each kind
    """Return a response broken by a fault."""
    half = len(whole.body) // 2
    match fault.kind:
        case FaultKind.DRIP:
            return replace(whole, seconds=fault.seconds or 0.0)
        case FaultKind.WRONG_TYPE:
            return Response(_PAGE, content_type="text/html")
        case FaultKind.EMPTY:
            return replace(whole, body=b"")
        case FaultKind.ERROR_IN_CHOICE | FaultKind.ERROR_IN_BODY if whole.content_type != EVENTS:
            return replace(whole, body=_with_error(whole.body, in_choice=fault.kind is FaultKind.ERROR_IN_CHOICE))
        case FaultKind.RESET:
            return replace(whole, sent=half, ending=Ending.RESET)
        case FaultKind.HALF_CLOSED:
            return replace(whole, sent=half, ending=Ending.HALF_CLOSE)
        case FaultKind.CUT_STREAM if whole.content_type == EVENTS:
            events = whole.body.split(b"\n\n")
            return replace(whole, body=b"\n\n".join([*events[: len(events) // 2], b""]))
        case _:
            return replace(whole, sent=half)


def _with_error(body: bytes, *, in_choice: bool) -> bytes:
    """Return a completion with an error in its choices, or in their place."""
    completion = json.loads(body)
    error = {"code": 502, "message": "Provider returned error"}
    if not in_choice:
        return json.dumps({"error": error, "id": completion["id"], "model": completion["model"]}).encode()
    for choice in completion["choices"]:
        text = choice["message"]["content"]
        choice |= {"error": error, "finish_reason": "error"}
        choice["message"] = {**choice["message"], "content": text[: len(text) // 2]}
    return json.dumps(completion).encode()
