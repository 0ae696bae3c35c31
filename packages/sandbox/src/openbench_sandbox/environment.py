"""Inspect's sandbox environment `bwrap`: `--sandbox bwrap`, or `--sandbox bwrap:limits.toml`."""

import errno
import os
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import override

from openbench_sandbox.jails import Jail, Kind, build
from openbench_sandbox.limits import MIB, Limits, SandboxError

USERS = ("sandbox", "1000")
"""The only user of a jail, by name and number."""


class BwrapSandboxConfig(BaseModel):
    """The limits of each of a sample's commands; a TOML file uses the same names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    time: float = Field(default=600, gt=0)
    """Seconds; a call's shorter timeout applies."""
    cpu: float | None = Field(default=None, gt=0)
    """Seconds of CPU time; by default, `time` for each of two CPUs."""
    memory: int = Field(default=2048, gt=0)
    """MiB of memory, without files."""
    processes: int = Field(default=256, gt=0)
    """Processes and threads at once."""
    file: int = Field(default=256, gt=0)
    """MiB of the largest file."""
    disk: int = Field(default=512, gt=0)
    """MiB of all files of a sample, which are in memory."""
    jail: Kind = "auto"
    """`bwrap`, `namespaces`, or `auto`: bubblewrap if it is installed."""
    read_only: tuple[str, ...] = ()
    """Further paths of this machine that commands can read."""

    def limits(self) -> Limits:
        """Return the limits of a command, with the output limit of Inspect."""
        return Limits(
            time=self.time,
            cpu=self.cpu,
            memory=self.memory * MIB,
            processes=self.processes,
            output=SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
            file=self.file * MIB,
            disk=self.disk * MIB,
        )


@sandboxenv(name="bwrap")
class BwrapSandboxEnvironment(SandboxEnvironment):
    """A jail for each sample: files persist between calls, and processes end with the call that started them.

    Calls of one sample run one after the other. A failure of the sandbox itself raises `SandboxError`, which is an
    error of the sample.
    """

    def __init__(self, jail: Jail) -> None:
        super().__init__()
        self.jail = jail

    @override
    @classmethod
    def default_concurrency(cls) -> int | None:
        return 2 * (os.cpu_count() or 1)

    @override
    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        chosen = _config(config)
        (await build(chosen.limits(), kind=chosen.jail, read_only=chosen.read_only)).close()

    @override
    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        chosen = _config(config)
        return {"default": cls(await build(chosen.limits(), kind=chosen.jail, read_only=chosen.read_only))}

    @override
    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            environment.as_type(BwrapSandboxEnvironment).jail.close()

    @override
    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return BwrapSandboxConfig.model_validate(config)

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user is not None and user not in USERS:
            raise SandboxUserUnsupportedError(
                f"the sandbox `bwrap` has only the unprivileged user `sandbox`; it cannot run a command as {user!r}"
            )
        config = self.jail.limits
        time = min(timeout, config.time) if timeout else config.time
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        try:
            ended = await self.jail.run(
                cmd,
                input=input or b"",
                cwd=cwd or ".",
                env=env,
                limits=replace(config, time=time, output=most),
            )
        except OSError as error:
            if error.errno == errno.EACCES and error.filename == cmd[0]:
                raise PermissionError(*error.args, error.filename) from None
            return ExecResult(success=False, returncode=127, stdout="", stderr=f"{error.filename}: {error.strerror}\n")
        stdout, stderr = (stream.decode(errors="replace") for stream in (ended.stdout, ended.stderr))
        if ended.limit == "time":
            raise TimeoutError(f"the command took longer than {time:g} seconds")
        if ended.limit == "output":
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, stdout or stderr)
        if ended.limit:
            allowed = config.values()[ended.limit]
            stderr += f"\nthe sandbox ended this command: it exceeded a limit ({ended.limit}: {allowed:g})\n"
        return ExecResult(
            success=ended.returncode == 0 and ended.limit is None,
            returncode=ended.returncode,
            stdout=stdout,
            stderr=stderr,
        )

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        await self.jail.write(file, contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        content = await self.jail.read(file, SandboxEnvironmentLimits.MAX_READ_FILE_SIZE)
        if content is None:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return content.decode() if text else content

    @override
    def default_polling_interval(self) -> float:
        return 0.2


def _config(config: SandboxEnvironmentConfigType | None) -> BwrapSandboxConfig:
    if config is None:
        return BwrapSandboxConfig()
    if isinstance(config, BwrapSandboxConfig):
        return config
    if not isinstance(config, str):
        raise SandboxError(
            f"the sandbox `bwrap` accepts a TOML file or a BwrapSandboxConfig, not a {type(config).__name__}: "
            "pass one of these, or use the sandbox that the task was written for"
        )
    try:
        return BwrapSandboxConfig.model_validate(tomllib.loads(Path(config).read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        names = ", ".join(BwrapSandboxConfig.model_fields)
        raise SandboxError(f"{config}: {error}. The limits are {names}, such as `memory = 1024`") from None
