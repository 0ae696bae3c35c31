"""Errors as one plain line that people can read."""

import re
from pathlib import Path

from inspect_ai.log import EvalError

from openbench.run.paths import display_path

_CAUSE = "The above exception was the direct cause of the following exception:"
_TRACEBACK = "Traceback (most recent call last):"
_GIVEN_UP = "tenacity.RetryError"
_LINKS = ("For further information ", "For more information ")  # how pydantic and httpx end their errors
_VALIDATION = re.compile(r"^\S+: \d+ validation errors? for .+? \[type=[^\n]+", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]|\[link=[^\]]*\]|\[/\]")
_FRAME = re.compile(r'^ *File "([^"<]+)", line (\d+), in ', re.MULTILINE)
_NOT_OF_USERS = re.compile(r"/lib/python3|/(?:site|dist)-packages/(?!openbench_)|/inspect_ai/")
_CORE = str(Path(__file__).parents[1])


def plain_message(error: Exception) -> str:
    """Return an error's text without the markup and line breaks of Inspect's display."""
    return _plain(str(getattr(error, "message", error)))


def logged_message(error: EvalError) -> str:
    """Return the essential line of a logged error; see `traceback_message`."""
    return traceback_message(error.traceback) or _plain(error.message)


def located_message(error: EvalError) -> str:
    """Return the message of a logged error with the file and line of the benchmark's code that led to it, if any."""
    frames = _FRAME.findall(error.traceback)
    own = [frame for frame in frames if not _NOT_OF_USERS.search(frame[0]) and not frame[0].startswith(_CORE)]
    return f"{logged_message(error)}{f' ({display_path(own[-1][0])}, line {own[-1][1]})' if own else ''}"


def traceback_message(traceback: str) -> str:
    """Return the essential line of a traceback; an empty string if there is none.

    That is its last line, except for a link to more information. For an error of pydantic, which has lines for each
    fault, it is the first fault; for a request whose retries failed, it is the last failure.
    """
    lines = [line for line in traceback.splitlines() if line.strip() and not line.lstrip().startswith(_LINKS)]
    if lines and lines[-1].startswith(_GIVEN_UP) and _CAUSE in traceback:
        return traceback_message(traceback.rpartition(_CAUSE)[0])
    if invalid := _VALIDATION.search(traceback.rpartition(_TRACEBACK)[2]):
        return _plain(": ".join(line.strip() for line in invalid[0].splitlines()))
    return _plain(lines[-1]) if lines else ""


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).removeprefix("ERROR: ")
