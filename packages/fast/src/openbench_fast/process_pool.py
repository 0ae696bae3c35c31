"""Workers that are processes on this machine, divided from the one that has prepared everything."""

import contextlib
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
from openbench_fast.shard import JournalingRecording, Keys, narrowed, plan_of_part

_LOOK_SECONDS = 0.005


class WorkerContext(NamedTuple):
    """What processes divide.

    Attributes:
        engine: Who runs the samples.
        tasks: The tasks.
        roles: Models by role.
        recording: What is recorded.
        sharers: How many processes there are.
        aside: A directory for what does not last.
    """

    runner: Runner
    tasks: Sequence[Task]
    roles: Mapping[str, Model]
    recording: HostRecording
    sharers: int
    aside: str


def run_forked(
    runner: Runner, tasks: Sequence[Task], roles: Mapping[str, Model], recording: HostRecording, processes: int
) -> Mapping[str, EvalLog]:
    """Run tasks in so many processes, as `Engine.run` does in one; each of them writes a journal of its own.

    When one of them dies, another takes over what it had not ended.

    Raises:
        LogError: A process could not write its journal.
        OpenbenchError: The engine could not start.
    """
    # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
    from openbench_fast.backoff import pausing  # noqa: PLC0415

    queue = None
    with pausing(), tempfile.TemporaryDirectory() as aside, contextlib.suppress(KeyboardInterrupt):
        queue = SampleQueue(recording, tasks, roles)
        queue.divide(processes)
        Host(WorkerContext(runner, tasks, roles, recording, processes, aside), queue).serve()
    return queue.outcomes() if queue else {}


class _Child(NamedTuple):
    number: int
    pid: int
    place: int


class Host:
    """The process that the others are divided from."""

    def __init__(self, work: WorkerContext, queue: SampleQueue) -> None:
        """Prepare for processes."""
        self._work = work
        self._queue = queue
        self._children: dict[Connection, _Child] = {}
        self._numbers = count()
        self._told: set[str] = set()

    def serve(self) -> None:
        """Start processes, and record what they end, until every sample has ended.

        Raises:
            KeyboardInterrupt: The run was interrupted.
            OpenbenchError: A process could not go on, for a reason that another would have, too.
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
            # Python warns of threads, which the new process lacks: that which writes the progress line.
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
            told = connection.recv()
        except (EOFError, OSError):
            self._reap(connection, child)
            return
        if isinstance(told, OpenbenchError):
            raise told
        if not self._queue.complete(child.number, told) and told.job not in self._told:
            self._told.add(told.job)
            for other in self._children:
                with contextlib.suppress(OSError):  # it has just ended
                    other.send(told.job)

    def _reap(self, connection: Connection, child: _Child) -> None:
        del self._children[connection]
        connection.close()
        code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        cause = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"the exit code {code}"
        if code == INTERRUPTED and self._queue.requeue(child.number, cause, blame=False):
            raise KeyboardInterrupt
        before = self._queue.waiting
        self._queue.requeue(child.number, cause)
        if left := self._queue.waiting - before:
            samples = f"{left} samples" if left > 1 else "1 sample"
            progress.note(f"bench: a process ended by {cause}; what it left, {samples}, goes to others.")
        self._start_all()

    def _stop(self) -> None:
        """Let go of the processes that are left, which interrupts them, and wait until each has closed its journal."""
        for connection in self._children:
            connection.close()
        for child in self._children.values():
            os.waitpid(child.pid, 0)
        self._children.clear()


def worker_main(work: WorkerContext, keys: Keys, share: Share, host: Connection) -> NoReturn:
    """Be a process that runs some samples, and end."""
    code = FAILED
    # An interrupt while asyncio ends leaves what it was about to wait for.
    warnings.filterwarnings("ignore", r"coroutine 'BaseEventLoop\.\w+' was never awaited", RuntimeWarning)
    try:
        code = _run(work, keys, share, host)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OpenbenchError as error:
        with contextlib.suppress(OSError):  # the host has died, so that nobody waits for more
            host.send(error)
    except BaseException:  # noqa: BLE001 - what would otherwise end this process, which must not go on as the host
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # what the host is to clean up is not this process's


def _end_with_the_host(host: int, connection: Connection) -> None:
    """Interrupt this process when its host lets go of it, and end it when its host dies.

    So nothing is paid for unseen, and nothing is journalled that a command which resumes the run may be asking already.
    What was journalled is whole: each line is the operating system's by then.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # ignored, it could not end this process
    handle_sigterm()
    hung_up = select.poll()
    hung_up.register(connection, 0)  # that the other end is closed is told whatever is asked for

    def watch() -> None:
        hung_up.poll()
        if os.getppid() == host:  # it lives, or is about to die: its files are closed first
            os.kill(os.getpid(), signal.SIGTERM)
        while os.getppid() == host:
            time.sleep(_LOOK_SECONDS)
        os._exit(INTERRUPTED)

    threading.Thread(target=watch, name="openbench-host", daemon=True).start()


def _run(work: WorkerContext, keys: Keys, share: Share, host: Connection) -> int:
    def tell(told: SampleResult) -> list[str]:
        host.send(told)
        given_up = []
        while host.poll():
            given_up.append(host.recv())
        return given_up

    plan = work.recording.plan
    tasks, done = narrowed(work.tasks, plan, keys, share)
    aside = tempfile.mkdtemp(dir=work.aside)
    with JournalWriter(work.recording.run.directory.path) as writer:
        recording = JournalingRecording(plan_of_part(plan, aside, done), done, tell, writer)
        logs = work.runner.run(tasks, work.roles, recording)
        if failure := recording.failure or writer.failure:
            raise failure
    return INTERRUPTED if recording.interrupted(tasks, logs) else SUCCESS
