"""Logs on other machines: whether they can be written and read, found out before anything is paid for."""

import contextlib
from typing import Any
from uuid import uuid4

import fsspec

from openbench.errors import UsageError
from openbench.run.messages import plain_message

# There are credentials of Azure's that may write and not remove, which inspect makes do with, too.
_MAY_KEEP = frozenset({"abfs", "abfss", "adl", "az"})


def check_writable(location: str, *, make: bool = True) -> None:
    """Write a small file into a log directory, and remove it.

    Nothing else is made: a bucket that is not there may be a slip of the pen.

    Args:
        location: The directory's address.
        make: Else nothing is written: it is enough that there is such a file system.

    Raises:
        UsageError: It cannot be written, and why.
    """
    file_system, path = _file_system(location)
    scheme = _scheme(location)
    if not path.strip("/"):
        raise UsageError(f"the log directory {location} names no place. Use --log-dir {scheme}://NAME/FOLDER.")
    if not make:
        return
    probe = f"{path.rstrip('/')}/.openbench-{uuid4().hex}"
    try:
        if path.startswith("/"):  # there are directories; else there are buckets, and names in them
            file_system.makedirs(path, exist_ok=True)
        file_system.pipe_file(probe, b"")
        with contextlib.suppress(*([OSError] if scheme in _MAY_KEEP else [])):
            file_system.rm_file(probe)
    except Exception as error:
        raise UsageError(f"the log directory {location} cannot be written: {_why(path, error)}.") from error


def check_log(location: str) -> None:
    """Find out whether there is a file, without reading it.

    Raises:
        UsageError: There is none, it is a directory, or it is out of reach, and why.
    """
    if _kind(location) == "directory":
        raise UsageError(f"{location} is a directory. Name the logs in it.")


def check_directory(location: str) -> None:
    """Find out whether there is a directory.

    Raises:
        UsageError: There is none, it is a file, or it is out of reach, and why.
    """
    if _kind(location) != "directory":
        raise UsageError(f"{location} is not a directory. Give the --log-dir of bench eval.")


def exists(location: str) -> bool:
    """Return whether there is something at an address.

    Raises:
        UsageError: It is out of reach, and why.
    """
    file_system, path = _file_system(location)
    try:
        return bool(file_system.exists(path))
    except Exception as error:
        raise UsageError(f"{location} cannot be read: {_why(path, error)}.") from error


def put(file: str, location: str) -> None:
    """Copy a local file to an address."""
    file_system, path = _file_system(location)
    file_system.put_file(file, path)


def move(location: str, to: str) -> None:
    """Give a file another name in its file system, in the place of a file that has it."""
    file_system, path = _file_system(location)
    file_system.mv(path, _file_system(to)[1])


def _kind(location: str) -> str:
    file_system, path = _file_system(location)
    try:
        return str(file_system.info(path)["type"])
    except FileNotFoundError as error:
        raise UsageError(f"{location} does not exist.") from error
    except Exception as error:
        raise UsageError(f"{location} cannot be read: {_why(path, error)}.") from error


def _file_system(location: str) -> tuple[Any, str]:
    """Return what fsspec has for an address, and its path there, without listings that may be old."""
    scheme = _scheme(location)
    if scheme not in fsspec.available_protocols():
        raise UsageError(
            f"{location}: there is no {scheme}://. Use a path, or one of fsspec's, such as s3://NAME/FOLDER."
        )
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(location, use_listings_cache=False)
    except ImportError as error:
        package = getattr(error.__cause__, "name", None) or error.name
        way_out = f"{package} is not installed. Install it: pip install {package}." if package else f"{error}."
        raise UsageError(f"{location}: {scheme}:// needs a package: {way_out}") from error
    except Exception as error:
        raise UsageError(f"{location} cannot be reached: {_why(location, error)}.") from error
    return found


def _scheme(location: str) -> str:
    return location.partition("://")[0]


def _why(path: str, error: Exception) -> str:
    """Return a clause on why something is out of reach, with the way out where there is one."""
    said = plain_message(error).rstrip(".")
    if type(error).__name__ == "NoCredentialsError":  # of botocore, which need not be installed
        return "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    match error:
        case FileNotFoundError() if not path.startswith("/"):
            return f"there is no bucket {path.partition('/')[0]}. Make it first"
        case PermissionError():
            return f"permission denied: {said}"
        case NotImplementedError():
            return "it is for reading alone"
    return f"{type(error).__name__}: {said}"
