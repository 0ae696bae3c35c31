"""Exceptions as log entries."""

import traceback

from inspect_ai.log import EvalError

from openbench.run.log_redaction import redacted_error


def error_of(failure: BaseException) -> EvalError:
    """Return an exception as a log's error, without secrets."""
    text = "".join(traceback.format_exception(failure))
    message = str(getattr(failure, "message", repr(failure)))
    return redacted_error(EvalError(message=message, traceback=text, traceback_ansi=text))
