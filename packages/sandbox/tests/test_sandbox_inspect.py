"""Tasks of Inspect in the sandbox."""

import os

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, solver
from inspect_ai.tool import bash
from inspect_ai.util import OutputLimitExceededError, SandboxUserUnsupportedError, sandbox

from openbench_sandbox import jails
from openbench_sandbox.environment import BwrapSandboxConfig, BwrapSandboxEnvironment


@pytest.fixture
async def environment(kind):
    config = BwrapSandboxConfig(jail=kind, memory=256, disk=64)
    environments = await BwrapSandboxEnvironment.sample_init("task", config, {})
    yield environments["default"]
    await BwrapSandboxEnvironment.sample_cleanup("task", config, environments, interrupted=False)


@scorer(metrics=[accuracy()])
def runs_and_says(command, expected):
    async def score(_: TaskState, __: Target) -> Score:
        ended = await sandbox().exec(["sh", "-c", command])
        return Score(value="C" if ended.stdout.strip() == expected else "I", answer=ended.stdout + ended.stderr)

    return score


@solver
def remember():
    async def solve(state, _):
        await sandbox().exec(["sh", "-c", f"echo {state.sample_id} >> seen; echo {state.sample_id} > /tmp/seen"])
        return state

    return solve


def evaluate(task, tmp_path, **options):
    options = {"model": get_model("mockllm/model"), "log_dir": str(tmp_path / "logs"), "display": "none", **options}
    [log] = inspect_eval(task, **options)
    return log


def test_files_and_setup_of_a_sample_are_there_and_samples_are_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "of the host")
    samples = [
        Sample(id=str(n), input="Say.", files={"given/data.txt": f"{n}\n"}, setup="#!/bin/sh\necho set > up")
        for n in range(6)
    ]
    command = "ls; cat seen | wc -l; cat given/data.txt up /tmp/seen; echo $OPENAI_API_KEY"
    task = Task(samples, solver=remember(), scorer=runs_and_says(command, ""), sandbox="bwrap")
    log = evaluate(task, tmp_path)
    assert log.status == "success", log.error
    answers = {sample.id: sample.scores["runs_and_says"].answer for sample in log.samples}
    assert answers == {str(n): f"given\nseen\nup\n1\n{n}\nset\n{n}\n\n" for n in range(6)}


def test_tools_of_inspect_and_a_file_of_limits_hold(tmp_path, kind):
    @solver
    def use_the_shell():
        async def solve(state, _):
            state.metadata["user"] = await bash()("echo $((6*7)) > answer; id -un")
            return state

        return solve

    limits = tmp_path / "limits.toml"
    limits.write_text(f'memory = 256\ndisk = 64\njail = "{kind}"\n', "utf-8")
    scored = runs_and_says("cat answer; df -m /tmp | awk 'NR==2 {print $2}'", "42\n64")
    task = Task([Sample(input="Compute.")], solver=use_the_shell(), scorer=scored)
    log = evaluate(task, tmp_path, sandbox=("bwrap", str(limits)))
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1, log.samples[0].scores
    assert log.samples[0].metadata["user"] == "sandbox\n"


def test_a_sandbox_that_fails_is_an_error_of_the_sample_and_no_wrong_answer(tmp_path):
    @solver
    def break_it():
        async def solve(state, _):
            for spawner in jails._spawners.values():  # other tests may have started those of other kinds
                spawner.process.kill()
                spawner.process.wait()  # its jails are killed when it ends, which may be after the signal
            return state

        return solve

    task = Task([Sample(input="Say.")], solver=break_it(), scorer=runs_and_says("echo yes", "no"), sandbox="bwrap")
    log = evaluate(task, tmp_path, fail_on_error=False)
    assert "SandboxError" in log.samples[0].error.message
    assert not log.samples[0].scores


@pytest.mark.anyio
@pytest.mark.parametrize("user", ["root", "0", "nobody"])
async def test_another_user_is_refused(environment, user):
    with pytest.raises(SandboxUserUnsupportedError, match=f"cannot run a command as '{user}'"):
        await environment.exec(["true"], user=user)


@pytest.mark.anyio
async def test_its_own_user_is_taken(environment):
    assert (await environment.exec(["id", "-un"], user="sandbox")).stdout == "sandbox\n"


@pytest.mark.anyio
async def test_an_exceeded_limit_is_reported(environment):
    ended = await environment.exec(
        ["python3", "-c", "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(0, 1 << 30, 4096): m[i] = 1"]
    )
    assert not ended.success
    assert "memory: 268435456" in ended.stderr or ended.returncode == 137


@pytest.mark.anyio
async def test_too_much_output_is_an_error_with_its_beginning(environment):
    with pytest.raises(OutputLimitExceededError) as caught:
        await environment.exec(["sh", "-c", "yes"])
    assert caught.value.truncated_output.startswith("y\ny\n")


@pytest.mark.anyio
async def test_a_missing_command_or_folder_is_a_failed_result(environment):
    assert (await environment.exec(["nothing-of-this-name"])).returncode == 127
    ended = await environment.exec(["true"], cwd="nowhere")
    assert (ended.success, ended.stderr) == (False, "nowhere: No such file or directory\n")


@pytest.mark.anyio
async def test_a_full_disk_is_an_error_of_the_write(environment):
    with pytest.raises(OSError, match="No space left"):
        await environment.write_file("large", os.urandom(80 << 20))


def test_a_config_is_read_back_from_a_log():
    config = BwrapSandboxConfig(memory=64, read_only=("/opt",))
    assert BwrapSandboxEnvironment.config_deserialize(config.model_dump()) == config
