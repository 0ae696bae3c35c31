"""What commands get, and how they end."""

import json
import sys
from pathlib import Path

import anyio
import pytest

from openbench_sandbox import Limits, SandboxError, jail, run

pytestmark = pytest.mark.anyio
MIB = 1 << 20


async def python(code, kind, **options):
    return await run(["python3", "-I", "-c", code], kind=kind, **options)


async def test_output_errors_and_status_are_those_of_the_command(kind):
    ended = await run(["sh", "-c", "cat; echo problem >&2; exit 3"], input="question", kind=kind)
    assert (ended.returncode, ended.stdout, ended.stderr, ended.limit) == (3, b"question", b"problem\n", None)


async def test_files_are_in_the_folder_of_the_command(kind):
    ended = await run(["sh", "-c", "pwd; cat a deep/b"], files={"a": "1", "deep/b": b"2"}, kind=kind)
    assert ended.stdout == b"/tmp/work\n12"


async def test_the_python_is_this_one_without_its_packages(kind):
    code = "import sys, importlib.util as u; print(*sys.version_info[:3], u.find_spec('openbench_sandbox'))"
    ended = await run(["python3", "-c", code], kind=kind)
    assert ended.stdout.decode().split() == [*map(str, sys.version_info[:3]), "None"]


async def test_a_path_that_is_named_can_be_read_and_not_written(kind):
    folder = Path(__file__).parent
    assert b"No such file" in (await run(["ls", str(folder)], kind=kind)).stderr
    async with jail(kind=kind, read_only=[str(folder)]) as built:
        ended = await built.run(["sh", "-c", f"cat {folder}/conftest.py; echo no > {folder}/written"])
    assert ended.stdout == (folder / "conftest.py").read_bytes()
    assert b"Read-only file system" in ended.stderr


async def test_a_path_that_a_jail_hides_is_refused(kind, tmp_path):
    with pytest.raises(SandboxError, match=f"its own /tmp, /proc and /dev and cannot read {tmp_path}"):
        async with jail(kind=kind, read_only=[str(tmp_path)]):
            pass


async def test_files_last_from_command_to_command_of_a_jail(kind):
    async with jail(kind=kind) as built:
        await built.run(["sh", "-c", "echo one > kept"])
        await built.write("other", "two")
        assert (await built.run(["cat", "kept", "other"])).stdout == b"one\ntwo"
        assert await built.read("kept") == b"one\n"


async def test_commands_of_one_jail_wait_for_each_other(kind):
    async with jail(kind=kind) as built, anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(built.run, ["sh", "-c", f"echo {number} >> order; sleep 0.02; echo {number} >> order"])
        await anyio.wait_all_tasks_blocked()
        lines = ((await built.read("order")) or b"").split()
    assert lines[::2] == lines[1::2]


@pytest.mark.parametrize(
    ("command", "cwd", "error"),
    [
        (["nothing-of-this-name"], ".", FileNotFoundError),
        (["/etc/passwd"], ".", PermissionError),
        (["true"], "nowhere", FileNotFoundError),
        (["true"], "/etc/passwd", NotADirectoryError),
    ],
)
async def test_what_cannot_be_executed_is_an_error_of_its_own(kind, command, cwd, error):
    async with jail(kind=kind) as built:
        with pytest.raises(error):
            await built.run(command, cwd=cwd)
        assert (await built.run(["echo", "next"])).stdout == b"next\n"


async def test_the_status_of_a_signal_is_as_in_shells(kind):
    assert (await run(["sh", "-c", "kill -TERM $$"], kind=kind)).returncode == 143


async def test_large_input_and_output_pass(kind):
    data = bytes(range(256)) * 40_000
    ended = await run(["cat"], input=data, kind=kind, limits=Limits(output=len(data)))
    assert ended.stdout == data


async def test_threads_processes_and_their_locks_work(kind):
    code = """
import multiprocessing, threading
def square(number): return number * number
threads = [threading.Thread(target=square, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
with multiprocessing.get_context("fork").Pool(3) as pool: print(pool.map(square, range(5)))
"""
    ended = await python(code, kind)
    assert ended.stdout == b"[0, 1, 4, 9, 16]\n", ended.stderr


async def test_a_server_of_its_own_can_be_reached(kind):
    code = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.send(b"hello"); print(server.accept()[0].recv(9))
"""
    assert (await python(code, kind)).stdout == b"b'hello'\n"


async def test_a_cancelled_run_leaves_nothing(kind):
    with anyio.move_on_after(0.5) as scope:
        await run(["sleep", "60"], kind=kind)
    assert scope.cancelled_caught
    assert (await run(["echo", "next"], kind=kind)).stdout == b"next\n"


async def test_a_closed_jail_is_refused(kind):
    async with jail(kind=kind) as built:
        pass
    with pytest.raises(SandboxError, match="the jail is closed"):
        await built.run(["true"])


async def test_many_jails_at_once_are_apart(kind):
    answers = {}

    async def one(number):
        ended = await run(["sh", "-c", f"echo {number} > mine; sleep 0.1; cat *"], kind=kind)
        answers[number] = ended.stdout

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(one, number)
    assert answers == {number: f"{number}\n".encode() for number in range(10)}


async def test_the_clean_environment_has_what_a_program_needs(kind):
    ended = await python("import json, os; print(json.dumps(dict(os.environ)))", kind, env={"MINE": "1"})
    given = json.loads(ended.stdout)
    given.pop("LC_CTYPE", None)
    assert set(given) == {"PATH", "HOME", "TMPDIR", "LANG", "USER", "MINE"}


def test_a_limit_of_nothing_is_refused():
    with pytest.raises(ValueError, match="Limits: memory must be greater than 0, not 0"):
        Limits(memory=0)
