"""The entry point of `bench`: runs a command line, and turns errors into messages and exit codes."""

import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from openbench.cli.completion import complete
from openbench.errors import FAILED, INTERRUPTED, SUCCESS, TERMINATED, OpenbenchError, UsageError
from openbench.run.process import clean_output, handle_sigterm, sigterm_received

_NEW_OBJECTS = 50_000
"""Objects allocated before a garbage collection: imports create thousands, and hardly any is garbage."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    with clean_output():
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    debug = "--debug" in arguments or os.environ.get("BENCH_DEBUG", "").lower() in {"1", "true", "yes"}
    try:
        _load_dotenv()
        if (code := complete(os.environ)) is not None:
            return code
        if not sys.stdout.isatty():
            os.environ["_TYPER_FORCE_DISABLE_TERMINAL"] = "1"  # GitHub's variables would put colours into a pipe
        from openbench.cli.app import call  # late: completing names needs no Typer

        return call(arguments)
    except KeyboardInterrupt as error:
        return _failed(error)
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):  # Typer's way to end after a broken pipe
            raise
        return _reader_left()
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:  # noqa: BLE001 - the last one to see it
        return _failed(error, debug=debug)


def _reader_left() -> int:
    """Succeed although the output is no longer read, as in `bench list | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard the rest
    return SUCCESS


def _load_dotenv() -> None:
    """Set the variables of the nearest `.env` file, from the working directory upward, unless they are set already.

    Inspect reads the same file, but only after options have been parsed and models made.
    """
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        if file := next((each for folder in (here, *here.parents) if (each := folder / ".env").is_file()), None):
            from dotenv import load_dotenv

            try:
                load_dotenv(file)
            except ValueError as error:
                raise UsageError(f"{file} cannot be read as variables: {error}") from error


def _failed(error: BaseException, *, debug: bool = False) -> int:
    # pydantic wraps the interrupt of a module's import in its own error; one that a plugin raises is not the user's.
    wrapped = "KeyboardInterrupt" in str(error) and not isinstance(error.__cause__, KeyboardInterrupt)
    if wrapped or isinstance(error, KeyboardInterrupt):
        sys.stderr.write("bench: interrupted\n")
        return INTERRUPTED
    if debug:
        import traceback

        traceback.print_exc()
    from openbench.redaction import redacted_text

    known = isinstance(error, OpenbenchError | OSError)
    defect = f"{type(error).__name__}: {error} (a bug; BENCH_DEBUG=1 shows the traceback)"
    sys.stderr.write(redacted_text(f"bench: {error if known else defect}") + "\n")
    return error.exit_code if isinstance(error, OpenbenchError) else FAILED


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(_NEW_OBJECTS)
    handle_sigterm()
    code = run()
    if code == INTERRUPTED and sigterm_received():
        code = TERMINATED
    with contextlib.suppress(OSError, ValueError):  # a plugin may still print when the process ends
        sys.stdout.flush()
        os.dup2(2, 1)
    gc.freeze()  # skip the collection at exit: the memory is freed anyway
    sys.exit(code)
