"""Makes one plain line of what inspect and its libraries say of an error."""

import re

from inspect_ai.log import EvalError

_MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]|\[/\]")


def plain_message(error: Exception) -> str:
    """Return an error's text without the markup and line breaks that inspect writes for its own display."""
    return _plain(str(getattr(error, "message", error)))


def logged_message(error: EvalError) -> str:
    """Return the line of a logged error that says what happened: the last one of its traceback."""
    lines = [line for line in error.traceback.splitlines() if line.strip()] or [error.message]
    return _plain(lines[-1])


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).removeprefix("ERROR: ")
