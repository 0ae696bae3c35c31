"""The Ray driver: a process that runs shards as tasks on the cluster, and forwards their results.

Its standard output and error go to a file. It ends with `bench eval`, or when told to stop.
"""

import contextlib
import os
import queue
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import ray
from ray import ObjectRefGenerator
from ray.exceptions import RayError, RayTaskError, RuntimeEnvSetupError, TaskCancelledError

from openbench.errors import OpenbenchError
from openbench_ray.connecting import connect
from openbench_ray.failures import environment_failure, lost, task_failure
from openbench_ray.messages import Batch, Cancel, Connect, Connected, Ended, Failed, Prepare, Prepared, Run, Stop
from openbench_ray.task import work
from openbench_ray.watching import Watch, cpus_alive, is_alive, nodes

_POLL = 0.05  # seconds to wait for results before checking for orders again
_PATIENCE = 12.0  # seconds that cancelled tasks have to end


@dataclass
class _Task:
    """A shard that runs on the cluster, and its node, once known."""

    stream: ObjectRefGenerator
    node: str = ""
    ended: bool = False
    cancelled_at: float | None = None


class Driver:
    """Executes the orders of `bench eval`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._sending = threading.Lock()
        self._stopping = False
        self._tasks: dict[int, _Task] = {}
        self._address = ""
        self._work: Any = None
        self._arguments: tuple[Any, list[Any]] | None = None

    def serve(self) -> None:
        """Execute orders until there are no more."""
        threading.Thread(target=self._listen, name="openbench-orders", daemon=True).start()
        while True:
            for order in self._ordered():
                if isinstance(order, Stop):
                    self._stop()
                    return
                self._follow(order)
            self._collect()

    def say(self, message: Any) -> None:
        """Send a message to `bench eval`, from any thread; if that process has ended, do nothing."""
        if self._stopping:
            return  # `bench eval` has ended
        with self._sending:
            try:
                self._connection.send(message)
            except OSError:
                os._exit(1)

    def _listen(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._orders.put(self._connection.recv())
        self._orders.put(Stop())

    def _ordered(self) -> list[Any]:
        """Return the received orders; wait for one if nothing runs."""
        orders = [] if self._tasks else [self._orders.get()]
        while not self._orders.empty():
            orders.append(self._orders.get())
        return orders

    def _follow(self, order: Any) -> None:
        match order:
            case Connect():
                self._connect(order)
            case Prepare():
                self._prepare(order)
            case Run():
                assert self._arguments is not None, "Prepare comes first"  # noqa: S101 - for the type checker
                setup, data = self._arguments
                self._tasks[order.number] = _Task(self._work.remote(setup, data, order.shard))
            case Cancel():
                self._cancel(order.number)

    def _connect(self, order: Connect) -> None:
        connect(order.address)
        self._address = ray.get_runtime_context().gcs_address
        self.say(Connected(self._address, len(nodes()), cpus_alive()))

    def _prepare(self, order: Prepare) -> None:
        if order.runtime_env:
            ray.shutdown()
            connect(self._address, order.runtime_env)
        self._arguments = ray.put(order.setup), [ray.put(order.data)] if order.data else []
        # No retries: the host sends a lost shard's remaining samples to another worker, while Ray would rerun all.
        remote = ray.remote(num_returns="streaming", max_retries=0, num_cpus=1, scheduling_strategy="SPREAD")
        self._work = remote(work)
        self.say(Prepared())
        Watch(self._address, self.say)

    def _collect(self) -> None:
        if not self._tasks:
            return
        numbers = {task.stream: number for number, task in self._tasks.items()}
        ready, _ = ray.wait(list(numbers), num_returns=len(numbers), timeout=_POLL, fetch_local=False)
        for stream in ready:
            self._hear(numbers[stream])
        for number, task in list(self._tasks.items()):
            if task.cancelled_at and time.monotonic() - task.cancelled_at > _PATIENCE:
                ray.cancel(task.stream, force=True)
                self._end(Ended(number, "not ending after cancellation"))

    def _hear(self, number: int) -> None:
        task = self._tasks[number]
        try:
            kind, content = ray.get(next(task.stream))
        except StopIteration:
            self._end(Ended(number, "" if task.ended else "ending too early"))
        except TaskCancelledError:
            self._end(Ended(number, "cancellation"))
        except RuntimeEnvSetupError as error:
            self.say(Failed(environment_failure(error)))
        except RayTaskError as error:
            self.say(Failed(task_failure(error)))
        except RayError as error:
            # A worker exits if its engine does not end when cancelled; no sample is to blame.
            suspect = task.cancelled_at is None and bool(task.node) and is_alive(task.node)
            self._end(Ended(number, lost(error), blame=suspect))
        else:
            self._pass_on(number, task, kind, content)

    def _pass_on(self, number: int, task: _Task, kind: str, content: Any) -> None:
        match kind:
            case "node":
                task.node = content
            case "results":
                self.say(Batch(number, content))
            case "ended":
                task.ended = content
            case _:
                self.say(Failed(content))

    def _end(self, message: Ended) -> None:
        del self._tasks[message.number]
        self.say(message)

    def _cancel(self, number: int) -> None:
        task = self._tasks.get(number)
        if task and task.cancelled_at is None:
            task.cancelled_at = time.monotonic()
            ray.cancel(task.stream)

    def _stop(self) -> None:
        """Cancel everything, and wait until no worker sends requests."""
        self._stopping = True
        if not ray.is_initialized():
            return
        for number in self._tasks:
            self._cancel(number)
        until = time.monotonic() + _PATIENCE
        while self._tasks and time.monotonic() < until:
            self._collect()
        ray.shutdown()


def main(descriptor: int) -> int:
    """Serve the process at the other end of a connection."""
    driver = Driver(Connection(descriptor))
    try:
        driver.serve()
    except OpenbenchError as error:
        driver.say(Failed(str(error)))
        return 1
    return 0
