"""What can go wrong between a client and a model server: a small closed set."""

from dataclasses import dataclass
from enum import Enum
from typing import Self


class FaultKind(Enum):
    """What a fault does to the response."""

    STATUS = "status"
    DISCONNECT = "disconnect"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault for one request; make it with one of the constructors below.

    `code` is the HTTP status of a status fault; `seconds` is what `rate_limit` and `slow` were given.
    """

    kind: FaultKind
    code: int = 200
    seconds: float | None = None

    @classmethod
    def rate_limit(cls, retry_after: float = 1) -> Self:
        """Answer 429 with a Retry-After header of so many seconds."""
        return cls(FaultKind.STATUS, code=429, seconds=retry_after)

    @classmethod
    def status(cls, code: int) -> Self:
        """Answer with this HTTP error status (400 to 599) and an error body.

        Raises:
            ValueError: the status is not that of an error.
        """
        if not 400 <= code <= 599:  # noqa: PLR2004 - HTTP's range
            raise ValueError(f"Fault.status: {code} is no HTTP error status; give one from 400 to 599.")
        return cls(FaultKind.STATUS, code=code)

    @classmethod
    def disconnect(cls) -> Self:
        """Close the connection before a byte of the answer."""
        return cls(FaultKind.DISCONNECT)

    @classmethod
    def truncated(cls) -> Self:
        """Announce the whole answer, send half of its body, close the connection."""
        return cls(FaultKind.TRUNCATED)

    @classmethod
    def malformed(cls) -> Self:
        """Answer 200 with a body that is not JSON."""
        return cls(FaultKind.MALFORMED)

    @classmethod
    def slow(cls, seconds: float) -> Self:
        """Wait so many seconds, or until the server closes, and then answer normally."""
        return cls(FaultKind.SLOW, seconds=seconds)
