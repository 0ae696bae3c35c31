"""A sandbox that fails says so, and never that code was wrong."""

import os
import signal
import subprocess
import sys

import anyio
import pytest

from openbench_sandbox import SandboxError, check, jail, jails, run, stop
from openbench_sandbox.environment import BwrapSandboxConfig, BwrapSandboxEnvironment

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _fresh():
    yield
    stop()


def spawner():
    return next(iter(jails._spawners.values())).process


async def test_a_warm_process_that_died_is_started_again(kind):
    await run(["true"], kind=kind)
    first = spawner()
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert (await run(["echo", "again"], kind=kind)).stdout == b"again\n"
    assert spawner().pid != first.pid


async def test_a_jail_that_dies_while_a_command_runs_is_an_error(kind):
    async with jail(kind=kind) as built, anyio.create_task_group() as group:
        group.start_soon(kill_soon, spawner().pid)
        with pytest.raises(SandboxError, match="the jail ended"):
            await built.run(["sleep", "5"])
        with pytest.raises(SandboxError, match="the jail is closed"):
            await built.run(["true"])


async def kill_soon(pid):
    await anyio.sleep(0.3)
    os.kill(pid, signal.SIGKILL)


async def test_a_verdict_is_not_had_of_a_sandbox_that_failed(kind, monkeypatch):
    monkeypatch.setattr(jails, "PYTHON", "/usr/bin/nothing-of-this-name")
    with pytest.raises(SandboxError, match="cannot be started"):
        await check("def f(): return 1", "assert f() == 1", kind=kind)


async def test_where_no_jail_can_be_built_the_error_gives_the_reason_and_alternatives(kind):
    code = f"""
import anyio
from openbench_sandbox import SandboxError, kernel, run
kernel._call("prctl", 38, 1, 0, 0, 0)
kernel.filter_syscalls()  # forbids namespaces, as a container does
try:
    anyio.run(lambda: run(["true"], kind={kind!r}))
except SandboxError as error:
    print(error)
"""
    command = [sys.executable, "-c", code]
    done = await anyio.run_process(command)
    output = done.stdout.decode()
    assert "Operation not permitted" in output
    assert "Alternatives: " in output
    assert "(`--sandbox docker`); or run code unprotected, at your own risk (`--sandbox local`)" in output


async def test_bubblewrap_must_be_installed_if_named(monkeypatch):
    monkeypatch.setattr(jails, "bubblewrap", lambda: None)
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        await run(["true"], kind="bwrap")


async def test_another_system_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match="the sandbox requires Linux, not darwin"):
        await run(["true"])


@pytest.mark.parametrize(
    ("path", "value", "advice"),
    [
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
    ],
)
def test_the_setting_that_forbids_jails_is_named(monkeypatch, tmp_path, path, value, advice):
    setting = tmp_path / path
    setting.parent.mkdir()
    setting.write_text(f"{value}\n", "utf-8")
    monkeypatch.setattr(jails, "SYSCTLS", tmp_path)
    assert advice in jails.alternatives()
    setting.write_text("7\n", "utf-8")
    assert advice not in jails.alternatives()


async def test_a_process_that_is_killed_leaves_no_jail(kind):
    code = f"""
import anyio
from openbench_sandbox import jail
async def main():
    async with jail(kind={kind!r}) as built:
        print("up", flush=True)
        await built.run(["sleep", "4321.5"])
anyio.run(main)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:  # noqa: ASYNC220
        process.stdout.readline()
        await anyio.sleep(0.5)
        process.kill()
    for _ in range(50):
        await anyio.sleep(0.1)
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout  # noqa: ASYNC221
        if "sleep 4321.5" not in listed:
            return
    raise AssertionError(listed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memory = 'much'", "memory"),
        ("memory = 0", "greater than 0"),
        ("storage = 5", "The limits are time, cpu, memory"),
        ("memory =", "limits.toml"),
        (None, "No such file"),
    ],
)
async def test_a_file_of_limits_that_is_wrong_is_refused(tmp_path, text, message):
    path = tmp_path / "limits.toml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(SandboxError, match=message):
        await BwrapSandboxEnvironment.task_init("task", str(path))


async def test_a_config_of_another_sandbox_is_refused():
    class Other(BwrapSandboxConfig.__base__):
        pass

    with pytest.raises(SandboxError, match="accepts a TOML file or a BwrapSandboxConfig, not a Other"):
        await BwrapSandboxEnvironment.sample_init("task", Other(), {})
