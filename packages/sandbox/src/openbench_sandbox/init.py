"""The first process of a jail: it starts commands one by one, enforces their limits, and kills leftover processes.

It answers requests on one socket. When the other side of the socket closes, it exits, and the kernel ends the jail with
it. No process of a jail can affect it: it is process 1 of its pid namespace, so signals from inside do nothing, and it
cannot be inspected. Files are read and written here, inside the jail, so that a symlink cannot lead outside.

Standard library only.
"""

import contextlib
import errno
import io
import json
import os
import resource
import select
import signal
import stat
import struct
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

from openbench_sandbox import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = struct.Struct("!IQ")
"""The header of each message: the number of bytes of its JSON, and of the data after the JSON."""

HOME = "/tmp/work"  # noqa: S108  (in the jail, which has its own /tmp)
CHUNK = 1 << 16
LOOK_EVERY = 0.04
"""Seconds between two checks of the processes of a command."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def main(connection: int) -> NoReturn:
    """Serve requests until the connection closes."""
    if os.getpid() != 1:
        raise SystemExit("the first process of a jail must be process 1, which ends all others")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's handler would let a process of the jail end this one
    os.umask(0o022)
    os.makedirs(HOME, mode=0o755)
    os.makedirs("/tmp/shm", mode=0o1777)  # noqa: S108
    os.chdir(HOME)
    kernel.drop_privileges()
    kernel.filter_syscalls()
    kernel.set_dumpable(dumpable=False)
    requests: dict[str, Callable[..., tuple[dict[str, Any], list[bytes]]]] = {
        "run": _run,
        "read": _read,
        "write": _write,
    }
    _send(connection, {"ready": True})
    while True:
        request, body = _receive(connection)
        try:
            answer, parts = requests[request.pop("op")](connection, body, **request)
        except OSError as error:
            answer, parts = {"errno": error.errno, "message": error.strerror}, []
        _send(connection, answer, *parts)


def _receive(connection: int) -> tuple[dict[str, Any], bytes]:
    head, body = HEADER.unpack(_receive_exactly(connection, HEADER.size))
    return json.loads(_receive_exactly(connection, head)), _receive_exactly(connection, body)


def _receive_exactly(connection: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(connection, min(size - len(data), 1 << 20))
        if not part:
            os._exit(0)
        data += part
    return bytes(data)


def _send(connection: int, answer: dict[str, Any], *parts: bytes) -> None:
    head = json.dumps({**answer, "sizes": [len(part) for part in parts]}).encode()
    data = memoryview(b"".join((HEADER.pack(len(head), sum(map(len, parts))), head, *parts)))
    try:
        while data:
            data = data[os.write(connection, data) :]
    except BrokenPipeError:
        os._exit(0)


def _read(_: int, __: bytes, path: str, limit: int) -> tuple[dict[str, Any], list[bytes]]:
    """Read a regular file of at most `limit` bytes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        _require_file(os.fstat(descriptor))
        content = file.read(limit + 1)
    return ({"too_large": True}, []) if len(content) > limit else ({}, [content])


def _write(_: int, body: bytes, path: str) -> tuple[dict[str, Any], list[bytes]]:
    """Write a regular file, and create its parent folders."""
    if parent := os.path.dirname(path):
        os.makedirs(parent, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    with open(descriptor, "wb", buffering=0) as file:
        _require_file(os.fstat(descriptor))
        view = memoryview(body)
        while view:
            view = view[file.write(view) or 0 :]
    return {}, []


def _require_file(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise PermissionError(errno.EACCES, "not a regular file")


def _run(
    connection: int, body: bytes, cmd: list[str], cwd: str, env: dict[str, str], limits: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """Run a command with `body` as its standard input, and return how it ended, its output and its errors."""
    begin = time.monotonic()
    (input_end, to_input), (output, output_end), (errors, errors_end), (failed, failed_end) = (
        os.pipe() for _ in "1234"
    )
    process = os.fork()
    if process == 0:
        _become(cmd, cwd, env, limits, (input_end, output_end, errors_end, failed_end))
    for end in (input_end, output_end, errors_end, failed_end):
        os.close(end)
    ended: dict[int, int] = {}
    streams = {output: bytearray(), errors: bytearray()}
    with open(failed, "rb") as file, open(to_input, "wb", buffering=0) as feed:
        failure = file.read().decode()
        broken = None if failure else _Watch(connection, process, feed, body, limits).wait(begin, streams, ended)
    _end_all(ended)
    for end, stream in streams.items():
        while _move(end, stream):
            pass
        os.close(end)
        if len(stream) > limits["output"]:
            broken = broken or "output"
            del stream[limits["output"] :]
    if failure:
        number, place = failure.split(" ", 1)
        return {"errno": int(number), "message": os.strerror(int(number)), "place": place}, []
    code = os.waitstatus_to_exitcode(ended[process])
    if broken is None and -code == signal.SIGXCPU:
        broken = "cpu"
    answer = {"returncode": 128 - code if code < 0 else code, "limit": broken, "seconds": time.monotonic() - begin}
    return answer, [bytes(stream) for stream in streams.values()]


def _become(cmd: list[str], cwd: str, env: dict[str, str], limits: dict[str, Any], ends: tuple[int, ...]) -> NoReturn:
    """Become the command: in a new session, with only the standard streams, under limits that it cannot raise."""
    place = "limits"
    *standard, failed = ends
    try:
        os.setsid()
        kernel.set_dumpable(dumpable=True)
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")  # out of memory, the kernel kills this process and not the first one
        for number, end in enumerate(standard):
            os.dup2(end, number)
        os.dup2(failed, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        os.set_inheritable(3, False)
        failed = 3
        for name, (soft, hard) in _rlimits(limits).items():
            most = resource.getrlimit(name)[1]
            values = (value if most == resource.RLIM_INFINITY else min(value, most) for value in (soft, hard))
            resource.setrlimit(name, tuple(values))  # type: ignore[arg-type]
        for name in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(name, signal.SIG_DFL)
        place = "cwd"
        os.chdir(cwd)
        place = "cmd"
        os.execvpe(cmd[0], cmd, env)  # noqa: S606
    except OSError as error:
        os.write(failed, f"{error.errno or errno.EINVAL} {place}".encode())
    except ValueError:
        os.write(failed, f"{errno.EINVAL} {place}".encode())
    os._exit(127)


def _rlimits(limits: dict[str, Any]) -> dict[int, tuple[int, int]]:
    """Return soft and hard limits of one process; `_over` checks the use of all processes together."""
    cpu, memory = max(1, int(limits["cpu"] + 0.999)), limits["memory"]
    processes = limits["processes"] + 3  # processes that wait for the command count as well
    return {
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_DATA: (memory, memory),
        resource.RLIMIT_STACK: (min(memory, 8 << 20), memory),
        resource.RLIMIT_NPROC: (processes, processes),
        resource.RLIMIT_FSIZE: (limits["file"], limits["file"]),
        resource.RLIMIT_NOFILE: (1024, 1024),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (1 << 16, 1 << 16),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_SIGPENDING: (1024, 1024),
    }


class _Watch:
    """Moves input and output of a command until it ends or exceeds a limit."""

    def __init__(self, connection: int, process: int, feed: io.FileIO, body: bytes, limits: dict[str, Any]) -> None:
        self.connection, self.feed, self.left, self.limits = connection, feed, memoryview(body), limits
        self.done = os.pidfd_open(process)
        self.source = feed.fileno()
        self.used = _cpu_of_ended()
        self.poll = select.poll()

    def wait(self, begin: float, streams: dict[int, bytearray], ended: dict[int, int]) -> str | None:
        """Wait until the command has ended or exceeded a limit; return that limit, if any."""
        for end in (*streams, self.done, self.connection):
            self.poll.register(end, select.POLLIN)
        os.set_blocking(self.source, False)
        self.poll.register(self.source, select.POLLOUT)
        deadline, look = begin + self.limits["time"], begin + LOOK_EVERY
        try:
            while (now := time.monotonic()) < deadline:
                if now >= look:
                    look = now + LOOK_EVERY
                    _reap(ended, os.WNOHANG)
                    if broken := _over(self.limits, _cpu_of_ended() - self.used):
                        return broken
                for end, _ in self.poll.poll(max(0.0, min(deadline, look) - now) * 1000 + 1):
                    if end == self.done:
                        return None
                    if end in streams and self._take(end, streams[end]):
                        return "output"
                    if end == self.source:
                        self._supply()
                    if end == self.connection:  # no requests are sent while a command runs: the other side has closed
                        os._exit(0)
            return "time"
        finally:
            os.close(self.done)

    def _take(self, end: int, stream: bytearray) -> bool:
        """Read some output, and return whether the limit is exceeded."""
        if not _move(end, stream):
            self.poll.unregister(end)
        return len(stream) > int(self.limits["output"])

    def _supply(self) -> None:
        """Write more input to the command; close it when all is written or nobody reads."""
        try:
            self.left = self.left[self.feed.write(self.left[:CHUNK]) or 0 :]
        except BrokenPipeError:
            self.left = self.left[:0]
        if not self.left:
            self.poll.unregister(self.source)
            self.feed.close()


def _move(end: int, stream: bytearray) -> int:
    data = os.read(end, CHUNK)
    stream += data
    return len(data)


def _end_all(ended: dict[int, int]) -> None:
    """Kill all processes of the jail except this one, and wait until they are gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    _reap(ended, 0)


def _reap(ended: dict[int, int], options: int) -> None:
    with contextlib.suppress(ChildProcessError):
        while (child := os.waitpid(-1, options))[0]:
            ended[child[0]] = child[1]


def _cpu_of_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _over(limits: dict[str, Any], cpu: float) -> str | None:
    """Return the limit that the processes of the jail together exceed, if any."""
    count, ticks, pages, pids = 0, 0, 0, []
    for name in os.listdir("/proc"):
        if not name.isdecimal() or name == "1":
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        count += 1
        ticks += sum(map(int, fields[11:15]))
        pages += int(fields[21])
        pids.append(name)
    if count > limits["processes"]:
        return "processes"
    if cpu + ticks / _TICKS > limits["cpu"]:
        return "cpu"
    if pages * _PAGE > limits["memory"] and _memory(pids) > limits["memory"]:
        return "memory"
    files = os.statvfs("/tmp")  # noqa: S108
    return "disk" if files.f_files - files.f_ffree > limits["disk"] // 4096 + 64 else None


def _memory(pids: list[str]) -> int:
    """Return the memory of processes in bytes; shared pages are counted once."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
                total += sum(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
        except OSError:  # it has ended, or hides: then its resident memory counts
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/statm", "rb") as file:
                total += int(file.read().split()[1]) * _PAGE
    return total


if __name__ == "__main__":
    main(int(sys.argv[1]))
