"""Faults between a client and a model server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Self


class FaultKind(Enum):
    """The effect of a fault on the response."""

    STATUS = "status"
    DISCONNECT = "disconnect"
    RESET = "reset"
    HALF_CLOSED = "half_closed"
    TRUNCATED = "truncated"
    CUT_STREAM = "cut_stream"
    MALFORMED = "malformed"
    WRONG_TYPE = "wrong_type"
    NO_CHOICES = "no_choices"
    EMPTY = "empty"
    ERROR_IN_CHOICE = "error_in_choice"
    ERROR_IN_BODY = "error_in_body"
    SLOW = "slow"
    SILENT = "silent"
    DRIP = "drip"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault for one request; create it with one of the constructors below.

    `code` is the HTTP status of a status fault, and `error` the error in its body, in OpenAI's format; `seconds` is the
    argument of `rate_limit`, `slow` and `drip`; with `as_date`, `rate_limit` sends a date.
    """

    kind: FaultKind
    code: int = 200
    seconds: float | None = None
    as_date: bool = False
    error: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def rate_limit(cls, retry_after: float = 1, *, as_date: bool = False) -> Self:
        """Answer 429 with a Retry-After header in seconds, or as a date in whole seconds."""
        return cls(FaultKind.STATUS, code=429, seconds=retry_after, as_date=as_date)

    @classmethod
    def status(cls, code: int, /, **error: str) -> Self:
        """Answer with this HTTP error status (400 to 599) and an error body.

        Args:
            code: The status.
            **error: Fields of the body's `error`, such as `code="context_length_exceeded"` and `message`.

        Raises:
            ValueError: The status is not an error.
        """
        if not 400 <= code <= 599:  # noqa: PLR2004 - HTTP's range
            raise ValueError(f"Fault.status: {code} is not an HTTP error status; expected 400 to 599.")
        return cls(FaultKind.STATUS, code=code, error=error)

    @classmethod
    def disconnect(cls) -> Self:
        """Close the connection before the first byte of the answer."""
        return cls(FaultKind.DISCONNECT)

    @classmethod
    def reset(cls) -> Self:
        """Announce the whole answer, send half of its body, reset the connection."""
        return cls(FaultKind.RESET)

    @classmethod
    def half_closed(cls) -> Self:
        """Announce the whole answer, send only half of its body, but keep reading from the client."""
        return cls(FaultKind.HALF_CLOSED)

    @classmethod
    def truncated(cls) -> Self:
        """Announce the whole answer, send half of its body, close the connection."""
        return cls(FaultKind.TRUNCATED)

    @classmethod
    def cut_stream(cls) -> Self:
        """End a stream cleanly, but in the middle of the answer; a response that is not a stream is truncated."""
        return cls(FaultKind.CUT_STREAM)

    @classmethod
    def malformed(cls) -> Self:
        """Answer 200 with a body that is not JSON."""
        return cls(FaultKind.MALFORMED)

    @classmethod
    def wrong_type(cls) -> Self:
        """Answer 200 with a web page, as proxies do."""
        return cls(FaultKind.WRONG_TYPE)

    @classmethod
    def no_choices(cls) -> Self:
        """Answer with a completion without choices, or with a stream without chunks."""
        return cls(FaultKind.NO_CHOICES)

    @classmethod
    def empty(cls) -> Self:
        """Answer 200 with an empty body."""
        return cls(FaultKind.EMPTY)

    @classmethod
    def error_in_choice(cls) -> Self:
        """Answer 200 with half of the text and an error in the choice, as gateways do when their server fails."""
        return cls(FaultKind.ERROR_IN_CHOICE)

    @classmethod
    def error_in_body(cls) -> Self:
        """Answer 200 with an error instead of choices."""
        return cls(FaultKind.ERROR_IN_BODY)

    @classmethod
    def slow(cls, seconds: float) -> Self:
        """Wait this many seconds, or until the server closes, then answer normally."""
        return cls(FaultKind.SLOW, seconds=seconds)

    @classmethod
    def silent(cls) -> Self:
        """Never answer: keep the connection open until the server closes."""
        return cls(FaultKind.SILENT)

    @classmethod
    def drip(cls, seconds: float) -> Self:
        """Answer normally, but send the body in small pieces over this many seconds."""
        return cls(FaultKind.DRIP, seconds=seconds)
