"""Sends shards of a run to the workers of a cluster, and passes their results to the queue."""

import pickle
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from openbench.run.engine import PreparedJob
from openbench_fast.process_count import Share, free_place
from openbench_fast.recording import HostRecording
from openbench_fast.remote_worker import make_shard
from openbench_fast.sample_queue import SampleQueue
from openbench_ray.link import Link
from openbench_ray.messages import Batch, Cancel, Capacity, Ended, Run

LEAST = 25
"""Minimum number of samples in a shard, unless too few are left: it keeps a worker's connections in use for a while."""

MOST = 1_000
"""Maximum number of samples in a shard."""

_UNKNOWN = 1_000_000
"""Stands for the number of connections if only workers know it; large enough that rounding shares does not matter."""


def shard_size(waiting: int, workers: int, connections: int = 0) -> int:
    """Return the size of the next shard: half of a fair share, so that shards shrink and all workers end together.

    It is at least `LEAST`, or a fair share if that is less: a worker without samples leaves its connections unused. But
    a worker gets at least one sample for each of its connections, up to `LEAST`.

    Args:
        waiting: The number of samples that no worker has.
        workers: The number of workers.
        connections: The number of connections that they share, if known.
    """
    least = min(LEAST, max(-(-waiting // workers), connections // workers))
    return max(least, min(MOST, -(-waiting // (2 * workers))))


class _RunningShard(NamedTuple):
    """A running shard: its share of the connections, and the jobs of its samples."""

    share: Share
    jobs: set[str]


class Dispatch:
    """The running shards; the only place where they are sent and requeued."""

    def __init__(
        self,
        link: Link,
        queue: SampleQueue,
        chosen: Sequence[PreparedJob],
        recording: HostRecording,
        requested: int | None,
    ) -> None:
        """Prepare for the requested number of workers, or else one for each CPU of the cluster."""
        self._link = link
        self._queue = queue
        self._chosen = chosen
        self._recording = recording
        self._requested = requested
        self._workers = 1
        self._numbers = count()
        self._out: dict[int, _RunningShard] = {}

    def serve(self, cpus: int) -> None:
        """Keep the workers busy until every sample has ended.

        Args:
            cpus: The number of the cluster's CPUs.

        Raises:
            KeyboardInterrupt: The run was interrupted.
            OpenbenchError: The cluster is lost, or no worker can run anything.
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
        """Return the number of workers for a number of CPUs; each worker needs a connection."""
        workers = self._requested or max(1, cpus)
        return min(workers, self._connections or workers)

    @property
    def _connections(self) -> int:
        """The number of connections that all workers share; 0 if the plan does not set it."""
        return self._recording.plan.generate.get("max_connections") or 0

    def _hand_out(self) -> None:
        while len(self._out) < self._workers and (share := self._free_share()):
            number = next(self._numbers)
            keys = self._queue.lease(number, shard_size(self._queue.waiting, self._workers, self._connections))
            if not keys:
                return
            shard = make_shard(self._recording.plan, self._chosen, keys, share)
            self._out[number] = _RunningShard(share, set(keys))
            self._link.send(Run(number, pickle.dumps(shard)))

    def _free_share(self) -> Share | None:
        """Return the next shard's share of the connections; None if the running shards use all of them.

        A running shard keeps its share, even if the cluster has grown since. A new one gets a fair share, or the
        remaining connections if these are fewer.
        """
        whole = self._connections or _UNKNOWN
        out = [shard.share for shard in self._out.values()]
        free = whole - sum(share.of(whole) for share in out)
        places = {share.place for share in out if share.sharers == self._workers}
        fair = Share(self._workers, free_place(places))
        if fair.of(whole) <= free:
            return fair
        return Share(-(-whole // free), 0) if self._connections and free > 0 else None

    def _receive(self, batch: Batch) -> None:
        for result in pickle.loads(batch.results):  # noqa: S301 - from a worker of this run
            if not self._queue.complete(batch.number, result):
                self._cancel_idle()

    def _cancel_idle(self) -> None:
        """Cancel shards with samples of jobs that are given up, and requeue their samples of other jobs."""
        given_up = self._queue.given_up
        for number, shard in self._out.items():
            if shard.jobs & given_up:
                self._link.send(Cancel(number))
                shard.jobs.difference_update(given_up)
