"""Makes one plain line of what inspect and its libraries say of an error."""

import re

from inspect_ai.log import EvalError

_CAUSE = "The above exception was the direct cause of the following exception:"
_GIVEN_UP = "tenacity.RetryError"
_MARKUP = re.compile(r"\[/?[a-z][a-z ]*\]|\[/\]")


def plain_message(error: Exception) -> str:
    """Return an error's text without the markup and line breaks that inspect writes for its own display."""
    return _plain(str(getattr(error, "message", error)))


def logged_message(error: EvalError) -> str:
    """Return the line of a logged error that says what happened: the last one of its traceback.

    Of a request that was sent again until it was given up, it is that of the last failure.
    """
    return traceback_message(error.traceback) or _plain(error.message)


def traceback_message(traceback: str) -> str:
    """Return the last line of a traceback; empty if there is none."""
    lines = [line for line in traceback.splitlines() if line.strip()]
    if lines and lines[-1].startswith(_GIVEN_UP) and _CAUSE in traceback:
        return traceback_message(traceback.rpartition(_CAUSE)[0])
    return _plain(lines[-1]) if lines else ""


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).removeprefix("ERROR: ")
