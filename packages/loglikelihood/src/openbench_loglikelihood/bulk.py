"""A queue between samples, each waiting for one answer, and a model that answers many requests in batches."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from openbench.errors import DataError
from openbench_loglikelihood.request import RequestError

Q = TypeVar("Q")
A = TypeVar("A")

_PAUSE = 0.02
"""Seconds without a new request after which the waiting ones are answered."""
_FAILURES = 8
"""Consecutive failed requests without an answer after which the remaining ones are not retried."""


class Bulk(Generic[Q, A]):
    """Collects requests from samples, and answers all waiting ones in a thread.

    Args:
        answer: Yields the index of each request and its answer, in any order. If it raises a `RequestError`, that
            request fails, and the other unanswered ones are retried.
        turn: A lock held while requests are answered, since a model ranks, reads or generates, one at a time.
    """

    def __init__(self, answer: Callable[[Sequence[Q]], Iterator[tuple[int, A]]], turn: threading.Lock) -> None:
        self._answer, self._turn = answer, turn
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._work: asyncio.Task[None] | None = None

    async def ask(self, request: Q) -> A:
        """Return the answer of a request.

        Raises:
            DataError: The request cannot be answered.
        """
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answer_waiting())
        return await future

    async def _answer_waiting(self) -> None:
        while self._waiting:
            count = 0
            while count < len(self._waiting):
                count = len(self._waiting)
                await asyncio.sleep(_PAUSE)
            some, self._waiting = self._waiting, []
            batch = _Batch(some, asyncio.get_running_loop())
            try:
                await asyncio.to_thread(self._run, batch)
            finally:
                batch.stopped = True  # after an interrupt, do not wait for requests of cancelled samples

    def _run(self, batch: "_Batch[Q, A]") -> None:
        with self._turn:
            batch.run(self._answer)


class _Batch(Generic[Q, A]):
    """Requests that are answered together.

    Attributes:
        stopped: Whether the remaining answers are no longer needed.
    """

    def __init__(self, waiting: Sequence[tuple[Q, "asyncio.Future[A]"]], loop: asyncio.AbstractEventLoop) -> None:
        self.stopped: bool = False
        self._left = dict(enumerate(waiting))
        self._loop = loop

    def run(self, answer: Callable[[Sequence[Q]], Iterator[tuple[int, A]]]) -> None:
        """Answer the requests; once stopped, the thread ends after the current batch."""
        failures = 0
        while self._left and not self._is_stopped():
            places = list(self._left)
            try:
                for index, found in answer([self._left[place][0] for place in places]):
                    failures = 0
                    self._settle(places[index], found)
                    if self._is_stopped():
                        return
            except RequestError as error:
                failures += 1
                for place in [places[error.request]] if failures < _FAILURES else list(self._left):
                    self._fail(place, DataError(error.problem))
            except Exception as error:  # noqa: BLE001 - the samples report it
                for place in list(self._left):
                    self._fail(place, error)

    def _is_stopped(self) -> bool:
        return self.stopped  # set by another thread

    def _settle(self, place: int, answer: A) -> None:
        _, future = self._left.pop(place)
        self._loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(answer))

    def _fail(self, place: int, error: Exception) -> None:
        _, future = self._left.pop(place)
        self._loop.call_soon_threadsafe(lambda: None if future.done() else future.set_exception(error))
