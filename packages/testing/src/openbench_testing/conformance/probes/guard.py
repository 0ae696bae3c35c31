"""Forbids the network to this process, and records attempts to use it.

Audit hooks (https://peps.python.org/pep-0578/) see Python's own socket module; a library that calls the operating
system directly is not detected.
"""

import sys
from typing import Any

_NAMES = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_ADDRESSES = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


def forbid_network(*, sockets: bool = False) -> list[str]:
    """Refuse all further name look-ups and connections to other machines.

    Args:
        sockets: Also refuse to create any socket.

    Returns:
        The list to which attempts are appended.
    """
    attempts: list[str] = []

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if not event.startswith("socket."):
            return
        attempt = _attempt(event, arguments, sockets=sockets)
        if attempt:
            attempts.append(attempt)
            raise OSError(f"{attempt}: a benchmark must not need the network here")

    sys.addaudithook(refuse)
    return attempts


def _attempt(event: str, arguments: tuple[Any, ...], *, sockets: bool) -> str:
    if event in _NAMES:
        return f"{event} {arguments[0]}"
    if event in _ADDRESSES and isinstance(arguments[1], tuple):  # local sockets have a path
        return f"{event} {':'.join(map(str, arguments[1][:2]))}"
    return event if sockets and event == "socket.__new__" else ""
