"""Control groups, with which the kernel limits the memory and processes of a jail, if this process may create them.

Both versions are supported. Without them, a jail's first process checks the limits. Standard library only.
"""

import contextlib
import glob
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

FILES = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}
"""The file with a controller's limit, in either version."""


class Group(NamedTuple):
    """A folder of control groups created by this process. It is kept open, since its path is not visible everywhere."""

    controller: str
    path: str
    folder: int


def prepare(user: int) -> list[Group]:
    """Create a group for the jails of this process, with every available controller; as root, give it to `user`."""
    groups = []
    for controller in FILES:
        for place in _places(controller):
            with contextlib.suppress(OSError):
                groups.append(_prepare(controller, place, user))
                break
    return groups


def _prepare(controller: str, place: str, user: int) -> Group:
    for stale in glob.glob(f"{place}/openbench-*"):
        if not os.path.exists(f"/proc/{stale.rpartition('-')[2]}"):
            remove(stale)
    path = f"{place}/openbench-{os.getpid()}"
    os.makedirs(path, exist_ok=True)
    try:
        if not any(os.path.exists(f"{path}/{name}") for name in FILES[controller]):
            raise FileNotFoundError(f"{path} has no controller {controller}")
        if os.path.exists(f"{path}/cgroup.subtree_control"):
            _put(None, f"{path}/cgroup.subtree_control", f"+{controller}")
        os.makedirs(f"{path}/spawner", exist_ok=True)
        if os.geteuid() == 0:
            for name in (path, *(f"{path}{name}" for name in ("/cgroup.procs", "/spawner", "/spawner/cgroup.procs"))):
                os.chown(name, user, user)
        _put(None, f"{path}/spawner/cgroup.procs", str(os.getpid()))
        return Group(controller, path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        remove(path)
        raise


def _places(controller: str) -> Iterator[str]:
    """Yield the folders in which this process could create groups: its own and, in version 2, its parent."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = [line.rstrip("\n").split(":", 2) for line in file]
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    for fields in mounts:
        root, point, kind, options = fields[3], fields[4], fields[-3], fields[-1].split(",")
        for _, controllers, path in own:
            found = (
                controllers == "" if kind == "cgroup2" else kind == "cgroup" and controller in controllers.split(",")
            )
            if found and (kind == "cgroup2" or controller in options):
                place = point + os.path.join("/", os.path.relpath(path, root)).rstrip("/.")
                yield place
                if kind == "cgroup2" and place != point:
                    yield os.path.dirname(place)


@contextlib.contextmanager
def joined(groups: list[Group], name: str, limits: dict[str, Any]) -> Iterator[None]:
    """Join a group with these limits, together with processes started in the context; then remove the group."""
    values = {"memory": limits["memory"] + limits["disk"] + (64 << 20), "pids": limits["processes"] + 4}
    for group in groups:
        with contextlib.suppress(FileExistsError):  # one folder may have both controllers
            os.mkdir(name, dir_fd=group.folder)
        for file in FILES[group.controller]:
            with contextlib.suppress(FileNotFoundError):
                _put(group.folder, f"{name}/{file}", str(values[group.controller]))
        with contextlib.suppress(FileNotFoundError):
            _put(group.folder, f"{name}/memory.swap.max", "0")
        _put(group.folder, f"{name}/cgroup.procs", str(os.getpid()))
    try:
        yield
    finally:
        for group in groups:
            _put(group.folder, "spawner/cgroup.procs", str(os.getpid()))
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=group.folder)


def remove(path: str, patience: float = 0) -> None:
    """Remove a group created by `prepare` and its subgroups, waiting `patience` seconds for their last processes."""
    end = time.monotonic() + patience
    while os.path.isdir(path):
        for folder in (*glob.glob(f"{path}/*/"), path):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        if time.monotonic() >= end:
            return
        time.sleep(0.01)


def _put(folder: int | None, path: str, value: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
