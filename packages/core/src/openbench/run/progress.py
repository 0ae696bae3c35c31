"""One line that shows the progress of a run: redrawn on a terminal, repeated every ten seconds elsewhere.

    1204/14042 samples, accuracy 0.713, 99.2% answered, 4 min left

`progress_line` shows it. Engines report to it with `planned`, `sample_done` and `waiting`, which do nothing where no
line is shown. A thread of its own writes the line, so that a sample costs a few microseconds.

The mean is that of the scores behind the headline metric, as far as they are numbers, with each epoch on its own; where
the metric is another figure, it is called the mean. It is left out where several tasks run.
"""

import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from shutil import get_terminal_size
from typing import NamedTuple, TextIO

from inspect_ai.log import EvalSample, EvalSpec
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Value

from openbench.registry.names import counted
from openbench.run.summary import MEAN, Headline, expected_headline, is_answered_sample

WIDTH = 79
TERMINAL_SECONDS = 0.2
PLAIN_SECONDS = 10.0

_LETTERS = {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0}


class Figures(NamedTuple):
    """What a sample adds to the progress; plain values, so that another process can send them.

    Attributes:
        error: Whether it ended in an error.
        answered: Whether it ended with an answer.
        score: Its score; None if that is not a number.
    """

    error: bool
    answered: bool
    score: float | None


def figures_of(sample: EvalSample, headline: Headline | None) -> Figures:
    """Read the figures of a sample that has ended; without a headline, its score is that of the first scorer."""
    if sample.error is not None:
        return Figures(error=True, answered=False, score=None)
    scores = sample.scores or {}
    score = scores.get(headline.scorer if headline else "") or next(iter(scores.values()), None)
    number = _number(score.value, headline.key if headline else None) if score else None
    return Figures(error=False, answered=is_answered_sample(sample), score=number)


@dataclass
class Progress:
    """The progress of a run; `headline` is that of the task that began last."""

    planned: dict[str, int] = field(default_factory=dict)
    headline: Headline | None = None
    started: float = field(default_factory=time.monotonic)
    wait: tuple[str, str, float] = ("", "", 0.0)
    done: int = 0
    errors: int = 0
    answered: int = 0
    scored: int = 0
    sum: float = 0.0

    def add(self, figures: Figures) -> None:
        """Add a sample that has ended."""
        self.done += 1
        self.errors += figures.error
        self.answered += figures.answered
        self.wait = ("", "", 0.0)
        if figures.score is not None:
            self.scored += 1
            self.sum += figures.score

    def text(self, now: float, width: int = WIDTH) -> str:
        """Return the line in at most `width` characters."""
        what, cause, until = self.wait
        parts = (
            f"{self.done}/{sum(self.planned.values())} samples",
            self._mean_text(),
            f"{self.answered / (self.done - self.errors):.1%} answered" if self.done > self.errors else "",
            counted(self.errors, "error") if self.errors else "",
            self._time_text(now),
            f"{what} in {until - now:.0f} s ({cause})" if until > now else "",
        )
        return ", ".join(filter(None, parts))[:width]

    def _mean_text(self) -> str:
        if not self.scored or len(self.planned) > 1:
            return ""
        headline = self.headline
        name = headline.label if headline and headline.is_mean else MEAN
        return f"{name} {self.sum / self.scored:.3f}"

    def _time_text(self, now: float) -> str:
        passed = now - self.started
        left = sum(self.planned.values()) - self.done
        return f"{_duration(left * passed / self.done)} left" if self.done and left else _duration(passed)


class _Line:
    """Writes the progress of a run, from a thread of its own."""

    def __init__(self) -> None:
        self.progress = Progress()
        # The stream as it was before Inspect replaces it by a proxy, which holds back unfinished lines.
        self._stream: TextIO = sys.stderr
        self._terminal = self._stream.isatty()
        self._last = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="openbench-progress", daemon=True)
        self._thread.start()

    def note(self, text: str) -> None:
        """Write a line of its own; on a terminal, in the place of this one, which is written anew below it."""
        self._write(f"\r{text.ljust(len(self._last))}\n" if self._terminal else f"{text}\n")
        self._last = ""

    def close(self) -> None:
        """Leave a clean terminal, or the final count."""
        self._over.set()
        self._thread.join()
        if not self._terminal:
            self._show()
        elif self._last:
            self._write(f"\r{' ' * len(self._last)}\r")

    def _run(self) -> None:
        while not self._over.wait(TERMINAL_SECONDS if self._terminal else PLAIN_SECONDS):
            self._show()

    def _show(self) -> None:
        if not self.progress.planned:
            return
        line = self.progress.text(time.monotonic(), min(WIDTH, get_terminal_size((WIDTH + 1, 24)).columns - 1))
        if not self._terminal:
            self._write(f"{line}\n")
        elif line != self._last:
            self._write(f"\r{line.ljust(len(self._last))}")  # one write that blanks the old line: nothing flickers
            self._last = line

    def _write(self, text: str) -> None:
        try:
            with _writing:
                self._stream.write(text)
                self._stream.flush()
        except (OSError, ValueError):  # the reader has gone, which must not end the run
            self._over.set()


# Inspect makes one instance of a hook for the process, and there is one terminal.
_line: _Line | None = None
_writing = threading.Lock()


@contextmanager
def progress_line() -> Iterator[None]:
    """Show progress on stderr while the context lasts."""
    global _line  # noqa: PLW0603 - as above
    line = _line = _Line()
    try:
        yield
    finally:
        _line = None
        line.close()


def paused() -> AbstractContextManager[object]:
    """Return a context in which the line is not written, for a process that forks, or writes to stderr."""
    return _writing


def note(text: str) -> None:
    """Write a line on stderr that a user should see while the run goes on; the progress stays."""
    if _line is not None:
        _line.note(text)
        return
    with suppress(OSError, ValueError):  # the reader has gone
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def planned(spec: EvalSpec, samples: int) -> None:
    """Report that a task begins."""
    if _line is None:
        return
    progress = _line.progress
    if not progress.planned:
        progress.started = time.monotonic()
    progress.planned[spec.eval_id] = samples
    progress.headline = expected_headline(spec)


def sample_done(figures: Figures) -> None:
    """Report that a sample has ended, after its last attempt."""
    if _line is not None:
        _line.progress.add(figures)


def waiting(what: str, seconds: float, cause: str) -> None:
    """Report that a request waits for something, such as a retry, and why."""
    if _line is not None:
        _line.progress.wait = (what, cause, time.monotonic() + seconds)


def _number(value: Value, key: str | None) -> float | None:
    if isinstance(value, dict):
        value = next((part for name, part in value.items() if fnmatchcase(name, key or "")), None)  # type: ignore[assignment]
    if isinstance(value, str):
        return _LETTERS.get(value)
    number = float(value) if isinstance(value, int | float) else math.nan
    return number if math.isfinite(number) else None


def _duration(seconds: float) -> str:
    for unit, length, digits in (("days", 86_400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= length:
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{seconds:.0f} s"
