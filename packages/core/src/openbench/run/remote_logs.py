"""Logs on other machines, through fsspec: whether they can be written and read, before anything is paid for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import fsspec

from openbench.errors import UsageError
from openbench.run.messages import plain_message


def check_writable(location: str, *, make: bool = True) -> None:
    """Write a small file into a log directory, and remove it.

    No bucket is made, since its name may be misspelled.

    Args:
        location: The directory's address.
        make: Otherwise nothing is written: it is enough that there is such a file system.

    Raises:
        UsageError: It cannot be written.
    """
    with _reached(location, f"the log directory {location} cannot be written") as (file_system, path):
        if not path.strip("/"):
            scheme = location.partition("://")[0]
            raise UsageError(f"the log directory {location} names no place. Use --log-dir {scheme}://NAME/FOLDER.")
        if make:
            probe = f"{path.rstrip('/')}/.openbench-{uuid4().hex}"
            if path.startswith("/"):  # directories, rather than buckets and names in them
                file_system.makedirs(path, exist_ok=True)
            file_system.pipe_file(probe, b"")
            file_system.rm_file(probe)


def check_log(location: str) -> None:
    """Check that there is a file, without reading it.

    Raises:
        UsageError: It does not exist, is a directory, or cannot be reached.
    """
    if _kind(location) == "directory":
        raise UsageError(f"{location} is a directory. Name the logs in it.")


def check_directory(location: str) -> None:
    """Check that there is a directory.

    Raises:
        UsageError: It does not exist, is a file, or cannot be reached.
    """
    if _kind(location) != "directory":
        raise UsageError(f"{location} is not a directory. Give the --log-dir of bench eval.")


def exists(location: str) -> bool:
    """Return whether there is something at an address.

    Raises:
        UsageError: It cannot be reached.
    """
    with _reached(location, f"{location} cannot be read") as (file_system, path):
        return bool(file_system.exists(path))


def put(file: str, location: str) -> None:
    """Copy a local file to an address."""
    file_system, path = _file_system(location)
    file_system.put_file(file, path)


def move(location: str, to: str) -> None:
    """Rename a file within its file system, in the place of a file that has the new name."""
    file_system, path = _file_system(location)
    file_system.mv(path, _file_system(to)[1])


def _kind(location: str) -> str:
    with _reached(location, f"{location} cannot be read") as (file_system, path):
        try:
            return str(file_system.info(path)["type"])
        except FileNotFoundError as error:
            raise UsageError(f"{location} does not exist.") from error


@contextmanager
def _reached(location: str, problem: str) -> Iterator[tuple[Any, str]]:
    """Give the file system of an address and the path in it; what fails with them is a `UsageError`."""
    file_system, path = _file_system(location)
    try:
        yield file_system, path
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{problem}: {_reason(path, error)}.") from error


def _file_system(location: str) -> tuple[Any, str]:
    """Return what fsspec has for an address, and its path there, without listings that may be old."""
    scheme = location.partition("://")[0]
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
        raise UsageError(f"{location} cannot be reached: {_reason(location, error)}.") from error
    return found


def _reason(path: str, error: Exception) -> str:
    if type(error).__name__ == "NoCredentialsError":  # of botocore, which need not be installed
        return "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    if isinstance(error, FileNotFoundError) and not path.startswith("/"):
        return f"there is no bucket {path.partition('/')[0]}. Make it first"
    return f"{type(error).__name__}: {plain_message(error).rstrip('.')}"
