"""Attempts to escape the sandbox or to harm its host: none may work. Each is tried with every way to build a jail."""

import os
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest

from openbench_sandbox import Limits, jail, jails, run, stop

pytestmark = pytest.mark.anyio
MIB = 1 << 20
SECRET = "sk-0123456789-of-the-host"  # noqa: S105
PRELUDE = """
import ctypes, os, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(function, *args):
    try: return ("did", function(*args))
    except Exception as error: return (type(error).__name__, error.args[0] if error.args else None)
def syscall(x86, arm, *args):
    number = x86 if os.uname().machine == "x86_64" else arm
    done = libc.syscall(ctypes.c_long(number), *args)
    return "did" if done >= 0 else ctypes.get_errno()
"""
EPERM, ENOSYS = 1, 38


async def attack(code, kind, **limits):
    """Run Python in a jail, and see that none of its processes is left when it ends."""
    marker = f"escape-{os.urandom(8).hex()}"
    limits = Limits(**{"time": 5, "processes": 32, "memory": 256 * MIB, "disk": 32 * MIB, "file": 16 * MIB, **limits})
    begin = time.monotonic()
    ended = await run(["python3", "-I", "-c", f"{PRELUDE}\n{code}\n# {marker}"], kind=kind, limits=limits)
    assert time.monotonic() - begin < limits.time + 4
    assert not processes_with(marker)
    return ended


def processes_with(marker):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(path)
        except OSError:
            continue
    return found


@pytest.fixture
def secret_file():
    """A file that anyone could read on this machine, but in a folder that jails do not have."""
    with tempfile.NamedTemporaryFile("w", dir="/var", prefix="sandbox-test-", suffix=".txt") as file:
        file.write(SECRET)
        file.flush()
        Path(file.name).chmod(0o644)
        yield file.name


# Processes


async def test_a_fork_bomb_ends(kind):
    ended = await attack("while True:\n    attempt(os.fork)", kind, time=3)
    assert ended.limit in {"processes", "cpu", "time"}


async def test_a_fork_bomb_of_a_shell_ends(kind):
    ended = await run(["sh", "-c", "b() { b | b & b; }; b"], kind=kind, limits=Limits(time=2, processes=16))
    assert ended.limit or ended.returncode


async def test_processes_are_limited(kind):
    code = """
count = 0
for _ in range(200):
    try:
        if os.fork() == 0: time.sleep(60)
    except BlockingIOError: break
    count += 1
print(count)
"""
    ended = await attack(code, kind, processes=20)
    assert ended.limit == "processes" or int(ended.stdout) <= 24


async def test_threads_are_limited(kind):
    code = """
import threading
for count in range(500):
    try: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError: break
print(count, flush=True); os._exit(0)
"""
    ended = await attack(code, kind, processes=20)
    assert int(ended.stdout) <= 24


async def test_a_daemon_ends_with_its_command(kind):
    code = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.closerange(0, 64); time.sleep(60)
    os._exit(0)
print("left")
"""
    assert (await attack(code, kind)).stdout == b"left\n"


async def test_a_daemon_is_gone_for_the_next_command_of_a_sample(kind):
    async with jail(kind=kind) as built:
        await built.run(["sh", "-c", "setsid sleep 77 & exec true"])
        listed = await built.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"])
    assert b"sleep" not in listed.stdout


async def test_kill_of_everything_reaches_the_jail_only(kind):
    code = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nfor s in (9, 19): attempt(os.kill, -1, s)\nprint('here')"
    async with jail(kind=kind) as built:
        await built.run(["python3", "-c", PRELUDE + code])
        assert (await built.run(["echo", "next"])).stdout == b"next\n"


async def test_signals_to_the_first_process_do_nothing(kind):
    code = "print([attempt(os.kill, 1, number)[0] for number in (9, 15, 19, 2, 11, 6)])"
    async with jail(kind=kind) as built:
        ended = await built.run(["python3", "-c", PRELUDE + code])
        assert ended.returncode == 0
        assert (await built.run(["echo", "next"])).stdout == b"next\n"


async def test_signals_to_processes_of_the_host_find_none(kind):
    await run(["true"], kind=kind)
    targets = [os.getpid(), os.getppid(), *(spawner.process.pid for spawner in jails._spawners.values())]
    ended = await attack(f"print([attempt(os.kill, pid, 9)[0] for pid in {targets}])", kind)
    assert ended.stdout.decode().strip() == str(["ProcessLookupError"] * len(targets))
    assert all(spawner.process.poll() is None for spawner in jails._spawners.values())


async def test_a_process_cannot_be_traced(kind):
    code = """
child = os.fork()
if child == 0: time.sleep(60)
print([syscall(101, 117, request, pid, 0, 0) for request in (16, 0x4206) for pid in (1, os.getppid(), child)])
"""
    assert (await attack(code, kind)).stdout.decode().strip() == str([EPERM] * 6)


async def test_memory_of_the_first_process_cannot_be_read(kind):
    code = """
buffer = ctypes.create_string_buffer(64)
print([attempt(open, f"/proc/1/{name}", mode)[0] for name, mode in (("mem", "rb"), ("mem", "r+b"))])
print(syscall(310, 270, 1, buffer, 1, buffer, 1, 0), syscall(311, 271, 1, buffer, 1, buffer, 1, 0))
"""
    assert (await attack(code, kind)).stdout.decode() == f"['PermissionError', 'PermissionError']\n{EPERM} {EPERM}\n"


async def test_files_that_the_first_process_has_open_cannot_be_taken(kind):
    code = """
print(attempt(os.listdir, "/proc/1/fd")[0], [attempt(open, f"/proc/1/fd/{n}", "wb")[0] for n in range(12)].count("did"))
pid = os.pidfd_open(1)
print([syscall(438, 438, pid, number, 0) for number in range(3)])
"""
    assert (await attack(code, kind)).stdout.decode() == f"PermissionError 0\n[{EPERM}, {EPERM}, {EPERM}]\n"


# Time


async def test_sleeping_ends_in_time(kind):
    assert (await attack("time.sleep(60)", kind, time=0.5)).limit == "time"


async def test_spinning_ends_in_time(kind):
    assert (await attack("while True: pass", kind, time=0.5)).limit == "time"


async def test_ignoring_signals_ends_in_time(kind):
    code = "for s in range(1, 65): attempt(signal.signal, s, signal.SIG_IGN)\nwhile True: time.sleep(1)"
    assert (await attack(code, kind, time=0.5)).limit == "time"


async def test_a_stopped_process_ends_in_time(kind):
    assert (await attack("os.kill(os.getpid(), signal.SIGSTOP)", kind, time=0.5)).limit == "time"


async def test_processor_time_is_counted_over_processes(kind):
    ended = await attack("for _ in range(4): os.fork()\nwhile True: pass", kind, time=5, cpu=0.5)
    assert ended.limit == "cpu"
    assert ended.seconds < 3


# Memory and files


async def test_memory_of_one_process_is_limited(kind):
    ended = await attack("print(len(bytearray(2 << 30)))", kind)
    assert b"MemoryError" in ended.stderr


@pytest.fixture(params=["control groups", "watched"])
def held_by(request, monkeypatch):
    """Both ways to hold what processes use together: control groups where this machine gives some, and a watch."""
    monkeypatch.setattr(jails, "CGROUPS", request.param == "control groups")
    stop()
    yield request.param
    stop()


async def test_memory_of_many_processes_is_limited(kind, held_by):
    code = """
for _ in range(12):
    if os.fork() == 0:
        data = bytearray(os.urandom(1 << 20) * 100); time.sleep(60)
while True:
    if os.waitstatus_to_exitcode(os.wait()[1]): sys.exit(1)
"""
    ended = await attack(code, kind)
    assert ended.limit == "memory" or (held_by == "control groups" and ended.returncode)


async def test_shared_memory_is_limited(kind, held_by):
    code = "import mmap\nm = mmap.mmap(-1, 2 << 30)\nfor at in range(0, 2 << 30, 4096): m[at] = 1\nprint('did')"
    ended = await attack(code, kind)
    assert b"did" not in ended.stdout
    assert ended.limit == "memory" or (held_by == "control groups" and ended.returncode == 137)


async def test_memory_that_no_limit_counts_cannot_be_had(kind):
    code = """
print(attempt(os.memfd_create, "m"), syscall(447, 447, 0), syscall(29, 194, 0, 1 << 30, 0o1666),
      syscall(68, 186, 0, 0o1666), syscall(64, 190, 0, 100, 0o1666), syscall(240, 180, b"/q", 0o102, 0o600, 0))
"""
    assert (await attack(code, kind)).stdout.decode() == "('PermissionError', 1) 1 1 1 1 1\n"


async def test_the_disk_can_be_filled_with_its_own_size_only(kind):
    code = """
written = 0
try:
    for name in range(100):
        for folder in ("/tmp", "/tmp/work", "/dev/shm", "/var/tmp"):
            with open(f"{folder}/{name}{len(folder)}", "wb", buffering=0) as file: written += file.write(bytes(1 << 20))
except OSError as error: print(error.errno, written)
"""
    ended = await attack(code, kind)
    code, written = map(int, ended.stdout.split())
    assert code == 28
    assert written <= 32 * MIB


@pytest.mark.parametrize("depth", [3, pytest.param(99, marks=pytest.mark.stress)])
async def test_a_jail_has_no_other_place_to_write(kind, depth):
    code = f"""
def write(folder): open(os.path.join(folder, "written"), "wb").close()
mounted = [line.split()[1] for line in open("/proc/self/mounts")]
for top in ["/", *mounted]:
  for folder, inner, _ in os.walk(top):
    if folder.count("/") >= {depth}: inner.clear()
    if not folder.startswith(("/tmp", "/proc")) and attempt(write, folder)[0] == "did": print(folder)
"""
    ended = await attack(code, kind, time=60)
    assert (ended.stdout, ended.limit, ended.returncode) == (b"", None, 0)


async def test_files_are_limited_in_number(kind):
    code = """
for number in range(10_000_000):
    if number % 1000 == 0: os.mkdir(f"d{number}"); os.chdir(f"d{number}")
    open(str(number), "wb").close()
"""
    ended = await attack(code, kind, time=20, disk=8 * MIB)
    assert ended.limit == "disk" or b"No space left" in ended.stderr


async def test_a_sparse_file_is_limited(kind):
    code = "f = open('f', 'wb'); signal.signal(signal.SIGXFSZ, signal.SIG_IGN); print(attempt(f.truncate, 1 << 40))"
    assert (await attack(code, kind)).stdout == b"('OSError', 27)\n"


async def test_a_large_file_is_limited(kind):
    ended = await attack("open('f', 'wb').write(bytes(20 << 20))", kind)
    assert ended.returncode


async def test_a_deep_folder_does_not_hold_the_end_up(kind):
    ended = await attack("while True: os.mkdir('d'); os.chdir('d')", kind)
    assert ended.limit == "disk" or ended.returncode


async def test_output_is_limited(kind):
    ended = await attack("while True: os.write(1, b'x' * 65536)", kind, output=MIB)
    assert (ended.limit, len(ended.stdout)) == ("output", MIB)


async def test_output_of_what_is_left_behind_is_limited(kind):
    code = "if os.fork() == 0:\n    while True: os.write(2, b'x' * 65536)\ntime.sleep(2)"
    ended = await attack(code, kind, output=MIB)
    assert (ended.limit, len(ended.stderr)) == ("output", MIB)


async def test_limits_cannot_be_raised(kind):
    code = """
import resource
for name in ("CPU", "DATA", "NPROC", "FSIZE", "NOFILE", "CORE", "MEMLOCK"):
    number = getattr(resource, f"RLIMIT_{name}")
    print(attempt(resource.setrlimit, number, (resource.RLIM_INFINITY,) * 2)[0], end=" ")
print(attempt(os.setpriority, os.PRIO_PROCESS, 0, -5)[0], attempt(open, "/sys/fs/cgroup/memory.max", "w")[0])
print(attempt(open("/proc/self/oom_score_adj", "w", buffering=1).write, "-1000\\n")[0])
"""
    words = (await attack(code, kind)).stdout.decode().split()
    assert words == ["ValueError"] * 7 + ["PermissionError", "FileNotFoundError", "PermissionError"]


# What there is to see


async def test_files_of_the_host_are_not_there(kind, secret_file):
    paths = [
        secret_file,
        "/etc/shadow",
        "/etc/ssh",
        str(Path.home() / ".ssh"),
        "/home",
        "/run/docker.sock",
        "/sys",
        "/boot",
    ]
    ended = await attack(f"print([attempt(os.stat, path)[0] for path in {paths}])", kind)
    assert ended.stdout.decode().strip() == str(["FileNotFoundError"] * len(paths))


async def test_a_symlink_leads_nowhere_when_the_host_reads(kind, secret_file):
    async with jail(kind=kind) as built:
        await built.run(["sh", "-c", f"ln -s {secret_file} link; ln -s / root; ln -s /proc/1/root host"])
        for path in (
            "link",
            f"root{secret_file}",
            f"host{secret_file}",
            f"../..{secret_file}",
            f"/proc/1/root{secret_file}",
        ):
            with pytest.raises((FileNotFoundError, PermissionError)):
                await built.read(path)


async def test_a_symlink_leads_nowhere_when_the_host_writes(kind, secret_file):
    async with jail(kind=kind) as built:
        await built.run(["sh", "-c", f"ln -s {secret_file} link; ln -s {Path(secret_file).parent} folder"])
        for path in ("link", "folder/written", "/usr/written", "/etc/passwd"):
            with pytest.raises(OSError, match=r"No such file|Read-only|Permission"):
                await built.write(path, "other")
    assert Path(secret_file).read_text("utf-8") == SECRET  # noqa: ASYNC240


async def test_only_regular_files_are_read(kind):
    async with jail(kind=kind) as built:
        await built.run(["sh", "-c", "mkfifo pipe; ln -s /dev/zero zero"])
        for path in ("pipe", "zero", "/dev/random"):
            with pytest.raises(PermissionError):
                await built.read(path)
        assert await built.read("/proc/self/mountinfo", limit=10) is None


async def test_only_processes_of_the_jail_are_seen(kind):
    ended = await attack(
        "print([pid for pid in os.listdir('/proc') if pid.isdecimal()] == ['1', str(os.getpid())])", kind
    )
    assert ended.stdout == b"True\n"


async def test_variables_of_the_host_are_not_there(kind, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    ended = await attack("print(dict(os.environ), open('/proc/self/environ').read())", kind)
    assert SECRET.encode() not in ended.stdout
    assert b"OPENAI" not in ended.stdout


async def test_variables_of_other_processes_cannot_be_read(kind):
    code = """
for name in ("/proc/1/environ", f"/proc/{os.getppid()}/environ", "/proc/1/root/proc/1/environ", "/proc/1/auxv"):
    print(attempt(lambda: open(name, "rb").read())[0])
"""
    assert set((await attack(code, kind)).stdout.split()) <= {b"PermissionError", b"FileNotFoundError"}


async def test_no_open_file_is_inherited(kind):
    with Path(__file__).open("rb") as file:
        os.set_inheritable(file.fileno(), True)
        assert (await attack("print(sorted(map(int, os.listdir('/proc/self/fd'))))", kind)).stdout == b"[0, 1, 2, 3]\n"


async def test_files_are_gone_for_the_next_sample(kind):
    code = "for f in ('/tmp', '/tmp/work', '/dev/shm'):\n    print(sorted(os.listdir(f)))\n    open(f + '/left', 'w').close()"
    first, second = await attack(code, kind), await attack(code, kind)
    assert first.stdout == second.stdout == b"['shm', 'work']\n[]\n[]\n"


async def test_samples_that_run_at_once_cannot_meet(kind):
    async with jail(kind=kind) as one, jail(kind=kind) as other:
        code = "import socket, time\ns = socket.socket(socket.AF_UNIX); s.bind('\\0meet'); s.listen(); print('up', flush=True)"
        await one.run(["python3", "-c", f"{code}; open('/dev/shm/meet', 'w').close()"])
        ended = await other.run(["sh", "-c", "ls -A /dev/shm /tmp/work; cat /proc/net/unix | grep -c meet"])
    assert ended.stdout == b"/dev/shm:\n\n/tmp/work:\n0\n"


async def test_devices_are_the_harmless_ones(kind):
    code = """
print(sorted(os.listdir("/dev")))
print([attempt(os.mknod, name, mode, os.makedev(1, 1))[0] for name, mode in (("b", 0o60666), ("c", 0o20666))])
"""
    lines = (await attack(code, kind)).stdout.decode().splitlines()
    names = ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]
    assert lines == [str(names), "['PermissionError', 'PermissionError']"]


# Network


async def test_services_of_the_host_cannot_be_reached(kind):
    came = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = threading.Thread(target=lambda: came.append(server.accept()), daemon=True)
        listener.start()
        port = server.getsockname()[1]
        code = (
            f"print([attempt(socket.create_connection, (h, {port}), 1)[0] for h in ('127.0.0.1', '::1', '10.0.2.2')])"
        )
        ended = await attack(code, kind)
        assert not came
        socket.create_connection(server.getsockname()).close()  # so that the thread ends
        listener.join()
        came.pop()[0].close()
    assert ended.stdout == b"['ConnectionRefusedError', 'ConnectionRefusedError', 'OSError']\n"


async def test_the_internet_cannot_be_reached(kind):
    ended = await attack(
        "print([attempt(socket.create_connection, (h, 443), 1)[1] for h in ('1.1.1.1', '2606:4700::1')])", kind
    )
    assert ended.stdout == b"[101, 101]\n"


async def test_datagrams_do_not_leave(kind):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.2)
        code = f"s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nattempt(s.sendto, b'x', ('127.0.0.1', {server.getsockname()[1]}))"
        ended = await attack(f"{code}\nprint(attempt(s.sendto, b'x', ('8.8.8.8', 53))[1])", kind)
        with pytest.raises(TimeoutError):
            server.recv(1)
    assert ended.stdout == b"101\n"


async def test_names_are_not_resolved(kind):
    assert (await attack("print(attempt(socket.getaddrinfo, 'example.com', 80)[0])", kind)).stdout == b"gaierror\n"


async def test_abstract_sockets_of_the_host_cannot_be_reached(kind):
    with socket.socket(socket.AF_UNIX) as server:
        name = f"sandbox-{os.urandom(8).hex()}"
        server.bind(f"\0{name}")
        server.listen()
        ended = await attack(f"print(attempt(socket.socket(socket.AF_UNIX).connect, '\\0{name}')[0])", kind)
    assert ended.stdout == b"ConnectionRefusedError\n"


async def test_packets_cannot_be_forged(kind):
    code = "print([attempt(socket.socket, family, socket.SOCK_RAW, 255)[0] for family in (socket.AF_INET, socket.AF_PACKET)])"
    assert (await attack(code, kind)).stdout == b"['PermissionError', 'PermissionError']\n"


# The kernel


async def test_no_privileges_are_there(kind):
    code = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith(('Cap', 'NoNew', 'Seccomp:'))])"
    assert (await attack(code, kind)).stdout.decode().strip() == str(["0" * 16] * 5 + ["1", "2"])


async def test_setuid_programs_give_nothing(kind):
    code = """
import shutil, subprocess
print(all(os.statvfs(path).f_flag & os.ST_NOSUID for path in ("/", "/usr", "/tmp", sys.prefix)))
shutil.copy("/usr/bin/id", "id"); os.chmod("id", 0o6755)
print(subprocess.run(["./id", "-u"], capture_output=True).stdout, attempt(os.setuid, 0), attempt(os.setgroups, [0])[0])
print([subprocess.run(c, stdin=-3, capture_output=True).returncode != 0 for c in (["su", "-c", "id"], ["mount", "/tmp"])])
"""
    assert (await attack(code, kind)).stdout.decode().splitlines() == [
        "True",
        "b'1000\\n' ('OSError', 22) PermissionError",
        "[True, True]",
    ]


async def test_no_further_namespaces_are_had(kind):
    code = """
flags = (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x10020000)
print([syscall(272, 97, flag) for flag in flags], [syscall(56, 220, flag | 17, 0, 0, 0, 0) for flag in flags])
print(syscall(435, 435, ctypes.create_string_buffer(88), 88), attempt(open, "/proc/1/ns/user")[0])
print(syscall(308, 268, os.open("/proc/self/ns/user", os.O_RDONLY), 0))
"""
    assert (
        await attack(code, kind)
    ).stdout.decode() == f"{[EPERM] * 5} {[EPERM] * 5}\n{ENOSYS} PermissionError\n{EPERM}\n"


async def test_nothing_is_mounted_or_unmounted(kind):
    code = """
print(syscall(165, 40, b"t", b"/tmp/work", b"tmpfs", 0, 0), syscall(165, 40, b"/", b"/tmp/work", b"", 0x1000, 0),
      syscall(165, 40, b"", b"/usr", b"", 0x1020, 0), syscall(166, 39, b"/proc", 2), syscall(166, 39, b"/tmp", 2),
      syscall(155, 41, b"/tmp", b"/tmp/work"), syscall(161, 51, b"/tmp"), syscall(428, 428, -100, b"/", 1),
      syscall(430, 430, b"tmpfs", 0), syscall(442, 442, -100, b"/", 0, b"0" * 32, 32))
"""
    assert (await attack(code, kind)).stdout.decode().split() == [str(EPERM)] * 10


async def test_the_kernels_wider_interfaces_are_closed(kind):
    code = """
print(syscall(321, 280, 0, b"0" * 128, 128), syscall(298, 241, b"0" * 128, 0, -1, -1, 0), syscall(323, 282, 0),
      syscall(425, 425, 8, b"0" * 128), syscall(250, 219, 0, 0), syscall(248, 217, b"user", b"k", b"v", 1, -2),
      syscall(304, 265, 0, 0, 0), syscall(103, 116, 3, 0, 0), syscall(169, 142, 0, 0, 0), syscall(175, 105, 0, 0, b""))
"""
    assert (await attack(code, kind)).stdout.decode().split() == [str(EPERM)] * 10


async def test_the_filter_does_not_hold_for_other_numbers_only(kind):
    if os.uname().machine != "x86_64":
        return  # there are no other numbers
    ended = await attack("libc.syscall(ctypes.c_long(0x40000000 + 272), 0x10000000)\nprint('did')", kind)
    assert (ended.returncode, ended.stdout) == (128 + 31, b"")


async def test_settings_of_the_kernel_are_not_written(kind):
    paths = [
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/proc/sys/vm/overcommit_memory",
        "/proc/self/uid_map",
    ]
    code = f"for path in {paths}: print(attempt(lambda: open(path, 'w', buffering=1).write('1\\n'))[0])"
    assert set((await attack(code, kind)).stdout.split()) <= {b"PermissionError", b"OSError", b"FileNotFoundError"}
    assert (await attack("print(attempt(socket.sethostname, 'other')[0])", kind)).stdout == b"PermissionError\n"


async def test_nothing_is_typed_into_a_terminal(kind):
    code = """
import fcntl, pty
print(attempt(open, "/dev/tty")[0], attempt(pty.openpty)[0], os.getsid(0) == os.getpid())
print([attempt(fcntl.ioctl, 0, number, b"x")[1] for number in (0x5412, 0x541C)])
"""
    lines = (await attack(code, kind)).stdout.decode().splitlines()
    assert lines == ["FileNotFoundError OSError True", f"[{EPERM}, {EPERM}]"]
