"""Where logs lie: paths on this machine, and addresses such as `s3://bucket/folder`, in any scheme of fsspec's."""

import os
from pathlib import Path
from urllib.request import url2pathname

from openbench.errors import UsageError
from openbench.redaction import redacted_text

_FILE = "file://"


def is_remote(location: str) -> bool:
    """Return whether a location is an address that fsspec is asked for."""
    return "://" in location and not location.startswith(_FILE)


def normalize_location(location: str) -> str:
    """Return a location as the rest of a command has it: a `file://` address as a path.

    Raises:
        UsageError: It is an address with a secret in it, which each log would be named after, or of a file elsewhere.
    """
    if not is_remote(location):
        return _path(location)
    if (clean := redacted_text(location)) != location:
        raise UsageError(
            f"{clean} contains credentials that would be logged. Pass them in environment variables, such as "
            "AWS_SECRET_ACCESS_KEY."
        )
    return location


def absolute(location: str) -> str:
    """Return a local path from the root, without a scheme; a remote one as it is.

    Raises:
        UsageError: It is an address of a file elsewhere.
    """
    return location.rstrip("/") if is_remote(location) else os.path.abspath(_path(location))  # noqa: PTH100 - links stay


def parent(location: str) -> str:
    """Return the directory that a log is in."""
    if not is_remote(location):
        return str(Path(location).parent)
    scheme, _, path = location.partition("://")
    return f"{scheme}://{path.rpartition('/')[0]}"


def relative_to(folder: str, location: str) -> str:
    """Return a local path as seen from a directory, so that both can be moved together.

    What is remote, or is seen from there, stays as it is.
    """
    base, path = absolute(folder), absolute(location)
    return path if is_remote(base) or is_remote(path) else Path(os.path.relpath(path, base)).as_posix()


def resolve(folder: str, location: str) -> str:
    """Return what `relative_to` was given, wherever the directory is now."""
    return location if is_remote(folder) or is_remote(location) else os.path.normpath(os.path.join(folder, location))  # noqa: PTH118 - it may be absolute


def display_path(location: str) -> str:
    """Return a location for display: a path below the working directory as seen from there."""
    if is_remote(location):
        return location
    path = Path(absolute(location))
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _path(location: str) -> str:
    if not location.startswith(_FILE):
        return location
    host, _, path = location.removeprefix(_FILE).partition("/")
    if host not in {"", "localhost"}:
        raise UsageError(f"{location} is a file of the host {host!r}. Use a path, or a URL without a host: {_FILE}/…")
    # inspect writes such addresses with what a URL cannot hold as %20, and takes # and ? for parts of a name.
    return url2pathname(f"/{path.lstrip('/')}")
