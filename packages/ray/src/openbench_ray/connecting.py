"""Connects to a cluster, and turns Ray's errors into one sentence."""

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
_FAR = ("192.0.2.1", 9)  # an address reserved for documentation (RFC 5737); nothing is sent to it
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")


def connect(address: str, runtime_env: Mapping[str, Any] | None = None) -> None:
    """Connect this process to a cluster as a driver.

    Args:
        address: `HOST:PORT`, or `auto`.
        runtime_env: The runtime environment of all workers.

    Raises:
        OpenbenchError: There is no cluster, or it rejects this process.
    """
    address = _found() if address == AUTO else address
    _check_reachable(address)
    try:
        ensure_token_if_auth_enabled(create_token_if_missing=False)
        GcsClient(address=address)  # rejects a wrong token immediately, while ray.init retries for twenty seconds
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
            "no cluster was started on this machine. Give the address of the head: --address HOST:6379."
        ) from error


def reachable(address: str, seconds: float = _SECONDS) -> str | None:
    """Try to connect to `HOST:PORT`; return the error, or None."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except OSError as error:
        return error.strerror or str(error)
    except (UnicodeError, OverflowError):  # not valid in DNS or TCP
        return "it is not a valid address"
    return None


def _check_reachable(address: str) -> None:
    host, _, port = address.rpartition(":")
    if fault := reachable(address):
        raise OpenbenchError(f"--address {address}: no cluster is reachable there: {fault}.")
    if host in _LOOPBACK and reachable(f"{_own_address()}:{port}"):
        # Ray replaces the loopback address with this machine's own, at which a head bound to loopback cannot be
        # reached; this disables that.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        ray_constants.ENABLE_RAY_CLUSTER = False  # the variable was read at import


def _own_address() -> str:
    """Return this machine's external address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_FAR)
        except OSError:  # no network
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def _reason(error: Exception) -> str:
    text = str(error)
    versions = _VERSIONS.findall(text)
    if "ersion mismatch" in text and len(versions) == 2:  # noqa: PLR2004 - the cluster's and ours
        (ray_there, python_there), (ray_here, python_here) = versions
        return (
            f"the cluster has Ray {ray_there} and Python {python_there}, but this environment has Ray {ray_here} and "
            f"Python {python_here}. Both must match: install the cluster's versions here."
        )
    if isinstance(error, AuthenticationError) and "InvalidAuthToken" in text:
        return (
            "the cluster requires a token, which is missing or wrong here: RAY_AUTH_MODE, RAY_AUTH_TOKEN and "
            "RAY_AUTH_TOKEN_PATH must be as on its head."
        )
    if isinstance(error, AuthenticationError) or "oken" in text:
        return (
            "the cluster's token cannot be read: RAY_AUTH_MODE, RAY_AUTH_TOKEN and RAY_AUTH_TOKEN_PATH must be as on "
            f"its head. {_first(text).partition('. ')[0].rstrip('.')}."
        )
    if isinstance(error, ConnectionError | RpcError):
        return f"it is not the head of a Ray cluster: {_first(text)}"
    return f"Ray cannot connect: {_first(text)}"


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
