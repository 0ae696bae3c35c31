"""One line that tells how a run is coming along: rewritten on a terminal, repeated now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from inspect_ai.hooks import Hooks, ModelRetry, SampleEnd, TaskEnd, TaskStart, hooks

_TERMINAL_SECONDS = 0.1
_PLAIN_SECONDS = 10.0


@dataclass
class _Progress:
    planned: dict[str, int] = field(default_factory=dict)
    done: int = 0
    errors: int = 0
    waiting: str = ""
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0
    width: int = 0


_active: _Progress | None = None


@contextmanager
def progress_line() -> Iterator[None]:
    """Show progress on stderr while the context lasts."""
    global _active  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _active = _Progress()
    try:
        yield
    finally:
        if sys.stderr.isatty():
            _write("\r" + " " * _active.width + "\r")
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
            _show(_active)

    async def on_task_end(self, data: TaskEnd) -> None:  # noqa: ARG002 - inspect's signature
        """Show the final count."""
        if _active:
            _show(_active, force=not sys.stderr.isatty())


def _limited(samples: int, limit: int | tuple[int, int] | None) -> int:
    if isinstance(limit, int):
        return min(samples, limit)
    if limit:
        return max(0, min(samples, limit[1]) - limit[0])
    return samples


def _show(progress: _Progress, *, force: bool = False) -> None:
    now = time.monotonic()
    terminal = sys.stderr.isatty()
    if not force and now - progress.shown < (_TERMINAL_SECONDS if terminal else _PLAIN_SECONDS):
        return
    progress.shown = now
    planned = sum(progress.planned.values())
    parts = [f"{progress.done}/{planned} samples", f"{now - progress.started:.0f} s"]
    if progress.errors:
        parts.append(f"{progress.errors} errors")
    if progress.waiting:
        parts.append(progress.waiting)
    line = ", ".join(parts)
    if terminal:
        line = line[:79]
        _write("\r" + line.ljust(progress.width))
        progress.width = len(line)
    else:
        _write(line + "\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
