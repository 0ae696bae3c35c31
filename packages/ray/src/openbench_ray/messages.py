"""The messages between `bench eval` and the driver, pickled; the driver handles shards and samples as bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Setup:
    """The settings that every worker of a run needs.

    Attributes:
        variables: Environment variables.
        entries: The keys of the pinned rows that the run reads.
    """

    variables: Mapping[str, str] = field(repr=False)
    entries: Sequence[str]


@dataclass(frozen=True)
class Connect:
    """Connect to a cluster.

    Attributes:
        address: `HOST:PORT`, or `auto`.
    """

    address: str


@dataclass(frozen=True)
class Connected:
    """The driver has connected to a cluster.

    Attributes:
        address: The address of its head.
        nodes: The number of live nodes with CPUs.
        cpus: The total number of their CPUs.
    """

    address: str
    nodes: int
    cpus: int


@dataclass(frozen=True)
class Prepare:
    """Prepare to run shards.

    Attributes:
        runtime_env: The Ray runtime environment for workers; None if nothing is installed.
        setup: A pickled `Setup` for every worker.
        data: A bundle of pinned rows; empty if there are none.
    """

    runtime_env: Mapping[str, Any] | None
    setup: bytes = field(repr=False)
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Prepared:
    """The driver is ready for shards."""


@dataclass(frozen=True)
class Capacity:
    """The cluster has grown or shrunk.

    Attributes:
        cpus: The current number of its CPUs.
    """

    cpus: int


@dataclass(frozen=True)
class Run:
    """Run a shard.

    Attributes:
        number: The number of the shard.
        shard: A pickled `openbench_fast.remote_worker.Shard`, which may contain API keys.
    """

    number: int
    shard: bytes = field(repr=False)


@dataclass(frozen=True)
class Cancel:
    """Cancel a shard."""

    number: int


@dataclass(frozen=True)
class Stop:
    """Cancel all shards, and end the driver."""


@dataclass(frozen=True)
class Batch:
    """Samples of a shard have ended.

    Attributes:
        number: The number of the shard.
        results: A pickled list of `openbench_fast.recording.SampleResult`.
    """

    number: int
    results: bytes = field(repr=False)


@dataclass(frozen=True)
class Ended:
    """A shard has ended.

    Attributes:
        number: The number of the shard.
        cause: Why its worker was lost; empty if the shard ran to its end.
        blame: Whether one of its samples may be the cause.
    """

    number: int
    cause: str = ""
    blame: bool = False


@dataclass(frozen=True)
class Failed:
    """The run cannot continue.

    Attributes:
        message: The reason.
    """

    message: str
