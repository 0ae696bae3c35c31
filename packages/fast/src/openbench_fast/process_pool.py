"""Workers that are processes on this machine, forked from the process that has prepared the tasks."""

import contextlib
import math
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import NamedTuple, NoReturn

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.errors import FAILED, INTERRUPTED, SUCCESS, OpenbenchError
from openbench.run import progress
from openbench.run.journal import JournalWriter
from openbench.run.process import handle_sigterm
from openbench_fast.process_count import Share, free_place
from openbench_fast.progress import paused
from openbench_fast.recording import HostRecording, SampleResult
from openbench_fast.runner import Runner
from openbench_fast.sample_queue import SampleQueue
from openbench_fast.shard import JournalingRecording, Keys, narrowed, shard_plan

_LOOK_SECONDS = 0.005


class WorkerContext(NamedTuple):
    """What all workers of a run share.

    Attributes:
        runner: Runs the samples.
        tasks: The tasks.
        roles: Models by role.
        recording: The recording of the run.
        sharers: The number of processes.
        scratch: A directory for temporary files.
    """

    runner: Runner
    tasks: Sequence[Task]
    roles: Mapping[str, Model]
    recording: HostRecording
    sharers: int
    scratch: str


def run_forked(
    runner: Runner, tasks: Sequence[Task], roles: Mapping[str, Model], recording: HostRecording, processes: int
) -> Mapping[str, EvalLog]:
    """Run tasks in a number of processes, as `Engine.run` does in one; each process writes its own journal.

    If a process dies, others take over its unfinished samples.

    Raises:
        LogError: A process could not write its journal.
        OpenbenchError: The engine could not start.
    """
    # Imported here: Inspect announces the hooks that exist when the first model is created, and these are internal.
    from openbench_fast.backoff import pausing  # noqa: PLC0415

    queue = None
    with pausing(), tempfile.TemporaryDirectory() as scratch, contextlib.suppress(KeyboardInterrupt):
        queue = SampleQueue(recording, tasks, roles)
        queue.divide(max(processes, math.ceil(queue.waiting / runner.most_samples)))
        Host(WorkerContext(runner, tasks, roles, recording, processes, scratch), queue).serve()
    return queue.outcomes() if queue else {}


class _Child(NamedTuple):
    number: int
    pid: int
    place: int


class Host:
    """The process that the workers are forked from."""

    def __init__(self, work: WorkerContext, queue: SampleQueue) -> None:
        """Prepare for workers."""
        self._work = work
        self._queue = queue
        self._children: dict[Connection, _Child] = {}
        self._numbers = count()
        self._given_up: set[str] = set()

    def serve(self) -> None:
        """Start processes, and record the samples that they complete, until every sample has ended.

        Raises:
            KeyboardInterrupt: The run was interrupted.
            OpenbenchError: A process could not continue, for a reason that applies to all of them.
        """
        try:
            self._start_all()
            while self._children:
                for connection in wait(list(self._children)):
                    if isinstance(connection, Connection):
                        self._receive(connection)
        finally:
            self._stop()

    def _start_all(self) -> None:
        while len(self._children) < self._work.sharers:
            number = next(self._numbers)
            keys = self._queue.lease(number)
            if not keys:
                return
            self._start(number, keys)

    def _start(self, number: int, keys: Keys) -> None:
        here, there = Pipe()
        own = os.getpid()
        place = free_place({child.place for child in self._children.values()})
        sys.stderr.flush()
        with warnings.catch_warnings(), paused():
            # Python warns that the new process lacks the thread that writes the progress line.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            for connection in (here, *self._children):
                connection.close()
            _end_with_the_host(own, there)
            worker_main(self._work, keys, Share(self._work.sharers, place), there)
        there.close()
        self._children[here] = _Child(number, pid, place)

    def _receive(self, connection: Connection) -> None:
        child = self._children[connection]
        try:
            message = connection.recv()
        except (EOFError, OSError):
            self._reap(connection, child)
            return
        if isinstance(message, OpenbenchError):
            raise message
        if not self._queue.complete(child.number, message) and message.job not in self._given_up:
            self._given_up.add(message.job)
            for other in self._children:
                with contextlib.suppress(OSError):  # it has just exited
                    other.send(message.job)

    def _reap(self, connection: Connection, child: _Child) -> None:
        del self._children[connection]
        connection.close()
        code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        cause = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
        if code == INTERRUPTED and self._queue.requeue(child.number, cause, blame=False):
            raise KeyboardInterrupt
        before = self._queue.waiting
        self._queue.requeue(child.number, cause)
        if left := self._queue.waiting - before:
            samples = f"{left} samples" if left > 1 else "1 sample"
            progress.note(f"bench: a process ended by {cause}; other processes take over {samples}.")
        self._start_all()

    def _stop(self) -> None:
        """Disconnect the remaining processes, which interrupts them, and wait until each has closed its journal."""
        for connection in self._children:
            connection.close()
        for child in self._children.values():
            os.waitpid(child.pid, 0)
        self._children.clear()


def worker_main(work: WorkerContext, keys: Keys, share: Share, host: Connection) -> NoReturn:
    """Run some samples in this process, and exit."""
    code = FAILED
    # An interrupt while asyncio shuts down leaves a coroutine that is never awaited.
    warnings.filterwarnings("ignore", r"coroutine 'BaseEventLoop\.\w+' was never awaited", RuntimeWarning)
    try:
        code = _run(work, keys, share, host)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OpenbenchError as error:
        with contextlib.suppress(OSError):  # the host has died
            host.send(error)
    except BaseException:  # noqa: BLE001 - a forked process must never continue as the host
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # no exit handlers: they belong to the host


def _end_with_the_host(host: int, connection: Connection) -> None:
    """Interrupt this process when its host disconnects, and end it when its host dies.

    Otherwise it would send requests that nobody sees, and journal samples that a resuming command may already run. The
    journal is complete: each line was handed to the operating system.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # if it were ignored, it could not end this process
    handle_sigterm()
    hung_up = select.poll()
    hung_up.register(connection, 0)  # a hang-up is reported whatever the event mask

    def watch() -> None:
        hung_up.poll()
        if os.getppid() == host:  # it lives, or is about to die: close the files first
            os.kill(os.getpid(), signal.SIGTERM)
        while os.getppid() == host:
            time.sleep(_LOOK_SECONDS)
        os._exit(INTERRUPTED)

    threading.Thread(target=watch, name="openbench-host", daemon=True).start()


def _run(work: WorkerContext, keys: Keys, share: Share, host: Connection) -> int:
    def report(result: SampleResult) -> list[str]:
        host.send(result)
        given_up = []
        while host.poll():
            given_up.append(host.recv())
        return given_up

    plan = work.recording.plan
    tasks, done = narrowed(work.tasks, plan, keys, share)
    scratch = tempfile.mkdtemp(dir=work.scratch)
    with JournalWriter(work.recording.run.directory.path) as writer:
        recording = JournalingRecording(shard_plan(plan, scratch, done), done, report, writer)
        logs = work.runner.run(tasks, work.roles, recording)
        if failure := recording.failure or writer.failure:
            raise failure
    return INTERRUPTED if recording.interrupted(tasks, logs) else SUCCESS
