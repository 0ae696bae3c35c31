"""What is wrong with a file that should be a log, in words for its reader."""

import re

import fsspec
from pydantic import ValidationError

TOO_NEW = "a newer inspect-ai wrote it. Update this one: pip install -U inspect-ai"

_ZIP, _ZIP_END = b"PK\x03\x04", b"PK\x05\x06"
_END_BYTES = 1 << 16  # a zip archive's last record is among these
_NO_LOG = "it is no log of inspect's"
_CUT = "it is cut short. bench eval --resume DIR makes the logs of a run again, of its directory in runs/"
_NO_VERSION = "Unable to read version of log format"
_TOO_NEW = re.compile(r"version \d+ of log format")


def damage(location: str) -> str | None:
    """Return what the ends of a file tell of it, which a header that is read alone does not show.

    Returns:
        A clause; None if nothing is wrong that can be seen there.

    Raises:
        FileNotFoundError: There is no file.
    """
    file_system, path = fsspec.core.url_to_fs(location, use_listings_cache=False)
    size = file_system.info(path)["size"]
    if not location.endswith((".eval", ".json")):
        return "its name ends in neither .eval nor .json"
    if not size:
        return "it is empty"
    start = file_system.cat_file(path, start=0, end=min(size, 64))
    end = file_system.cat_file(path, start=max(0, size - _END_BYTES), end=size)
    if location.endswith(".eval"):
        begun, ended = start.startswith(_ZIP), _ZIP_END in end
    else:
        begun, ended = start.lstrip().startswith(b"{"), end.rstrip().endswith(b"}")
    return None if begun and ended else _CUT if begun else _NO_LOG


def described(error: Exception) -> str:
    """Return a clause on an error of inspect's when it reads a log."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"] if "(" not in str(part))
        return f"it is no log that this inspect-ai reads, since its {where or 'content'} is wrong: {first['msg']}"
    if str(error).startswith("Unable to read log file") and isinstance(error.__cause__, Exception):
        return described(error.__cause__)
    if _TOO_NEW.search(str(error)):
        return TOO_NEW
    if _NO_VERSION in str(error) or isinstance(error, KeyError):  # that is a part which its archive lacks
        return _NO_LOG
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(error)
    return f"{type(error).__name__}: {next(iter(text.splitlines()), '')}"
