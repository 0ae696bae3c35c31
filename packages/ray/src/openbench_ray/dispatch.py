"""Hands parts of a run to the workers of a cluster, and enters in the queue what they say."""

import pickle
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from openbench.run.engine import PreparedJob
from openbench_fast.process_count import Share, free_place
from openbench_fast.recording import HostRecording
from openbench_fast.remote_worker import make_part
from openbench_fast.sample_queue import SampleQueue
from openbench_ray.link import Link
from openbench_ray.messages import Batch, Cancel, Capacity, Ended, Run

LEAST = 25
"""Samples of a part, unless too few are left: so that a worker's connections are in use for a while."""

MOST = 1_000
"""Samples of a part at most."""

_UNKNOWN = 1_000_000
"""Stands for the number of connections where only workers know it: so many that shares of it are hardly rounded."""


def part_size(waiting: int, workers: int, connections: int = 0) -> int:
    """Return how many samples the next part gets: half of a fair share, so that parts shrink and all end together.

    It is `LEAST` at least, or a fair share if that is less: connections belong to workers, and who has no samples uses
    none. But a worker gets a sample for each of its connections, up to `LEAST`.

    Args:
        waiting: How many samples no worker has.
        workers: How many workers there are.
        connections: How many connections they share, if that is known.
    """
    least = min(LEAST, max(-(-waiting // workers), connections // workers))
    return max(least, min(MOST, -(-waiting // (2 * workers))))


class _Part(NamedTuple):
    """A part that is out: what it has of the connections, and which jobs it has samples of."""

    share: Share
    jobs: set[str]


class Dispatch:
    """The parts that are out, and the one place where they are handed out and taken back."""

    def __init__(
        self, link: Link, queue: SampleQueue, chosen: Sequence[PreparedJob], recording: HostRecording, asked: int | None
    ) -> None:
        """Prepare for the workers that are asked for, or else as many as the cluster has CPUs."""
        self._link = link
        self._queue = queue
        self._chosen = chosen
        self._recording = recording
        self._asked = asked
        self._workers = 1
        self._numbers = count()
        self._out: dict[int, _Part] = {}

    def serve(self, cpus: int) -> None:
        """Keep the workers at work until every sample has ended.

        Args:
            cpus: How many CPUs the cluster has.

        Raises:
            KeyboardInterrupt: The run was interrupted.
            OpenbenchError: The cluster is gone, or no worker can run anything.
        """
        self._workers = self.workers(cpus)
        while not self._queue.over:
            self._hand_out()
            match self._link.receive():
                case Batch() as batch:
                    self._receive(batch)
                case Ended() as ended:
                    del self._out[ended.number]
                    self._queue.requeue(ended.number, ended.cause, blame=ended.blame)
                case Capacity() as capacity:
                    self._workers = self.workers(capacity.cpus)

    def workers(self, cpus: int) -> int:
        """Return how many workers a cluster of so many CPUs has: each needs a connection."""
        workers = self._asked or max(1, cpus)
        return min(workers, self._connections or workers)

    @property
    def _connections(self) -> int:
        """How many connections all workers share; 0 if the plan does not say."""
        return self._recording.plan.generate.get("max_connections") or 0

    def _hand_out(self) -> None:
        while len(self._out) < self._workers and (share := self._free_share()):
            number = next(self._numbers)
            keys = self._queue.lease(number, part_size(self._queue.waiting, self._workers, self._connections))
            if not keys:
                return
            part = make_part(self._recording.plan, self._chosen, keys, share)
            self._out[number] = _Part(share, set(keys))
            self._link.send(Run(number, pickle.dumps(part)))

    def _free_share(self) -> Share | None:
        """Return what the next part gets of the connections; None if those that are out leave it nothing.

        Parts keep the share that they were sent with, also when the cluster has grown since. A new one gets a fair
        share, or what is left of all connections if that is less.
        """
        whole = self._connections or _UNKNOWN
        out = [part.share for part in self._out.values()]
        free = whole - sum(share.of(whole) for share in out)
        places = {share.place for share in out if share.sharers == self._workers}
        fair = Share(self._workers, free_place(places))
        if fair.of(whole) <= free:
            return fair
        return Share(-(-whole // free), 0) if self._connections and free > 0 else None

    def _receive(self, batch: Batch) -> None:
        for told in pickle.loads(batch.told):  # noqa: S301 - from a worker of this run
            if not self._queue.complete(batch.number, told):
                self._cancel_idle()

    def _cancel_idle(self) -> None:
        """Cancel parts that have samples of jobs that are given up; what they have of others is handed out again."""
        given_up = self._queue.given_up
        for number, part in self._out.items():
            if part.jobs & given_up:
                self._link.send(Cancel(number))
                part.jobs.difference_update(given_up)
