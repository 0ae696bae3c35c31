"""The errors that a user can meet, and their exit codes."""

SUCCESS = 0
FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
TERMINATED = 143


class OpenbenchError(Exception):
    """An evaluation failed; the message states where, why and how to fix it."""

    exit_code = FAILED


class UsageError(OpenbenchError):
    """Invalid input, found before the first request: a name, an option, a key."""

    exit_code = WRONG_USE


class UnknownNameError(UsageError):
    """No benchmark, group or path has this name."""


class UnimportableError(UsageError):
    """The file of a local eval cannot be imported."""


class DataError(OpenbenchError):
    """A dataset cannot be loaded, or one of its rows does not fit the benchmark."""


class NotStoredError(DataError):
    """Rows are not in the data store, and may not be fetched."""


class LogError(OpenbenchError):
    """A log cannot be read, or lacks what was asked for."""
