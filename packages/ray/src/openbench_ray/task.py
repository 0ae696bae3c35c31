"""Runs a shard on a worker of the cluster, and streams results in small batches."""

import os
import pickle
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import ray

from openbench_ray.messages import Setup

if TYPE_CHECKING:
    from openbench.registry.catalog import Catalog

MOST = 50
"""Maximum number of samples in a batch."""

SECONDS = 1.0
"""Maximum seconds that a result waits for others of its batch."""

PATIENCE = 10.0
"""Seconds that an engine has to end when its shard is cancelled."""

Item = tuple[Literal["node", "result", "results", "ended", "error"], Any]
"""An item of the stream: the node, then batches, then whether the shard ran to its end, or why it failed."""


def work(setup: bytes, data: Sequence[Any], shard: bytes) -> Iterator[Item]:
    """Run a shard of a run.

    Args:
        setup: A pickled `Setup`.
        data: A reference to a bundle of pinned rows, if the run reads any.
        shard: A pickled `Shard`.

    Yields:
        The node, then results; see `Item`.
    """
    yield "node", ray.get_runtime_context().get_node_id()
    try:
        _set_up(pickle.loads(setup), data)  # noqa: S301 - from the driver of this run
    except Exception as error:  # noqa: BLE001 - the host must learn of any failure
        yield "error", str(error)
    else:
        yield from _streamed(shard)


def _set_up(setup: Setup, data: Sequence[Any]) -> None:
    from openbench.datasets.store import VARIABLE  # noqa: PLC0415 - variables come first
    from openbench_ray.data import own_store, received  # noqa: PLC0415

    os.environ.update(setup.variables)
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = str(own_store())
    if data:
        received(setup.entries, lambda: bytes(ray.get(data[0])))


@cache
def _catalog() -> "Catalog":
    from openbench.registry.catalog import Catalog  # noqa: PLC0415

    return Catalog.installed()


def _streamed(shard: bytes) -> Iterator[Item]:
    from openbench.run.recording import Cancellation  # noqa: PLC0415

    items: queue.SimpleQueue[Item] = queue.SimpleQueue()
    cancellation = Cancellation()
    engine = threading.Thread(target=_run, args=(shard, items, cancellation), name="openbench-shard", daemon=True)
    engine.start()
    try:
        yield from _batches(items)
    finally:  # it has ended, or was cancelled by a KeyboardInterrupt
        cancellation.request()
        engine.join(PATIENCE)
        if engine.is_alive():
            os._exit(1)  # no more requests


def _run(shard: bytes, items: "queue.SimpleQueue[Item]", cancellation: Any) -> None:
    """Run a shard in a separate thread, since the main thread streams."""
    try:
        from openbench.errors import OpenbenchError  # noqa: PLC0415
        from openbench_fast.remote_worker import run_shard  # noqa: PLC0415

        def report(result: Any) -> Sequence[str]:
            items.put(("result", result))
            return ()

        try:
            whole = run_shard(_catalog(), pickle.loads(shard), report, cancellation=cancellation)  # noqa: S301 - from the driver
        except OpenbenchError as error:
            items.put(("error", str(error)))
        else:
            items.put(("ended", whole))
    except BaseException as error:  # noqa: BLE001 - the host must learn of any failure
        items.put(("error", f"{type(error).__name__}: {error}"))


def _batches(items: "queue.SimpleQueue[Item]") -> Iterator[Item]:
    last: Item | None = None
    while last is None:
        batch, last = _batch(items)
        if batch:
            yield "results", pickle.dumps(batch)
    yield last


def _batch(items: "queue.SimpleQueue[Item]") -> tuple[list[Any], Item | None]:
    """Wait for results, at most a second from the first one, or for the last item."""
    batch: list[Any] = []
    until = time.monotonic() + SECONDS
    while len(batch) < MOST and (left := until - time.monotonic()) > 0:
        try:
            item = items.get(timeout=min(left, 0.2))  # so that a cancellation is noticed
        except queue.Empty:
            continue
        if item[0] != "result":
            return batch, item
        batch.append(item[1])
    return batch, None
