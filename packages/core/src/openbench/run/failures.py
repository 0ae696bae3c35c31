"""What a log says of an exception."""

import traceback

from inspect_ai.log import EvalError

from openbench.run.redaction import redacted_error


def error_of(failure: BaseException) -> EvalError:
    """Return what the log says of an exception."""
    text = "".join(traceback.format_exception(failure))
    message = str(getattr(failure, "message", repr(failure)))
    return redacted_error(EvalError(message=message, traceback=text, traceback_ansi=text))
