"""What `bench eval` and the driver say to each other, in pickles; to the driver, parts and samples are bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Setup:
    """What every worker of a run needs to know.

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
    """There is a cluster.

    Attributes:
        address: Where its head is.
        nodes: How many nodes are alive and have CPUs.
        cpus: How many CPUs they have together.
    """

    address: str
    nodes: int
    cpus: int


@dataclass(frozen=True)
class Prepare:
    """Get ready for parts.

    Attributes:
        runtime_env: The runtime environment of Ray that workers need; None if they have all.
        setup: What every worker gets, a `Setup`, pickled.
        data: A bundle of pinned rows; empty if there are none.
    """

    runtime_env: Mapping[str, Any] | None
    setup: bytes = field(repr=False)
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Prepared:
    """Parts may be sent."""


@dataclass(frozen=True)
class Capacity:
    """The cluster has grown or shrunk.

    Attributes:
        cpus: How many CPUs it has now.
    """

    cpus: int


@dataclass(frozen=True)
class Run:
    """Run a part.

    Attributes:
        number: What names it.
        part: An `openbench_fast.remote_worker.Part`, pickled; it may hold keys.
    """

    number: int
    part: bytes = field(repr=False)


@dataclass(frozen=True)
class Cancel:
    """End a part."""

    number: int


@dataclass(frozen=True)
class Stop:
    """End all parts, and the driver."""


@dataclass(frozen=True)
class Batch:
    """Samples of a part have ended.

    Attributes:
        number: The part.
        told: A list of `openbench_fast.recording.SampleResult`, pickled.
    """

    number: int
    told: bytes = field(repr=False)


@dataclass(frozen=True)
class Ended:
    """A part has ended.

    Attributes:
        number: The part.
        cause: What became of its worker; empty if it came to its end.
        blame: Whether one of its samples may be the reason.
    """

    number: int
    cause: str = ""
    blame: bool = False


@dataclass(frozen=True)
class Failed:
    """The run cannot go on.

    Attributes:
        message: Why.
    """

    message: str
