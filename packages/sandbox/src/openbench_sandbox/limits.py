"""What a run in the sandbox may use, and how it ended."""

from dataclasses import dataclass, field
from typing import Literal

MIB = 1 << 20

LimitName = Literal["time", "cpu", "memory", "processes", "output", "disk"]


class SandboxError(RuntimeError):
    """The sandbox itself failed: what ran in it, if anything, says nothing about the code."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the processes of one command may use together; all of them end when it breaks one."""

    time: float = 10.0
    """Seconds from start to end."""
    cpu: float | None = None
    """Seconds of processor time; without it, `time` for each of two processors."""
    memory: int = 512 * MIB
    """Bytes of memory, files not counted."""
    processes: int = 64
    """Processes and threads at once."""
    output: int = MIB
    """Bytes of standard output, and as many of standard error."""
    file: int = 64 * MIB
    """Bytes of the largest file."""
    disk: int = 128 * MIB
    """Bytes of all files, which are in memory; also the number of files, one for each 4 KiB."""

    def __post_init__(self) -> None:
        for name, value in self.values().items():
            if value <= 0:
                raise ValueError(f"Limits: {name} has to be more than 0, not {value}")

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
    """How a command ended. Code that was run chose all but `limit`: none of it says that the code is right."""

    returncode: int
    """Its exit status; 128 and the number of a signal that ended it."""
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    limit: LimitName | None = None
    """The limit that ended it."""
    seconds: float = 0.0
