"""Jails, as used by the evaluating process: `run` for one command, `Jail` for several commands that share files."""

import array
import atexit
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

import anyio
from anyio import to_thread

from openbench_sandbox import cgroups
from openbench_sandbox.init import HEADER, HOME
from openbench_sandbox.limits import Completed, Limits, SandboxError
from openbench_sandbox.spawner import BOOT, INSIDE

Kind = Literal["auto", "bwrap", "namespaces"]
CGROUPS = True
"""Use control groups if this process may create them."""
GRACE = 20.0
"""Seconds that a jail may take to start, or to answer after the time limit of a command."""

_CODE = Path(__file__).parent
PYTHON = os.path.realpath(sys.executable)
"""The Python interpreter of jails: the current one, without its packages."""
_BASE = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "ssl/openssl.cnf")


class Jail:
    """A jail with its own files. Commands run in it one after the other; leftover processes of a command are killed."""

    def __init__(self, connection: socket.socket, errors: int, limits: Limits) -> None:
        self.limits = limits
        self._connection = connection
        self._errors = errors
        self._lock = anyio.Lock()

    async def run(
        self,
        command: Sequence[str],
        *,
        input: bytes | str = b"",  # noqa: A002  (as in subprocess)
        cwd: str = HOME,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Completed:
        """Run a command and return how it ended.

        Args:
            command: The program, looked up in `PATH`, and its arguments.
            input: Its standard input.
            cwd: Its working directory; a relative path is in the jail's folder.
            env: Environment variables in addition to `PATH`, `HOME`, `TMPDIR`, `LANG` and `USER`. None is inherited
                from this process.
            limits: Limits that replace the jail's, except its `disk`.

        Raises:
            OSError: The command or the folder does not exist, or is not executable.
            SandboxError: The jail failed.
        """
        if not command:
            raise ValueError("the command is empty")
        chosen = limits or self.limits
        request = {
            "op": "run",
            "cmd": list(command),
            "cwd": os.path.join(HOME, cwd),  # noqa: PTH118
            "env": {**environment(), **(env or {})},
            "limits": {**chosen.values(), "disk": self.limits.disk},
        }
        answer, parts = await self._ask(request, _bytes(input), chosen.time + GRACE)
        if "errno" in answer:
            path = cwd if answer.get("place") == "cwd" else command[0]
            raise OSError(answer["errno"], answer["message"], path)
        return Completed(
            returncode=answer["returncode"],
            stdout=parts[0],
            stderr=parts[1],
            limit=answer["limit"],
            seconds=answer["seconds"],
        )

    async def write(self, path: str, content: bytes | str) -> None:
        """Write a file of the jail, and create its parent folders.

        Raises:
            OSError: The path is a folder or not writable, or no space is left.
        """
        answer, _ = await self._ask({"op": "write", "path": os.path.join(HOME, path)}, _bytes(content), 60 + GRACE)  # noqa: PTH118
        _raise_for(answer, path)

    async def read(self, path: str, limit: int = 1 << 30) -> bytes | None:
        """Return the content of a file of the jail; None if it has more than `limit` bytes.

        It is read inside the jail, where a symlink leads only to files of the jail.

        Raises:
            OSError: The file does not exist, is not a regular file, or is not readable.
        """
        answer, parts = await self._ask(
            {"op": "read", "path": os.path.join(HOME, path), "limit": limit},  # noqa: PTH118
            b"",
            60 + GRACE,
        )
        _raise_for(answer, path)
        return None if answer.get("too_large") else parts[0]

    async def _ready(self) -> None:
        with anyio.fail_after(GRACE):
            await self._receive()

    async def _ask(self, request: dict[str, Any], body: bytes, seconds: float) -> tuple[dict[str, Any], list[bytes]]:
        head = json.dumps(request).encode()
        async with self._lock:
            if self._connection.fileno() == -1:
                raise SandboxError("the jail is closed")
            try:
                with anyio.fail_after(seconds):
                    await self._send(HEADER.pack(len(head), len(body)) + head)
                    await self._send(body)
                    return await self._receive()
            except TimeoutError:
                self.close()
                raise SandboxError(f"the jail did not answer within {seconds:g} seconds") from None
            except BaseException:  # a late answer would be mistaken for that to the next request
                self.close()
                raise

    async def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._connection.send(view) :]
            except BlockingIOError:
                await anyio.wait_writable(self._connection)
            except OSError:
                raise self._broken() from None

    async def _receive(self) -> tuple[dict[str, Any], list[bytes]]:
        head, size = HEADER.unpack(await self._receive_exactly(HEADER.size))
        answer = json.loads(await self._receive_exactly(head))
        body = memoryview(await self._receive_exactly(size))
        parts = []
        for length in answer["sizes"]:
            parts.append(bytes(body[:length]))
            body = body[length:]
        return answer, parts

    async def _receive_exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                part = self._connection.recv(min(size - len(data), 1 << 20))
            except BlockingIOError:
                await anyio.wait_readable(self._connection)
                continue
            except OSError:
                part = b""
            if not part:
                raise self._broken()
            data += part
        return bytes(data)

    def _broken(self) -> SandboxError:
        output = b""
        with suppress(OSError):
            output = os.read(self._errors, 4096)
        self.close()
        lines = output.decode(errors="replace").strip().splitlines()
        return SandboxError(f"the jail ended: {lines[-1] if lines else 'unknown reason'}")

    def close(self) -> None:
        """End the jail with everything that runs in it; its files are deleted."""
        if self._connection.fileno() != -1:
            self._connection.close()
            os.close(self._errors)


@asynccontextmanager
async def jail(
    limits: Limits | None = None, *, kind: Kind = "auto", read_only: Sequence[str] = ()
) -> AsyncIterator[Jail]:
    """Build a jail, and end it with all its processes when the context exits.

    Args:
        limits: The limits of each command.
        kind: `bwrap` (bubblewrap) or `namespaces` (without it); `auto` uses bubblewrap if it is installed.
        read_only: Further paths of this machine that commands can read.

    Raises:
        SandboxError: This machine does not allow jails, or one could not be built.
    """
    built = await build(limits, kind=kind, read_only=read_only)
    try:
        yield built
    finally:
        built.close()


async def build(limits: Limits | None = None, *, kind: Kind = "auto", read_only: Sequence[str] = ()) -> Jail:
    """Build a jail as `jail` does; the caller closes it."""
    chosen = limits or Limits()
    key = (_resolve(kind), tuple(read_only))
    spawner = _spawners.get(key)
    if spawner is None or spawner.owner != os.getpid():
        spawner = await to_thread.run_sync(_spawner, *key)
    try:
        connection, errors = spawner.start(chosen)
    except OSError:  # the spawner has died: a new one replaces it
        spawner = await to_thread.run_sync(_spawner, *key)
        connection, errors = spawner.start(chosen)
    built = Jail(connection, errors, chosen)
    try:
        await built._ready()  # noqa: SLF001
    except TimeoutError:
        built.close()
        raise SandboxError(f"the jail did not start within {GRACE:g} seconds") from None
    except SandboxError as error:
        raise SandboxError(f"{error}. {alternatives()}") from None
    except BaseException:
        built.close()
        raise
    return built


async def run(
    command: Sequence[str],
    *,
    input: bytes | str = b"",  # noqa: A002  (as in subprocess)
    files: Mapping[str, bytes | str] | None = None,
    env: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    kind: Kind = "auto",
) -> Completed:
    """Run a command in a new jail, with these files in its folder, and return how it ended.

    Raises:
        OSError: The command does not exist, or the files do not fit.
        SandboxError: The sandbox failed.
    """
    async with jail(limits, kind=kind) as built:
        for path, content in (files or {}).items():
            await built.write(path, content)
        return await built.run(command, input=input, env=env)


def environment() -> dict[str, str]:
    """Return the environment variables of a command; none is inherited from this process."""
    folders = dict.fromkeys([str(Path(PYTHON).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    return {"PATH": ":".join(folders), "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8", "USER": "sandbox"}  # noqa: S108


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _raise_for(answer: Mapping[str, Any], path: str) -> None:
    if "errno" in answer:
        raise OSError(answer["errno"], answer["message"], path)


class _Spawner:
    """The warm process that forks jails (`spawner.py`)."""

    def __init__(self, kind: str, read_only: tuple[str, ...]) -> None:
        self.owner = os.getpid()
        self.groups: list[str] = []
        program = BOOT.format(module="spawner", argument="")
        command = [PYTHON, "-I", "-S", "-c", program, str(_CODE), json.dumps(_view(kind, read_only))]
        self.control, spawner_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with spawner_end:
            try:
                self.process = subprocess.Popen(  # noqa: S603
                    command, stdin=spawner_end.fileno(), env={}, cwd="/", stderr=subprocess.PIPE, start_new_session=True
                )
            except OSError as error:
                self.control.close()
                raise SandboxError(f"the sandbox cannot be started: {error}") from None
        self.control.settimeout(GRACE)
        try:
            answer = json.loads(self.control.recv(1 << 16) or b"{}")
        except OSError:
            answer = {}
        if "cgroups" not in answer:
            self.process.kill()
            lines = self.process.communicate()[1].decode(errors="replace").strip().splitlines()
            self.control.close()
            reason = answer.get("error") or (lines[-1] if lines else "unknown reason")
            raise SandboxError(f"the sandbox cannot be started: {reason}. {alternatives()}")
        self.groups = answer["cgroups"]
        self.control.setblocking(True)

    def start(self, limits: Limits) -> tuple[socket.socket, int]:
        """Request a jail; return this end of its socket, and the pipe with its error messages."""
        local, remote = socket.socketpair()
        errors, errors_end = os.pipe()
        try:
            ends = array.array("i", [remote.fileno(), errors_end])
            self.control.sendmsg([json.dumps(limits.values()).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
        except OSError:
            local.close()
            os.close(errors)
            raise
        finally:
            remote.close()
            os.close(errors_end)
        local.setblocking(False)
        os.set_blocking(errors, False)
        return local, errors

    def close(self) -> None:
        """End the process and all its jails."""
        self.control.close()
        if self.owner != os.getpid():
            return
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        for group in self.groups:
            cgroups.remove(group, patience=2)


_spawners: dict[tuple[str, tuple[str, ...]], _Spawner] = {}
_starting = threading.Lock()


def _spawner(kind: str, read_only: tuple[str, ...]) -> _Spawner:
    with _starting:
        spawner = _spawners.get((kind, read_only))
        if spawner is None or spawner.owner != os.getpid() or spawner.process.poll() is not None:
            if spawner is not None:
                spawner.close()
            spawner = _spawners[kind, read_only] = _Spawner(kind, read_only)
        return spawner


def stop() -> None:
    """End the spawners of this process and all their jails; the next jail starts a new spawner."""
    with _starting:
        while _spawners:
            _spawners.popitem()[1].close()


atexit.register(stop)


@cache
def bubblewrap() -> str | None:
    """Return the path of bubblewrap if its version has the option `--size` (0.8 or later, from 2023)."""
    path = shutil.which("bwrap")
    if path is None:
        return None
    output = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    version = re.search(r"(\d+)\.(\d+)", output)
    return path if version and (int(version[1]), int(version[2])) >= (0, 8) else None


def _resolve(kind: Kind) -> str:
    if not sys.platform.startswith("linux"):
        raise SandboxError(f"the sandbox requires Linux, not {sys.platform}. {alternatives()}")
    if kind == "bwrap" and bubblewrap() is None:
        raise SandboxError(
            "bubblewrap 0.8 or later is not installed: apt-get install bubblewrap, or set `jail` to auto"
        )
    return ("bwrap" if bubblewrap() else "namespaces") if kind == "auto" else kind


def _view(kind: str, read_only: tuple[str, ...]) -> dict[str, Any]:
    """Return the paths of this machine that jails see: the system, this Python without packages, and `read_only`."""
    links, binds = {}, [("/usr", "/usr")]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            links[str(path)] = str(path.readlink())
        elif path.is_dir():
            binds.append((str(path), str(path)))
    binds += [(str(path), str(path)) for path in (Path("/etc", name) for name in _ETC) if path.exists()]
    binds += [(str(path), str(path)) for path in Path("/etc").glob("java*")]
    binds += [(str(path), f"/etc/{path.name}") for path in sorted((_CODE / "etc").iterdir())]
    binds.append((str(_CODE), INSIDE))
    for folder in (os.path.realpath(sys.base_prefix), *(os.path.realpath(path) for path in read_only)):
        if any(_is_below(folder, own) for own in ("/tmp", "/proc", "/dev")):  # noqa: S108
            raise SandboxError(f"a jail has its own /tmp, /proc and /dev and cannot read {folder}: move it elsewhere")
        if not _is_below(folder, "/usr"):
            binds.append((folder, folder))
    packages = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    packages |= {os.path.realpath(sysconfig.get_path(name, vars=_BASE)) for name in ("purelib", "platlib")}
    masks = [path for path in sorted(packages) if any(_is_below(path, target) for _, target in binds)]
    return {
        "jail": kind,
        "cgroups": CGROUPS,
        "bwrap": bubblewrap() if kind == "bwrap" else None,
        "python": PYTHON,
        "links": links,
        "binds": [(os.path.realpath(source), target) for source, target in binds],
        "masks": [path for path in masks if Path(path).is_dir() and path not in read_only],
    }


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def alternatives() -> str:
    """Return the alternatives if no jail can be built, depending on this machine's settings."""
    advice = []
    for path, (refusing, allowing, meaning) in _SETTINGS.items():
        with suppress(OSError):
            if (SYSCTLS / path).read_text("ascii").strip() == refusing:
                advice.append(f"{meaning} (`sysctl {path.replace('/', '.')}={allowing}`)")
    if any(Path(path).exists() for path in ("/.dockerenv", "/run/.containerenv")):
        advice.append(
            "this seems to be a container: start it with `--security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or `--privileged`"
        )
    if shutil.which("bwrap") is None:
        advice.append(
            "install bubblewrap (`apt-get install bubblewrap`), which some systems allow to create namespaces"
        )
    advice.append("use Docker (`--sandbox docker`)")
    advice.append("or run code unprotected, at your own risk (`--sandbox local`)")
    return "Alternatives: " + "; ".join(advice)


SYSCTLS = Path("/proc/sys")
_SETTINGS = {
    "user/max_user_namespaces": ("0", "15000", "allow user namespaces"),
    "kernel/unprivileged_userns_clone": ("0", "1", "allow user namespaces"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0", "let AppArmor allow user namespaces"),
}
"""Kernel settings that forbid jails: the forbidding value, an allowing one, and the effect of the latter."""
