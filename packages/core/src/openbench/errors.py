"""The errors that a user can cause or meet, and the exit code that each one gives."""

SUCCESS = 0
FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
TERMINATED = 143


class OpenbenchError(Exception):
    """An evaluation could not do its job; the message says where, why and the way out."""

    exit_code = FAILED


class UsageError(OpenbenchError):
    """Something that can be known before the first request is wrong: a name, an option, a key."""

    exit_code = WRONG_USE


class UnknownNameError(UsageError):
    """No benchmark, group or path has the name that was given."""


class UnimportableError(UsageError):
    """The file of a local eval cannot be imported."""


class DataError(OpenbenchError):
    """A dataset cannot be had, or one of its rows does not fit the benchmark."""


class NotStoredError(DataError):
    """Rows are not in the data store, and must not be fetched."""


class LogError(OpenbenchError):
    """A log cannot be read, or does not hold what is asked of it."""
