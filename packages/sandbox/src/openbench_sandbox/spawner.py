"""The warm process that starts jails. It is small, has one thread, and never runs a model's program itself.

It is started once with a `View` as JSON, from which it builds the root that jails see, and becomes an unprivileged
user. Then it receives requests on its standard input, each with one end of a socket, and forks. The child builds a jail
around itself (or lets bubblewrap build it), and serves that socket as the jail's first process (`init.py`).

Standard library only.
"""

import array
import fcntl
import gc
import json
import os
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

from openbench_sandbox import cgroups, init, kernel

NOBODY = 65534
USER = 1000
"""The user in a jail, whoever it is outside."""

BOOT = (
    "import sys, types; p = types.ModuleType('openbench_sandbox'); p.__path__ = [sys.argv[1]]; "
    "sys.modules[p.__name__] = p; from openbench_sandbox import {module}; {module}.main({argument})"
)
"""Runs a module of this package without its `__init__`, which imports packages that a jail lacks."""

INSIDE = "/run/openbench_sandbox"
"""The path of this package's code in a jail."""

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
DEVICES = ("null", "zero", "full", "random", "urandom")
LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
    "/dev/shm": "/tmp/shm",  # noqa: S108
    "/var/tmp": "/tmp",  # noqa: S108
}


def main() -> NoReturn:
    """Serve requests until standard input closes."""
    view = json.loads(sys.argv[2])
    control = socket.socket(fileno=0)
    try:
        groups = cgroups.prepare(NOBODY) if view["cgroups"] else []
        if os.geteuid() == 0:
            _become_nobody(view)
        elif view["jail"] == "namespaces":
            _own_namespaces(os.geteuid(), os.getegid(), kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
            _build_root(view)
    except OSError as error:
        control.send(json.dumps({"error": error.strerror or str(error), "errno": error.errno}).encode())
        raise SystemExit(1) from None
    control.send(json.dumps({"cgroups": [group.path for group in groups]}).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps jails that have ended
    gc.disable()  # forks share this process's memory, to all of which a collection would write
    count = 0
    while True:
        data, ancillary, *_ = control.recvmsg(1 << 16, socket.CMSG_SPACE(8))
        if not data:
            os._exit(0)
        count += 1
        connection, errors = array.array("i", ancillary[0][2])
        if os.fork() == 0:
            control.detach()
            _jail(view, json.loads(data), groups, f"jail-{os.getppid()}-{count}", connection, errors)
        os.close(connection)
        os.close(errors)


def _jail(
    view: dict[str, Any], limits: dict[str, Any], groups: list[cgroups.Group], name: str, connection: int, errors: int
) -> NoReturn:
    """Build a jail, wait until it has ended, and remove its control groups."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    kernel.die_with_parent()
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, end in enumerate((nothing, nothing, errors)):
        os.dup2(end, number)
    try:
        with cgroups.joined(groups, name, limits):
            if view["jail"] == "bwrap":
                os.set_inheritable(connection, True)
                command = bubblewrap(view, limits, connection)
                child = os.posix_spawn(view["bwrap"], command, {})
            else:
                _own_namespaces(os.geteuid(), os.getegid(), kernel.NAMESPACES)
                child = os.fork()
                if child == 0:
                    _first_process(limits, connection)
            os.close(connection)
            os.waitpid(child, 0)
    except OSError as error:
        os.write(2, f"{error.strerror or error}\n".encode())
        os._exit(1)
    os._exit(0)


def _first_process(limits: dict[str, Any], connection: int) -> NoReturn:
    try:
        kernel.die_with_parent()
        data = f"size={limits['disk']},nr_inodes={limits['disk'] // 4096 + 64},mode=1777"
        kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, data)  # noqa: S108
        kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
        socket.sethostname("sandbox")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:  # its own loopback, as in bubblewrap
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
        os.environ.clear()
        os.closerange(3, connection)
        os.closerange(connection + 1, os.sysconf("SC_OPEN_MAX"))
        init.main(connection)
    except OSError as error:
        os.write(2, f"{error.strerror or error}\n".encode())
    os._exit(1)


def _own_namespaces(user: int, group: int, flags: int) -> None:
    """Enter new namespaces as `USER`, which is this process's user outside."""
    kernel.unshare(flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{USER} {user} 1"), ("gid_map", f"{USER} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _become_nobody(view: dict[str, Any]) -> None:
    """As root: build the root that jails see, including paths that only root can reach, and drop root privileges."""
    kernel.unshare(kernel.CLONE_NEWNS)
    _build_root(view)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel.set_dumpable(dumpable=True)  # a change of user clears it, and `/proc/self` would belong to root


def _build_root(view: dict[str, Any]) -> None:
    """Build a root of read-only binds, and change to it permanently."""
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")  # noqa: S108
    os.makedirs("/tmp/old")  # noqa: S108
    os.makedirs("/tmp/new")  # noqa: S108
    kernel.change_root("/tmp", "/tmp/old")  # noqa: S108
    os.chdir("/")
    kernel.mount("/new", "/new", flags=kernel.MS_BIND)
    for source, target in view["binds"]:
        _bind(f"/old{source}", f"/new{target}")
    for target in view["masks"]:
        kernel.mount("tmpfs", f"/new{target}", "tmpfs", 0, "size=4096,mode=755")
    for path in ("/tmp", "/proc", "/dev", "/var"):  # noqa: S108
        os.makedirs(f"/new{path}", exist_ok=True)
    for path, link in (*view["links"].items(), *LINKS.items()):
        os.symlink(link, f"/new{path}")
    for name in DEVICES:
        _place(f"/new/dev/{name}")
    kernel.read_only("/new")
    for name in DEVICES:  # afterwards, since it disables devices
        kernel.mount(f"/old/dev/{name}", f"/new/dev/{name}", flags=kernel.MS_BIND)
    kernel.mount("/old/proc", "/new/proc", flags=kernel.MS_BIND | kernel.MS_REC)
    os.chdir("/new")
    kernel.change_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    view["binds"] = [(target, target) for _, target in view["binds"]]


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        _place(target)
    kernel.mount(source, target, flags=kernel.MS_BIND | kernel.MS_REC)


def _place(path: str) -> None:
    """Create a mount point."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def bubblewrap(view: dict[str, Any], limits: dict[str, Any], connection: int) -> list[str]:
    """Return the command that builds the same jail with bubblewrap."""
    namespaces = [f"--unshare-{name}" for name in ("user", "pid", "net", "ipc", "uts", "cgroup-try")]
    words: list[str] = ["bwrap", *namespaces, "--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox"]
    words += ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--clearenv"]
    for source, target in view["binds"]:
        words += ["--ro-bind", source, target]
    for target in view["masks"]:
        words += ["--tmpfs", target, "--remount-ro", target]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for path, link in (*view["links"].items(), *LINKS.items()):
        words += ["--symlink", link, path]
    words += ["--proc", "/proc", "--perms", "1777", "--size", str(limits["disk"]), "--tmpfs", "/tmp"]  # noqa: S108
    program = BOOT.format(module="init", argument="int(sys.argv[2])")
    return [*words, "--remount-ro", "/", "--", view["python"], "-I", "-S", "-c", program, INSIDE, str(connection)]
