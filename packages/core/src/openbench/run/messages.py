"""Makes one plain line of what inspect and its libraries say of an error."""

import re

from inspect_ai.log import EvalError

_MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]|\[/\]")


def plain_message(error: Exception) -> str:
    """Return an error's text without the markup and line breaks that inspect writes for its own display."""
    return _plain(str(getattr(error, "message", error)))


def logged_message(error: EvalError) -> str:
    """Return the line of a logged error that says what happened: the last one of its traceback."""
    return traceback_message(error.traceback) or _plain(error.message)


def traceback_message(traceback: str) -> str:
    """Return the last line of a traceback; empty if there is none."""
    lines = [line for line in traceback.splitlines() if line.strip()]
    return _plain(lines[-1]) if lines else ""


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).removeprefix("ERROR: ")
