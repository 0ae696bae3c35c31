"""Loads what plugins register. A plugin that misbehaves costs one reported problem, and a few seconds at most.

Plugins are loaded in a thread: there, `SystemExit` is an ordinary exception, a `KeyboardInterrupt` can only be the
plugin's own (Python raises the user's in the main thread), and a call that never returns can be abandoned.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from openbench.errors import UsageError
from openbench.registry.discovery import PLUGINS_VARIABLE, Problem, Registered, by_name
from openbench.registry.names import is_distribution

T = TypeVar("T")

SECONDS_VARIABLE = "OPENBENCH_PLUGIN_TIMEOUT"
_SECONDS = 10.0


class PluginError(UsageError):
    """An entry point cannot be used; `problem` has the cause and the remedy."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem}. {problem.remedy}.")
        self.problem = problem


class TookTooLongError(Exception):
    """A plugin did not return in time."""


# An abandoned thread keeps the import lock of its module, so another import of the package would hang as well.
_hung: dict[str, TookTooLongError] = {}

Outcome = tuple[T | None, BaseException | None]


def load_each(entry_points: Sequence[Registered], read: Callable[[Registered], T]) -> list[Outcome[T]]:
    """Load entry points one after another, in a thread and with stdout redirected to stderr.

    The outcome of each is what `read`, which runs the plugin's code, returned or raised, or `TookTooLongError` after
    the time limit (`OPENBENCH_PLUGIN_TIMEOUT`). A package that timed out is not called again.
    """
    limit = _limit()
    outcomes: list[Outcome[T]] = []
    with _stdout_to_stderr():
        while len(outcomes) < len(entry_points):
            waiting = [*entry_points[len(outcomes) :]]
            done: list[Outcome[T]] = []
            thread = threading.Thread(target=_load_all, args=(waiting, read, done), daemon=True)
            thread.start()
            count = -1
            while thread.is_alive() and len(done) > count:
                count = len(done)
                thread.join(limit)
            if thread.is_alive() and count < len(waiting):
                error = TookTooLongError(f"timed out after {limit:g} s")
                _hung[waiting[count].package] = error
                waiting.clear()  # the thread ends if the call returns after all
                done = [*done[:count], (None, error)]
            outcomes += done
    return outcomes


def _load_all(waiting: Sequence[Registered], read: Callable[[Registered], T], done: list[Outcome[T]]) -> None:
    for found in waiting:
        try:
            error = _hung.get(found.package)
            done.append((None, error) if error else (read(found), None))
        except BaseException as error:  # noqa: BLE001 - see the module's first paragraph
            done.append((None, error))


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """Redirect stdout, which is for results, to stderr: for Python, for C libraries and for child processes."""
    try:
        _flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # a process may have no standard streams
        yield
        return
    try:
        # A new file object, since a plugin may close it.
        with open(1, "w", errors="backslashreplace", closefd=False) as file, contextlib.redirect_stdout(file):
            yield
    finally:
        _flush()
        os.dup2(saved, 1)
        os.close(saved)


def _flush() -> None:
    if sys.__stdout__ and not sys.__stdout__.closed:
        sys.__stdout__.flush()


def _limit() -> float:
    given = os.environ.get(SECONDS_VARIABLE, "").strip()
    try:
        seconds = float(given or _SECONDS)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UsageError(f"{SECONDS_VARIABLE}={given}: expected a number of seconds above 0.")
    return min(seconds, threading.TIMEOUT_MAX)


def load(found: Registered, fits: Callable[[object], T | None], expected: str) -> T:
    """Load an entry point; `fits` returns its value if it is of the `expected` type, else None."""
    loaded: list[object] = []

    def read(found: Registered) -> T | None:
        loaded.append(found.load())
        return fits(loaded[0])

    ((value, error),) = load_each([found], read)
    if error is not None:
        raise PluginError(load_problem(found, error)) from error
    if value is None:
        raise PluginError(problem(found, f"refers to {described(loaded[0])}, expected {expected}"))
    return value


def load_only(what: str, found: Sequence[Registered], fits: Callable[[object], T | None], expected: str) -> T:
    """Load what exactly one distribution registers under a name, or raise `UsageError`; see `load`.

    Messages begin with `what`, which the user asked for: `bench check`, `--executor ray`.
    """
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions provide it: {' and '.join(map(str, found))}. Uninstall one, or name the "
            f"plugins to use in {PLUGINS_VARIABLE}."
        )
    try:
        return load(found[0], fits, expected)
    except PluginError as error:
        raise UsageError(f"{what}: {error}") from error.__cause__


def load_function(what: str, found: Sequence[Registered]) -> Callable[..., Any]:
    """Load the function that exactly one distribution registers under a name; see `load_only`."""

    def fits(it: object) -> Callable[..., Any] | None:
        return it if callable(it) else None

    return load_only(what, found, fits, "a function")


def find_value(what: str, name: str, group: str, own: Mapping[str, T], ours: Mapping[str, str], expected: str) -> T:
    """Find a value by name among core's `own`, all of one type, and those that distributions register.

    Messages begin with `what`, which the user asked for (`language='Greek'`); `ours` maps further names to the
    packages of openbench that provide them.

    Raises:
        UsageError: No value has the name, or several distributions register it.
    """
    if name in own:
        return own[name]
    kind, installed = type(next(iter(own.values()))), by_name(group)
    if name in installed:
        return load_only(what, installed[name], lambda it: it if isinstance(it, kind) else None, expected)
    if name in ours:
        raise UsageError(f"{what} comes with {ours[name]}: pip install {ours[name]}")
    raise UsageError(f"{what} is unknown. Known: {', '.join(dict.fromkeys((*own, *ours, *installed)))}.")


def problem(found: Registered, message: str, *, remedy: str = "", loaded: bool = False) -> Problem:
    """Return a problem of an entry point; the default remedy is to uninstall its distribution."""
    without = f"Report it to the authors of {found.distribution}, or {_uninstall(found)}"
    return Problem(found.distribution, found.name, message, remedy or without, loaded)


def load_problem(found: Registered, error: BaseException) -> Problem:
    """Return the problem of an entry point that could not be loaded."""
    if isinstance(error, TookTooLongError):
        remedy = (
            f"Either {_uninstall(found)}. Or give it more time with {SECONDS_VARIABLE}, in seconds, or leave it out "
            f"with {PLUGINS_VARIABLE}, which names the plugins that are used"
        )
        return problem(found, str(error), remedy=remedy)
    remedy = ""
    if isinstance(error, ModuleNotFoundError) and is_distribution(found.distribution):
        remedy = f"Reinstall it with its dependencies: pip install --force-reinstall {found.distribution}"
    return problem(found, described_error(error), remedy=remedy)


def described(value: object) -> str:
    """Return the type of a value, for messages."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return "nothing" if value is None else f"{'an' if name[:1] in {*'aeiouAEIOU'} else 'a'} {name}"


def described_error(error: BaseException) -> str:
    """Return the type and text of an error, even of one whose `__str__` fails."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - it runs the plugin's code
        return f"{name}, which cannot be shown"
    return f"{name}: {text}" if text else name


def _uninstall(found: Registered) -> str:
    command = f": pip uninstall {found.distribution}" if is_distribution(found.distribution) else ""
    return f"uninstall it{command}"
