"""Divides the samples of tasks among processes, each of which writes a journal of its own."""

import asyncio
import contextlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import NamedTuple, NoReturn

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalSample

from openbench.errors import FAILED, INTERRUPTED, SUCCESS, LogError
from openbench.run import progress
from openbench.run.engines.direct.run import Run, run_all
from openbench.run.engines.direct.sample import unfinished
from openbench.run.journal import JournalWriter, Recording
from openbench.run.progress_figures import Figures, figures_of, headline_of

Key = tuple[int | str, int]


class Told(NamedTuple):
    """What a process says of a sample that ended, which is in its journal."""

    run: int
    key: Key
    figures: Figures
    error: EvalError | None


def run_in_processes(runs: Sequence[Run], count: int, recording: Recording, *, shown: bool) -> None:
    """Run tasks in so many processes, divided from this one.

    When one of them dies, another takes over what it had not ended; if that one dies before it has ended anything, the
    rest is recorded as errors.

    Args:
        runs: The tasks; those that came to their end say so when this returns.
        count: How many processes.
        recording: What is recorded.
        shown: Whether progress is shown.

    Raises:
        LogError: A process could not write its journal.
        KeyboardInterrupt: The run was interrupted.
    """
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
    from openbench.run.engines.direct.pausing import pausing  # noqa: PLC0415

    host = Host(runs, recording)
    with pausing():
        for part in range(count):  # before the progress line has a thread, which a divided process would not have
            host.start([replace(run, samples=run.samples[part::count]) for run in runs])
        with progress.progress_line() if shown else contextlib.nullcontext():
            for run in runs:
                progress.planned(run.header.eval, len(run.samples))
            host.serve()


@dataclass
class _Child:
    """A process: its id, the tasks with its part of their samples, and which of these have ended."""

    pid: int
    runs: Sequence[Run]
    ended: set[tuple[int, Key]] = field(default_factory=set)

    def rest(self, given_up: Collection[int]) -> list[Run]:
        """Return the tasks with the samples that it has not ended, none of tasks that are given up."""
        return [
            replace(
                run, samples=[] if number in given_up else [each for each in run.samples if not self._has(number, each)]
            )
            for number, run in enumerate(self.runs)
        ]

    def _has(self, number: int, each: tuple[Sample, int]) -> bool:
        return (number, (each[0].id, each[1])) in self.ended


class Host:
    """The process that the others were divided from."""

    def __init__(self, runs: Sequence[Run], recording: Recording) -> None:
        """Prepare for processes that run tasks."""
        self._runs = runs
        self._recording = recording
        self._children: dict[Connection, _Child] = {}
        self._left = [len(run.samples) for run in runs]
        self._given_up: set[int] = set()

    def start(self, part: Sequence[Run]) -> None:
        """Divide a process off that runs a part of the samples."""
        here, there = Pipe()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Python warns of threads, which the new process lacks. Here, one makes this process's journal durable; the
            # new process makes a journal and such a thread of its own.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            for connection in (here, *self._children):
                connection.close()
            live(part, self._recording, there)
        there.close()
        self._children[here] = _Child(pid, part)

    def serve(self) -> None:
        """Count what ends until every process has."""
        try:
            while self._children:
                for connection in wait(list(self._children)):
                    if isinstance(connection, Connection):
                        self._hear(connection)
        finally:
            self._stop()

    def _hear(self, connection: Connection) -> None:
        child = self._children[connection]
        try:
            told = connection.recv()
        except (EOFError, OSError):
            self._bury(connection, child)
            return
        if isinstance(told, LogError):
            raise told
        child.ended.add((told.run, told.key))
        progress.samples_done([told.figures])
        self._count(told.run, told.error)

    def _count(self, number: int, error: EvalError | None) -> None:
        run = self._runs[number]
        self._left[number] -= 1
        if not run.tally.count(error) and number not in self._given_up:
            self._given_up.add(number)
            for connection in self._children:
                with contextlib.suppress(OSError):  # it has just ended
                    connection.send(number)
        run.ended = not self._left[number] or number in self._given_up

    def _bury(self, connection: Connection, child: _Child) -> None:
        del self._children[connection]
        connection.close()
        code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        rest = child.rest(self._given_up)
        if not any(run.samples for run in rest):
            return
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if child.ended:
            self.start(rest)
            return
        cause = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"the exit code {code}"
        self._record_errors(rest, f"the process that ran this sample ended by {cause}")

    def _record_errors(self, rest: Sequence[Run], message: str) -> None:
        error = EvalError(message=message, traceback=message, traceback_ansi=message)
        for number, run in enumerate(rest):
            for sample, epoch in run.samples:
                ended = unfinished(sample, epoch, error)
                self._recording.writer.append(run.job, ended)
                progress.sample_done(ended)
                self._count(number, error)

    def _stop(self) -> None:
        """Interrupt the processes that are left, and wait until each has closed its journal."""
        for child in self._children.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGINT)
        for connection, child in self._children.items():
            connection.close()
            os.waitpid(child.pid, 0)
        self._children.clear()


def live(part: Sequence[Run], recording: Recording, host: Connection) -> NoReturn:
    """Be a process that runs a part of the samples, and end."""
    code = FAILED
    try:
        code = _run(part, recording, host)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        pass  # the host has died, so that nobody waits for more
    except BaseException:  # noqa: BLE001 - what would otherwise end this process, which must not go on as the host
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # what the host is to clean up is not this process's


def _run(part: Sequence[Run], recording: Recording, host: Connection) -> int:
    numbers = {run.job: number for number, run in enumerate(part)}
    headlines = {run.job: headline_of(run.header.eval) for run in part}
    given_up: set[int] = set()
    with JournalWriter(recording.directory.path) as writer:

        def ended(run: Run, sample: EvalSample) -> bool:
            number = numbers[run.job]
            writer.append(run.job, sample)
            host.send(Told(number, (sample.id, sample.epoch), figures_of(sample, headlines[run.job]), sample.error))
            while host.poll():
                given_up.add(host.recv())
            return number not in given_up

        try:
            asyncio.run(run_all(part, recording.plan.options.get("max_tasks"), ended))
        except LogError as error:
            host.send(error)
            return FAILED
    return SUCCESS
