"""Loads what plugins register, under guard.

A plugin is a stranger's code. Whatever one does while it is loaded costs one problem, a few seconds at most, and
nothing else: it may raise, exit, print, or never return. Only what never releases the interpreter itself, as an
extension module can, is beyond it.
"""

import contextlib
import io
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from openbench.errors import UsageError
from openbench.registry.discovery import PLUGINS_VARIABLE, Problem, Registered
from openbench.registry.names import is_distribution

T = TypeVar("T")

SECONDS_VARIABLE = "OPENBENCH_PLUGIN_TIMEOUT"
_SECONDS = 10.0
_MOST_PRINTED = 65_536


class PluginError(UsageError):
    """What a plugin registers cannot be used; `problem` says why, and the way out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem}. {problem.remedy}.")
        self.problem = problem


def load(found: Registered, fits: Callable[[object], T | None], expected: str) -> T:
    """Load an entry point under guard.

    Args:
        found: The entry point.
        fits: Returns what was loaded if it is of the right type, else None.
        expected: The right type, for messages.

    Raises:
        PluginError: It cannot be loaded, or it is something else.
    """

    def read() -> tuple[object, T | None]:
        value = found.load()
        return value, fits(value)

    with Guard() as guard:
        outcome = guard.call(found.module, read)
    if outcome.error is not None:
        raise PluginError(load_problem(found, outcome.error)) from outcome.error
    value, loaded = outcome.value
    if loaded is None:
        given = f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
        raise PluginError(problem(found, f"gives {given} where {expected} is expected"))
    return loaded  # type: ignore[no-any-return]


def load_only(what: str, found: Sequence[Registered], fits: Callable[[object], T | None], expected: str) -> T:
    """Load what exactly one distribution registers under a name.

    Args:
        what: What the user asked for, for messages: `bench check`, `--executor ray`.
        found: Who registers it: one distribution at least.
        fits: As for `load`.
        expected: Likewise.

    Raises:
        UsageError: Several distributions do, it cannot be loaded, or it is something else.
    """
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions bring it: {' and '.join(map(str, found))}. Uninstall one, or name the "
            f"plugins to use in {PLUGINS_VARIABLE}."
        )
    try:
        return load(found[0], fits, expected)
    except PluginError as error:
        raise UsageError(f"{what}: {error}") from error.__cause__


def problem(found: Registered, message: str, *, remedy: str = "", loaded: bool = False) -> Problem:
    """Return a problem of an entry point; by default the way out is to do without its distribution."""
    without = f"Tell the authors of {found.distribution}, or {_uninstall(found)}"
    return Problem(found.distribution, found.name, message, remedy or without, loaded)


def load_problem(found: Registered, error: BaseException) -> Problem:
    """Return the problem of an entry point that could not be loaded."""
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        return _missing_module(found, error.name)
    if isinstance(error, TookTooLongError):
        remedy = (
            f"Either {_uninstall(found)}. Or give it more time with {SECONDS_VARIABLE}, in seconds, or leave it out "
            f"with {PLUGINS_VARIABLE}, which names the plugins that are used"
        )
        return problem(found, str(error), remedy=remedy)
    return problem(found, described_error(error))


def described_error(error: BaseException) -> str:
    """Return an error's type and text; a stranger's error may not even have one."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - it runs the stranger's code
        return f"{name}, which cannot be shown"
    return f"{name}: {text}" if text else name


def _uninstall(found: Registered) -> str:
    command = f": pip uninstall {found.distribution}" if is_distribution(found.distribution) else ""
    return f"uninstall it{command}"


def _missing_module(found: Registered, module: str) -> Problem:
    """Tell a module of the plugin itself from one of a dependency, and find out what to install."""
    import shlex  # noqa: PLC0415 - only a broken plugin pays for it

    if module.partition(".")[0] == found.module.partition(".")[0]:
        remedy = f"Reinstall it: pip install --force-reinstall --no-deps {found.distribution}"
        return problem(found, f"its own module {module!r} does not exist", remedy=remedy)
    missing = list(_missing_requirements(found.distribution))
    guess = module.partition(".")[0].replace("_", "-")
    install = " ".join(map(shlex.quote, missing)) or (guess if is_distribution(guess) else "what provides it")
    note = "" if missing else f", which {found.distribution} does not declare as a dependency"
    return problem(
        found,
        f"needs the module {module!r}, which is not installed: pip install {install}",
        remedy=f"Install it: pip install {install}{note}",
    )


def _missing_requirements(name: str) -> Iterator[str]:
    """Yield the requirements of a distribution that are not installed; extras and other platforms' are left out."""
    from importlib.metadata import PackageNotFoundError, distribution, requires  # noqa: PLC0415 - likewise

    try:
        requirements: Sequence[str] = requires(name) or ()
    except (PackageNotFoundError, ValueError):
        return
    for requirement in requirements:
        match = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)[^;]*(.*)$", requirement)
        if match and not match[2]:
            try:
                distribution(match[1])
            except PackageNotFoundError:
                yield requirement.strip()


class TookTooLongError(Exception):
    """Code did not return in time; the message says how long it had and where it was."""


class Outcome(NamedTuple):
    """What a guarded call returned, raised and printed.

    Attributes:
        value: What it returned; None if it raised.
        error: What it raised, whatever it is; None if it returned.
        printed: What it wrote to stdout.
    """

    value: Any
    error: BaseException | None
    printed: str


class Guard:
    """Calls functions in a thread of their own, with a time limit and stdout set aside.

    In a thread, an exit is an exception like any other, a `KeyboardInterrupt` is the plugin's own (Python gives the
    user's to the main thread), and what never ends can be left behind.
    """

    # A thread that is left behind keeps the lock of the module that it imports, so that others would wait for it, too.
    _hung: ClassVar[dict[str, TookTooLongError]] = {}

    def __init__(self) -> None:
        """Make a guard.

        Raises:
            UsageError: The time limit in `OPENBENCH_PLUGIN_TIMEOUT` is not a number of seconds.
        """
        self._seconds = _seconds()
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        """Enter the context in which calls are made."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the thread; after an error, it may be in the middle of a call that never ends."""
        if self._worker:
            self._worker.end(wait=kind is None)

    def call(self, module: str, function: Callable[[], Any]) -> Outcome:
        """Call a function; a `TookTooLongError` is the outcome if it does not return in time.

        Args:
            module: The module whose code it runs; once one has hung, it is not called again.
            function: The function.
        """
        package = module.partition(".")[0]
        if package in self._hung:
            return Outcome(None, self._hung[package], "")
        self._worker = self._worker or _Worker()
        with _Aside() as aside:
            answer = self._worker.ask(function, self._seconds)
            if answer is None:
                hung, self._worker = self._worker, None
                error = self._hung[package] = TookTooLongError(f"timed out after {self._seconds:g} s {hung.where()}")
                answer = None, error
        value, raised = answer
        return Outcome(value, raised, aside.printed)


class _Worker:
    """A thread that answers one call after the other."""

    def __init__(self) -> None:
        self._call: Callable[[], Any] | None = None
        self._answer: tuple[Any, BaseException | None] | None = None
        # Plain locks: `queue` and `threading.Event` cost more than a plugin of one benchmark.
        self._asked, self._answered = threading.Lock(), threading.Lock()
        self._asked.acquire()
        self._answered.acquire()
        self._thread = threading.Thread(target=self._run, name="openbench-plugins", daemon=True)
        self._thread.start()

    def ask(self, function: Callable[[], Any], seconds: float) -> tuple[Any, BaseException | None] | None:
        """Return what a function returned and raised; None if it does not end in time."""
        self._call = function
        self._asked.release()
        return self._answer if self._answered.acquire(timeout=seconds) else None

    def end(self, *, wait: bool) -> None:
        self._call = None
        with contextlib.suppress(RuntimeError):  # interrupted before the thread took the last call
            self._asked.release()
        if wait:
            self._thread.join()

    def where(self) -> str:
        """Return at which line the thread is: the innermost one that is no part of Python itself, nor of ours."""
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - documented, in spite of its name
        found = next(_foreign(frame), None)
        return f"at {found.f_code.co_filename}, line {found.f_lineno}" if found else "in code that cannot be seen"

    def _run(self) -> None:
        while self._asked.acquire() and (function := self._call) is not None:
            try:
                self._answer = function(), None
            except BaseException as error:  # noqa: BLE001 - see the module's first paragraph
                self._answer = None, error
            self._answered.release()


def _foreign(frame: FrameType | None) -> Iterator[FrameType]:
    while frame:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in sys.stdlib_module_names and package != __name__.partition(".")[0]:
            yield frame
        frame = frame.f_back


class _Aside:
    """Sets stdout aside, which is for results and may be JSON: Python's, and the file that lies under it."""

    def __init__(self) -> None:
        self.printed = ""

    def __enter__(self) -> Self:
        self._python = contextlib.redirect_stdout(io.StringIO())
        self._text = self._python.__enter__()
        self._pipe: tuple[int, int] | None = None
        # A process may have no standard streams, and Windows no pipes that refuse to wait.
        with contextlib.suppress(OSError, AttributeError):
            _flush()
            set_blocking = os.set_blocking
            saved = os.dup(1)
            read, write = os.pipe()
            set_blocking(read, False)
            set_blocking(write, False)  # whoever prints more than the pipe holds gets an error, and does not hang
            os.dup2(write, 1)
            os.close(write)
            self._pipe = saved, read
        return self

    def __exit__(self, *_: object) -> None:
        if self._pipe:
            saved, read = self._pipe
            _flush()
            os.dup2(saved, 1)
            os.close(saved)
            with contextlib.suppress(BlockingIOError):
                self.printed = os.read(read, _MOST_PRINTED).decode("utf-8", "replace")
            os.close(read)
        self._python.__exit__(None, None, None)
        if not self._text.closed:
            self.printed += self._text.getvalue()


def _flush() -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.__stdout__.flush()  # type: ignore[union-attr]


def _seconds() -> float:
    given = os.environ.get(SECONDS_VARIABLE, "").strip()
    try:
        seconds = float(given or _SECONDS)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UsageError(f"{SECONDS_VARIABLE}={given}: expected a number of seconds above 0.")
    return min(seconds, threading.TIMEOUT_MAX)
