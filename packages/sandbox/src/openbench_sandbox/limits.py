"""The limits of a run in the sandbox, and its result."""

from dataclasses import dataclass, field
from typing import Literal

MIB = 1 << 20

LimitName = Literal["time", "cpu", "memory", "processes", "output", "disk"]


class SandboxError(RuntimeError):
    """The sandbox itself failed, and not the code in it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of all processes of one command together; exceeding one ends all of them."""

    time: float = 10.0
    """Seconds from start to end."""
    cpu: float | None = None
    """Seconds of CPU time; by default, `time` for each of two CPUs."""
    memory: int = 512 * MIB
    """Bytes of memory, without files."""
    processes: int = 64
    """Processes and threads at once."""
    output: int = MIB
    """Bytes of standard output, and the same for standard error."""
    file: int = 64 * MIB
    """Bytes of the largest file."""
    disk: int = 128 * MIB
    """Bytes of all files, which are in memory; also limits the number of files, one per 4 KiB."""

    def __post_init__(self) -> None:
        for name, value in self.values().items():
            if value <= 0:
                raise ValueError(f"Limits: {name} must be greater than 0, not {value}")

    def values(self) -> dict[str, float]:
        """Return all limits by name."""
        cpu = 2 * self.time if self.cpu is None else self.cpu
        return {
            "time": self.time,
            "cpu": cpu,
            "memory": self.memory,
            "processes": self.processes,
            "output": self.output,
            "file": self.file,
            "disk": self.disk,
        }


@dataclass(frozen=True, kw_only=True)
class Completed:
    """The result of a command. The code controls all of it except `limit`: it does not prove the code correct."""

    returncode: int
    """Its exit status; 128 plus the number of a signal that ended it."""
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    limit: LimitName | None = None
    """The limit that ended it."""
    seconds: float = 0.0
