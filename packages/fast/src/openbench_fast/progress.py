"""One line that shows the progress of a run: redrawn on a terminal, repeated every ten seconds elsewhere.

    1204/14042 samples, accuracy 0.713, 99.2% answered, 4 min left

It is the display `line` of `bench eval`, whichever engine runs the samples. A separate thread writes the line, so a
sample costs a few microseconds.

The mean is that of the numeric scores behind the headline metric, with each epoch counted separately. If that metric is
not a mean, the figure is labelled "mean". It is omitted if several tasks run.
"""

import sys
import threading
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from shutil import get_terminal_size
from typing import NamedTuple, TextIO

from inspect_ai.log import EvalSample, EvalSpec

from openbench.registry.names import counted
from openbench.run import progress
from openbench.run.progress import Display
from openbench.run.summary import MEAN, Headline, expected_headline, is_answered_sample, score_of

WIDTH = 79
TERMINAL_SECONDS = 0.2
PLAIN_SECONDS = 10.0


class Figures(NamedTuple):
    """A sample's contribution to the progress, as plain values that can be sent between processes.

    Attributes:
        error: Whether it ended in an error.
        answered: Whether the model answered.
        score: Its score; None if that is not a number.
    """

    error: bool
    answered: bool
    score: float | None


def figures_of(sample: EvalSample, headline: Headline | None) -> Figures:
    """Read the figures of a sample that has ended; without a headline, use the score of the first scorer."""
    if sample.error is not None:
        return Figures(error=True, answered=False, score=None)
    return Figures(error=False, answered=is_answered_sample(sample), score=score_of(sample, headline))


@dataclass
class Progress:
    """The progress of a run; `headline` is that of the task that started last."""

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
        """Return the line in at most `width` characters, without figures that leave no room for a wait."""
        what, cause, until = self.wait
        parts = [
            f"{self.done}/{sum(self.planned.values())} samples",
            self._mean_text(),
            f"{self.answered / (self.done - self.errors):.1%} answered" if self.done > self.errors else "",
            counted(self.errors, "error") if self.errors else "",
            self._time_text(now),
            f"{what} in {until - now:.0f} s ({cause})" if until > now else "",
        ]
        while parts[-1] and parts[1:-1] and len(", ".join(filter(None, parts))) > width:
            del parts[-2]
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


class ProgressLine(Display):
    """Writes the progress of a run, in a separate thread."""

    def __init__(self) -> None:
        self.progress = Progress()
        self._headlines: dict[str, Headline | None] = {}
        # The stream before Inspect replaces it with a proxy, which holds back unfinished lines.
        self._stream: TextIO = sys.stderr
        self._terminal = self._stream.isatty()
        self._last = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="openbench-progress", daemon=True)
        self._thread.start()

    def begin(self, job: str, spec: EvalSpec, samples: int) -> None:
        """Show that a job begins; see `Display`."""
        if not self.progress.planned:
            self.progress.started = time.monotonic()
        self.progress.planned[spec.eval_id] = samples
        self.progress.headline = self._headlines[job] = expected_headline(spec)

    def ended(self, job: str, sample: EvalSample) -> None:
        """Show that a sample has ended; see `Display`."""
        self.progress.add(figures_of(sample, self._headlines[job]))

    def waiting(self, what: str, seconds: float, cause: str) -> None:
        """Show that a request waits; see `Display`."""
        self.progress.wait = (what, cause, time.monotonic() + seconds)

    def note(self, text: str) -> None:
        """Write a separate line; on a terminal, above the progress line."""
        self._write(f"\r{text.ljust(len(self._last))}\n" if self._terminal else f"{text}\n")
        self._last = ""

    def close(self) -> None:
        """Clear the line on a terminal; elsewhere write the final count."""
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
            self._write(f"\r{line.ljust(len(self._last))}")  # a single write, against flicker
            self._last = line

    def _write(self, text: str) -> None:
        try:
            with _writing:
                self._stream.write(text)
                self._stream.flush()
        except (OSError, ValueError):  # a closed stream must not end the run
            self._over.set()


_writing = threading.Lock()


def show(figures: Figures) -> None:
    """Show that a sample has ended, perhaps in another process."""
    if isinstance(display := progress.current(), ProgressLine):
        display.progress.add(figures)


def paused() -> AbstractContextManager[object]:
    """Return a context in which no line is written, for a process that forks, or writes to stderr."""
    return _writing


def _duration(seconds: float) -> str:
    for unit, length, digits in (("days", 86_400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= length:
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{seconds:.0f} s"
