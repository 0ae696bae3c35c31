"""The output of a run on stderr while it runs: notes to the user, and progress.

The progress is shown by Inspect, or by a `Display` that a distribution registers in the entry-point group
`openbench.displays`: the default, `line`, is that of openbench-fast.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from inspect_ai.log import EvalSample, EvalSpec

from openbench.registry.discovery import DISPLAYS, by_name
from openbench.registry.plugin_loader import load_function

LINE = "line"


class Display:
    """Shows the progress of a run, from when it is made until it is closed; its methods are called in any thread.

    This one shows no progress; subclasses do.
    """

    def begin(self, job: str, spec: EvalSpec, samples: int) -> None:
        """Show that a job begins, with the number of its samples that are to run."""

    def ended(self, job: str, sample: EvalSample) -> None:
        """Show that a sample has ended, after its last attempt."""

    def waiting(self, what: str, seconds: float, cause: str) -> None:
        """Show that a request waits for something, such as a retry, and why."""

    def note(self, text: str) -> None:
        """Write a separate line."""
        with suppress(OSError, ValueError):  # the reader has gone
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def close(self) -> None:
        """Leave a clean terminal."""


_display = Display()


@contextmanager
def showing(display: Display) -> Iterator[None]:
    """Show progress on a display while the context lasts, and close it."""
    global _display  # noqa: PLW0603 - Inspect makes one instance of a hook per process, and there is one terminal
    before, _display = _display, display
    try:
        yield
    finally:
        _display = before
        display.close()


def current() -> Display:
    """Return the display that shows the run."""
    return _display


def load_display(name: str) -> Display:
    """Make the display of a name; one that shows no progress for those of Inspect."""
    found = by_name(DISPLAYS).get(name)
    display: Display = load_function(f"--display {name}", found)() if found else Display()
    return display


def display_of_inspect(name: str) -> str:
    """Return the display that Inspect shows: none for a registered display, and a default if `line` is not one."""
    if name in by_name(DISPLAYS):
        return "none"
    return name if name != LINE else "rich" if sys.stderr.isatty() else "none"


def note(text: str) -> None:
    """Write a line for the user to stderr, during a run above its progress."""
    _display.note(text)
