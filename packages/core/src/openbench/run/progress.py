"""The output of a run on stderr while it runs: notes to the user, and progress.

The progress is shown by Inspect, or by a `Display` that a distribution registers in the entry-point group
`openbench.displays`: the default, `line`, is that of openbench-fast.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from inspect_ai.log import EvalSample, EvalSpec

from openbench.registry.discovery import DISPLAYS, by_name
from openbench.registry.plugin_loader import load_function

LINE = "line"


class Display(ABC):
    """Shows the progress of a run, from when it is made until it is closed; its methods are called in any thread."""

    @abstractmethod
    def begin(self, job: str, spec: EvalSpec, samples: int) -> None:
        """Show that a job begins, with the number of its samples that are to run."""

    @abstractmethod
    def ended(self, job: str, sample: EvalSample) -> None:
        """Show that a sample has ended, after its last attempt."""

    @abstractmethod
    def waiting(self, what: str, seconds: float, cause: str) -> None:
        """Show that a request waits for something, such as a retry, and why."""

    @abstractmethod
    def note(self, text: str) -> None:
        """Write a separate line."""

    @abstractmethod
    def close(self) -> None:
        """Leave a clean terminal."""


_display: Display | None = None


@contextmanager
def showing(display: Display | None) -> Iterator[None]:
    """Show progress on a display while the context lasts, and close it."""
    global _display  # noqa: PLW0603 - Inspect makes one instance of a hook per process, and there is one terminal
    _display = display
    try:
        yield
    finally:
        _display = None
        if display:
            display.close()


def current() -> Display | None:
    """Return the display that shows the run."""
    return _display


def load_display(name: str) -> Display | None:
    """Make the display of a name; None for those of Inspect."""
    found = by_name(DISPLAYS).get(name)
    display: Display | None = load_function(f"--display {name}", found)() if found else None
    return display


def display_of_inspect(name: str) -> str:
    """Return the display that Inspect shows: none for a registered display, and a default if `line` is not one."""
    if name in by_name(DISPLAYS):
        return "none"
    return name if name != LINE else "rich" if sys.stderr.isatty() else "none"


def note(text: str) -> None:
    """Write a line for the user to stderr during a run, above the progress."""
    if _display is not None:
        _display.note(text)
        return
    with suppress(OSError, ValueError):  # the reader has gone
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def begin(job: str, spec: EvalSpec, samples: int) -> None:
    """Report that a job begins; see `Display`."""
    if _display is not None:
        _display.begin(job, spec, samples)


def ended(job: str, sample: EvalSample) -> None:
    """Report that a sample has ended; see `Display`."""
    if _display is not None:
        _display.ended(job, sample)


def waiting(what: str, seconds: float, cause: str) -> None:
    """Report that a request waits; see `Display`."""
    if _display is not None:
        _display.waiting(what, seconds, cause)
