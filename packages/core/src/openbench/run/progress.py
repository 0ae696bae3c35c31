"""One line that tells how a run is coming along: rewritten on a terminal, repeated every ten seconds elsewhere.

    1204/14042 samples, accuracy 0.713 ± 0.013, 99.2% answered, 12k tokens/s, 4 min left

`progress_line` shows it. What is recorded (`openbench.run.journal`) is told with `planned` and `sample_done`, and what
requests wait for with `waiting` (`openbench.run.hooks`); these do nothing where no line is shown. A thread of
the line's own does all the writing, also while nothing happens, so that a sample costs a few microseconds.

The mean is that of the scores behind the headline metric, as far as they are numbers, each epoch by itself; where the
metric is another figure, it is called the mean. It is left out where several tasks run, which have no common one.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TextIO

from inspect_ai.log import EvalSpec

from openbench.registry.names import counted
from openbench.run.headline import MEAN, Headline, expected_headline, labelled
from openbench.run.progress_figures import Figures, Tally

WIDTH = 79
TERMINAL_SECONDS = 0.2
PLAIN_SECONDS = 10.0

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_THOUSAND = 1000
_GRACE = 1.0
_LEAST_TELLING = ("tokens", "answered", "mean", "errors", "time")


@dataclass(frozen=True)
class Wait:
    """What a request waits for.

    Attributes:
        what: What comes after the wait.
        cause: Why there is one.
        until: When it is over, in seconds of the monotonic clock.
    """

    what: str
    cause: str
    until: float

    def text(self, now: float) -> str:
        """Return it with the seconds that are left; nothing once it is well over."""
        left = self.until - now
        return f"{self.what} in {max(left, 0):.0f} s ({self.cause})" if left > -_GRACE else ""


@dataclass
class Progress:
    """What is known of a run.

    Attributes:
        planned: The samples of each task, by its id.
        tally: What has ended.
        headline: The headline metric of the task that began last, if it has one.
        wait: What a request waits for, if one does.
        started: When the first task began.
        epochs: How often each sample of the task that began last runs.
    """

    planned: dict[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    headline: Headline | None = None
    wait: Wait | None = None
    started: float = field(default_factory=time.monotonic)
    epochs: int = 1

    def text(self, now: float, width: int = WIDTH) -> str:
        """Return the line in at most so many characters: what does not fit is left out, the least telling first."""
        parts = {
            "count": f"{self.tally.done}/{sum(self.planned.values())} samples",
            "mean": self._mean(),
            "answered": self._answered(),
            "errors": counted(self.tally.errors, "error") if self.tally.errors else "",
            "tokens": f"{_short(self.tally.tokens / max(now - self.started, 1e-9))} tokens/s" * bool(self.tally.tokens),
            "time": self._time(now),
            "wait": self.wait.text(now) if self.wait else "",
        }
        for least in _LEAST_TELLING:
            if len(", ".join(filter(None, parts.values()))) > width:
                parts[least] = ""
        return ", ".join(filter(None, parts.values()))[:width]

    def _mean(self) -> str:
        tally, headline = self.tally, self.headline
        if not tally.scored or len(self.planned) > 1:
            return ""
        known = tally.stderr is not None and sum(self.planned.values()) > self.epochs  # of one sample, it is not
        figure = f"{tally.mean:.3f}" + (f" ± {tally.stderr:.3f}" if known else "")
        if headline is None or not headline.is_mean:
            return f"mean {figure}"
        name = labelled(headline.metric, higher_is_better=headline.higher_is_better)
        return f"{name} {figure}{' per epoch' if headline.reducer != MEAN else ''}"

    def _answered(self) -> str:
        ended = self.tally.done - self.tally.errors
        if not ended:
            return ""
        share = self.tally.answered / ended
        return f"{share:.0%} answered" if share in (0.0, 1.0) else f"{share:.1%} answered"

    def _time(self, now: float) -> str:
        passed = now - self.started
        left = sum(self.planned.values()) - self.tally.done
        return f"{_duration(left * passed / self.tally.done)} left" if self.tally.done and left else _duration(passed)


class _Line:
    """Writes the progress of a run, from a thread of its own."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        # The stream as it was before inspect, which puts a proxy in its place that holds back unfinished lines.
        self._stream: TextIO = sys.stderr
        self._terminal = self._stream.isatty()
        self._width = 0
        self._last = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="openbench-progress", daemon=True)
        self._thread.start()

    def note(self, text: str) -> None:
        """Write a line of its own; on a terminal, in the place of this one, which is written anew below it."""
        self._write("\r" + text.ljust(self._width) + "\n" if self._terminal else f"{text}\n")
        self._last = ""

    def close(self) -> None:
        """Leave a clean terminal, or the final count."""
        self._over.set()
        self._thread.join()
        if self._terminal:
            self._write("\r" + " " * self._width + "\r" if self._width else "")
        else:
            self._show()

    def _run(self) -> None:
        while not self._over.wait(TERMINAL_SECONDS if self._terminal else PLAIN_SECONDS):
            self._show()

    def _show(self) -> None:
        if not self.progress.planned:
            return
        line = self.progress.text(time.monotonic(), min(WIDTH, self._columns() - 1))
        if not self._terminal:
            self._write(f"{line}\n")
        elif line != self._last:
            # One write, the rest of the old line blanked by it: nothing flickers.
            self._write("\r" + line.ljust(self._width))
            self._width, self._last = len(line), line

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or WIDTH + 1
        except (OSError, ValueError):
            return WIDTH + 1

    def _write(self, text: str) -> None:
        try:
            with _writing:
                self._stream.write(text)
                self._stream.flush()
        except (OSError, ValueError):  # the reader has gone, which is no reason to end a run
            self._over.set()


_active: Progress | None = None
_line: _Line | None = None
_elsewhere: Callable[[Wait], object] | None = None
_writing = threading.Lock()


def still() -> AbstractContextManager[object]:
    """Return a context in which the line is not written: a process may be divided there, and write to stderr."""
    return _writing


def shown() -> bool:
    """Return whether a line is being shown, so that what happens is worth telling."""
    return _active is not None


@contextmanager
def progress_line() -> Iterator[None]:
    """Show progress on stderr while the context lasts."""
    # inspect makes one instance of a hook for the process, and there is one terminal.
    global _active, _line  # noqa: PLW0603
    _active = Progress()
    line = _line = _Line(_active)
    try:
        yield
    finally:
        _active = _line = None
        line.close()


def note(text: str) -> None:
    """Write a line on stderr about something that a person should know while the run goes on; the progress stays."""
    if _line is not None:
        _line.note(text)
        return
    with suppress(OSError, ValueError):  # the reader has gone, as in `_write`
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def planned(spec: EvalSpec, samples: int) -> None:
    """Say that a task begins.

    Args:
        spec: The header of its log.
        samples: How many samples it runs, epochs included.
    """
    if _active is None:
        return
    if not _active.planned:
        _active.started = time.monotonic()
    _active.planned[spec.eval_id] = samples
    _active.headline = expected_headline(spec)
    _active.epochs = spec.config.epochs or 1


def sample_done(figures: Figures) -> None:
    """Say that a sample has ended, after its last attempt."""
    if _active is not None:
        _active.tally.add(figures)
        _active.wait = None


def waiting(what: str, seconds: float, cause: str) -> None:
    """Say that a request waits so many seconds for something, such as a retry, and why."""
    if _active is not None:
        wait = Wait(what, cause, time.monotonic() + seconds)
        _active.wait = wait
        if _elsewhere is not None:
            _elsewhere(wait)


def waits_elsewhere(wait: Wait) -> None:
    """Say what a request of another process of this machine waits for: all of them have one monotonic clock."""
    if _active is not None:
        _active.wait = wait


def tell_waits(tell: Callable[[Wait], object]) -> None:
    """Have what requests of this process wait for told to the one that shows the line, which it is divided from."""
    global _elsewhere  # noqa: PLW0603 - as for the line
    _elsewhere = tell


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h" if seconds < _DAY else f"{seconds / _DAY:.1f} days"


def _short(number: float) -> str:
    """Return a number in at most four characters."""
    for unit in ("", "k", "M"):
        if round(number) < _THOUSAND:
            return f"{number:.0f}{unit}" if number >= 10 or not unit else f"{number:.1f}{unit}"  # noqa: PLR2004
        number /= _THOUSAND
    return f"{number:.0f}G"
