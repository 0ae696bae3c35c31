"""System calls that Python has no function for: namespaces, mounts, capabilities, and a system call filter.

Standard library only: the programs that build a jail and run in it import this module.
"""

import ctypes
import os
import platform
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 24, 38, 47
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *args: object) -> None:
    if getattr(_libc, name)(*args) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    """Move this process into new namespaces; a new pid namespace applies only to its children."""
    _call("unshare", flags)


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount a filesystem, or change a mount's flags."""
    try:
        _call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror} ({kind or source} on {target})") from None


def read_only(path: str) -> None:
    """Make the mount at a path, and all mounts below it, read-only and without devices and setuid programs."""
    attributes = struct.pack("=QQQQ", MS_RDONLY | MS_NOSUID | MS_NODEV, 0, 0, 0)
    _call("syscall", 442, _AT_FDCWD, path.encode(), _AT_RECURSIVE, attributes, len(attributes))


def change_root(new: str, old: str) -> None:
    """Make a mount the root of this mount namespace; the old root is mounted at `old`, a folder in it."""
    number = _DENIED["pivot_root"][_ARCHITECTURES[platform.machine()][0]]
    _call("syscall", number, new.encode(), old.encode())


def unmount(path: str) -> None:
    """Detach the mount at a path, and all mounts below it."""
    _call("umount2", path.encode(), MNT_DETACH)


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends."""
    _call("prctl", _PR_SET_PDEATHSIG, 9, 0, 0, 0)


def set_dumpable(dumpable: bool) -> None:
    """Set whether other processes of the same user can inspect this one (`/proc/PID/mem`, `fd`, `environ`; ptrace)."""
    _call("prctl", _PR_SET_DUMPABLE, int(dumpable), 0, 0, 0)


def drop_privileges() -> None:
    """Drop all capabilities permanently, so that no executed program can regain any."""
    _call("prctl", _PR_CAP_AMBIENT, 4, 0, 0, 0)
    for capability in range(64):
        try:
            _call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:
            break  # after the last capability of this kernel, or without any
    _call("capset", struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), bytes(24))
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


# System calls that programs for tasks do not need, by number on x86-64 and arm64: those that inspect other processes,
# create namespaces and mounts, expose much of the kernel, or allocate memory that no limit counts (memfd, System V,
# queues).
_DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_IOCTL = (16, 29)
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which put keystrokes into a terminal."""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_LOAD, _EQUALS, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = _ERROR | 1, _ERROR | 38


def syscall_filter(machine: str) -> bytes:
    """Return the seccomp program (classic BPF) that denies `_DENIED`, new namespaces, and typing into a terminal.

    Raises:
        OSError: The system calls of this machine's architecture are unknown.
    """
    if machine not in _ARCHITECTURES:
        raise OSError(f"the sandbox supports {' and '.join(_ARCHITECTURES)}, not {machine}")
    column, architecture = _ARCHITECTURES[machine]

    def step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, operand)

    program = [step(_LOAD, 4), step(_EQUALS, architecture, 1, 0), step(_RETURN, _KILL), step(_LOAD, 0)]
    if machine == "x86_64":  # the same calls by the numbers of the x32 ABI
        program += [step(_AT_LEAST, 0x40000000, 0, 1), step(_RETURN, _KILL)]
    for numbers in _DENIED.values():
        program += [step(_EQUALS, numbers[column], 0, 1), step(_RETURN, _EPERM)]
    # clone3 has its flags in memory, which a filter cannot read; libc falls back to clone
    program += [step(_EQUALS, _CLONE3[column], 0, 1), step(_RETURN, _ENOSYS)]
    program += [step(_EQUALS, _CLONE[column], 0, 3), step(_LOAD, 16)]
    program += [step(_ANY_BIT, NAMESPACES, 0, 5), step(_RETURN, _EPERM)]
    program += [step(_EQUALS, _IOCTL[column], 0, 3), step(_LOAD, 24)]
    program += [step(_EQUALS, _TERMINAL_INPUT[0], 2, 0), step(_EQUALS, _TERMINAL_INPUT[1], 1, 0)]
    program += [step(_RETURN, _ALLOW), step(_RETURN, _EPERM)]
    return b"".join(program)


def filter_syscalls() -> None:
    """Apply `syscall_filter` to this process and its children."""
    program = syscall_filter(platform.machine())
    buffer = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    _call("prctl", _PR_SET_SECCOMP, 2, head, 0, 0)
