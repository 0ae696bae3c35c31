"""What a worker of the cluster does: it runs a part, and streams what has ended in small batches."""

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
"""Samples of a batch at most."""

SECONDS = 1.0
"""For so long at most, a sample that ended waits for others of its batch."""

PATIENCE = 10.0
"""Seconds that an engine has for its end when its part is cancelled."""

Item = tuple[Literal["node", "told", "ended", "error"], Any]
"""What is streamed: the node; batches; and at the end whether the part came to its end, or why it could not run."""


def work(setup: bytes, data: Sequence[Any], part: bytes) -> Iterator[Item]:
    """Run a part of a run.

    Args:
        setup: A `Setup`, pickled.
        data: A reference to a bundle of pinned rows, if the run reads any.
        part: A `Part`, pickled.

    Yields:
        Where it runs, and then what has ended.
    """
    yield "node", ray.get_runtime_context().get_node_id()
    try:
        _set_up(pickle.loads(setup), data)  # noqa: S301 - from the driver of this run
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must hear of it
        yield "error", str(error)
    else:
        yield from _streamed(part)


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


def _streamed(part: bytes) -> Iterator[Item]:
    from openbench.run.recording import Cancellation  # noqa: PLC0415

    items: queue.SimpleQueue[Item] = queue.SimpleQueue()
    cancellation = Cancellation()
    engine = threading.Thread(target=_run, args=(part, items, cancellation), name="openbench-part", daemon=True)
    engine.start()
    try:
        yield from _batches(items)
    finally:  # it has ended by itself, or is cancelled: then a KeyboardInterrupt came
        cancellation.request()
        engine.join(PATIENCE)
        if engine.is_alive():
            os._exit(1)  # no more requests


def _run(part: bytes, items: "queue.SimpleQueue[Item]", cancellation: Any) -> None:
    """Run a part in a thread of its own, since the main one streams."""
    try:
        from openbench.errors import OpenbenchError  # noqa: PLC0415
        from openbench_fast.remote_worker import run_part  # noqa: PLC0415

        def tell(told: Any) -> Sequence[str]:
            items.put(("told", told))
            return ()

        try:
            whole = run_part(_catalog(), pickle.loads(part), tell, cancellation=cancellation)  # noqa: S301 - from the driver
        except OpenbenchError as error:
            items.put(("error", str(error)))
        else:
            items.put(("ended", whole))
    except BaseException as error:  # noqa: BLE001 - whatever it is, the host must hear of it
        items.put(("error", f"{type(error).__name__}: {error}"))


def _batches(items: "queue.SimpleQueue[Item]") -> Iterator[Item]:
    last: Item | None = None
    while last is None:
        batch, last = _batch(items)
        if batch:
            yield "told", pickle.dumps(batch)
    yield last


def _batch(items: "queue.SimpleQueue[Item]") -> tuple[list[Any], Item | None]:
    """Wait for what has ended, not longer than a second from the first, and for the end of all."""
    batch: list[Any] = []
    until = time.monotonic() + SECONDS
    while len(batch) < MOST and (left := until - time.monotonic()) > 0:
        try:
            item = items.get(timeout=min(left, 0.2))  # a cancellation is noticed in between
        except queue.Empty:
            continue
        if item[0] != "told":
            return batch, item
        batch.append(item[1])
    return batch, None
