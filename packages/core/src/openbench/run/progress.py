"""One line that tells how a run is coming along: rewritten on a terminal, repeated now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from inspect_ai.hooks import Hooks, ModelRetry, SampleEnd, TaskEnd, TaskStart, hooks

_TERMINAL_SECONDS = 0.1
_PLAIN_SECONDS = 10.0


@dataclass
class _Progress:
    planned: dict[str, int] = field(default_factory=dict)
    reused: int = 0
    done: int = 0
    errors: int = 0
    waiting: str = ""
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0
    width: int = 0
    # The stream as it was before inspect, which puts a proxy in its place that holds back unfinished lines.
    stream: TextIO = field(default_factory=lambda: sys.stderr)

    @property
    def terminal(self) -> bool:
        """Whether the line can be rewritten."""
        return self.stream.isatty()

    def write(self, text: str) -> None:
        """Write at once."""
        self.stream.write(text)
        self.stream.flush()


_active: _Progress | None = None


@contextmanager
def progress_line(reused: int = 0) -> Iterator[None]:
    """Show progress on stderr while the context lasts, of all samples but those that are reused."""
    global _active  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _active = _Progress(reused=reused)
    try:
        yield
    finally:
        if _active.terminal:
            _active.write("\r" + " " * _active.width + "\r")
        _active = None


@hooks(name="openbench_progress", description="Shows the progress of bench eval in one line.")
class ProgressHooks(Hooks):
    """Counts what happens, for `progress_line`."""

    def enabled(self) -> bool:
        """Return whether a line is being shown."""
        return _active is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Add a task's samples to what is planned."""
        if _active:
            config = data.spec.config
            samples = _limited(data.spec.dataset.samples or 0, config.limit)
            _active.planned[data.eval_id] = samples * (config.epochs or 1)
            _show(_active, force=True)

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Count a sample."""
        if _active:
            _active.done += 1
            _active.errors += data.sample.error is not None
            _active.waiting = ""
            _show(_active)

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Say what a request waits for."""
        if _active:
            cause = data.exception_type or "an error"
            status = f" {data.status_code}" if data.status_code else ""
            _active.waiting = f"retry {data.attempt} of {data.model_name} in {data.wait_time:.0f} s ({cause}{status})"
            # Nothing else may happen before the wait is over.
            _show(_active, force=_active.terminal or data.wait_time >= _PLAIN_SECONDS)

    async def on_task_end(self, data: TaskEnd) -> None:  # noqa: ARG002 - inspect's signature
        """Show the final count."""
        if _active:
            _show(_active, force=not _active.terminal)


def _limited(samples: int, limit: int | tuple[int, int] | None) -> int:
    if isinstance(limit, int):
        return min(samples, limit)
    if limit:
        return max(0, min(samples, limit[1]) - limit[0])
    return samples


def _show(progress: _Progress, *, force: bool = False) -> None:
    now = time.monotonic()
    if not force and now - progress.shown < (_TERMINAL_SECONDS if progress.terminal else _PLAIN_SECONDS):
        return
    progress.shown = now
    planned = sum(progress.planned.values()) - progress.reused
    parts = [f"{progress.done}/{planned} samples", f"{now - progress.started:.0f} s"]
    if progress.errors:
        parts.append(f"{progress.errors} errors")
    if progress.waiting:
        parts.append(progress.waiting)
    line = ", ".join(parts)
    if progress.terminal:
        line = line[:79]
        progress.write("\r" + line.ljust(progress.width))
        progress.width = len(line)
    else:
        progress.write(line + "\n")
