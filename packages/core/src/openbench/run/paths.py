"""Locations of logs: local paths, and URLs such as `s3://bucket/folder` with any scheme that fsspec supports."""

import os
from pathlib import Path
from urllib.request import url2pathname

from openbench.errors import UsageError
from openbench.redaction import redacted_text

_FILE = "file://"


def is_remote(location: str) -> bool:
    """Return whether a location is a URL for fsspec."""
    return "://" in location and not location.startswith(_FILE)


def normalize_location(location: str) -> str:
    """Return a location with a `file://` URL turned into a path.

    Raises:
        UsageError: It is a URL that contains credentials, which each log would repeat, or names a file on another host.
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
    """Return the absolute path of a local location, without a scheme, or a remote location as it is."""
    return location.rstrip("/") if is_remote(location) else os.path.abspath(_path(location))  # noqa: PTH100 - symbolic links stay


def parent(location: str) -> str:
    """Return the directory that a log is in."""
    if not is_remote(location):
        return str(Path(location).parent)
    scheme, _, path = location.partition("://")
    return f"{scheme}://{path.rpartition('/')[0]}"


def relative_to(folder: str, location: str) -> str:
    """Return a local path relative to a directory, so that both can be moved together; others stay absolute."""
    base, path = absolute(folder), absolute(location)
    return path if is_remote(base) or is_remote(path) else Path(os.path.relpath(path, base)).as_posix()


def resolve(folder: str, location: str) -> str:
    """Return the location that `relative_to` was given, wherever the directory is now."""
    return location if is_remote(folder) or is_remote(location) else os.path.normpath(os.path.join(folder, location))  # noqa: PTH118 - it may be absolute


def display_path(location: str) -> str:
    """Return a location for display: paths below the working directory are relative to it."""
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
    # Inspect percent-encodes such URLs, and treats # and ? as parts of a name.
    return url2pathname(f"/{path.lstrip('/')}")
