"""Connects to a cluster, and makes one sentence of what keeps Ray from it."""

import logging
import os
import re
import socket
from collections.abc import Mapping
from typing import Any

import ray
from ray._private import ray_constants, services
from ray._private.authentication.authentication_token_setup import ensure_token_if_auth_enabled
from ray._raylet import GcsClient  # type: ignore[attr-defined]  # it is compiled
from ray.exceptions import AuthenticationError, RpcError

from openbench.errors import OpenbenchError

AUTO = "auto"
_SECONDS = 5.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_FAR = ("192.0.2.1", 9)  # an address of no one (RFC 5737); nothing is sent to it
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")


def connect(address: str, runtime_env: Mapping[str, Any] | None = None) -> None:
    """Become a driver of a cluster.

    Args:
        address: `HOST:PORT`, or `auto`.
        runtime_env: The runtime environment of all workers.

    Raises:
        OpenbenchError: There is no cluster, or it does not take this process.
    """
    address = _found() if address == AUTO else address
    _check_reachable(address)
    try:
        ensure_token_if_auth_enabled(create_token_if_missing=False)
        GcsClient(address=address)  # a wrong token is refused at once, with which ray.init tries for twenty seconds
        ray.init(
            address=address,
            runtime_env=dict(runtime_env) if runtime_env else None,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:
        raise OpenbenchError(f"--address {address}: {_reason(error)}") from error


def _found() -> str:
    try:
        return str(services.get_ray_address_from_environment(AUTO, None))
    except ConnectionError as error:
        raise OpenbenchError(
            "no cluster is known on this machine. Give the address of its head: --address HOST:6379."
        ) from error


def reachable(address: str, seconds: float = _SECONDS) -> str | None:
    """Try to reach `HOST:PORT`; return what is wrong."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except OSError as error:
        return error.strerror or str(error)
    except (UnicodeError, OverflowError):  # what DNS and TCP cannot write down
        return "there can be no such address"
    return None


def _check_reachable(address: str) -> None:
    host, _, port = address.rpartition(":")
    if fault := reachable(address):
        raise OpenbenchError(f"--address {address}: no cluster answers there: {fault}.")
    if host in _LOOPBACK and reachable(f"{_own_address()}:{port}"):
        # Ray takes the loopback address for this machine's own, where a head that is bound to loopback cannot be
        # reached; this is its switch against that.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        ray_constants.ENABLE_RAY_CLUSTER = False  # which it has read by now


def _own_address() -> str:
    """Return the address of this machine that others see."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_FAR)
        except OSError:  # it has no network
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _reason(error: Exception) -> str:
    text = str(error)
    versions = _VERSIONS.findall(text)
    if "ersion mismatch" in text and len(versions) == 2:  # noqa: PLR2004 - the cluster's and ours
        (ray_there, python_there), (ray_here, python_here) = versions
        return (
            f"the cluster has Ray {ray_there} and Python {python_there}, and here are Ray {ray_here} and Python "
            f"{python_here}. Both must be the same: install the cluster's here."
        )
    if isinstance(error, AuthenticationError) and "InvalidAuthToken" in text:
        return (
            "the cluster asks for a token, and takes none from here, or another one: RAY_AUTH_MODE, RAY_AUTH_TOKEN and "
            "RAY_AUTH_TOKEN_PATH must be as on its head."
        )
    if isinstance(error, AuthenticationError) or "oken" in text:
        return (
            "the cluster's token cannot be had: RAY_AUTH_MODE, RAY_AUTH_TOKEN and RAY_AUTH_TOKEN_PATH must be as on "
            f"its head. {_first(text).partition('. ')[0].rstrip('.')}."
        )
    if isinstance(error, ConnectionError | RpcError):
        return f"it answers, but not as the head of a Ray cluster does: {_first(text)}"
    return f"Ray cannot connect: {_first(text)}"


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "it does not say why")
