"""Inspect's own checks of a sandbox environment."""

import pytest
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from openbench_sandbox.environment import BwrapSandboxConfig, BwrapSandboxEnvironment

pytestmark = pytest.mark.anyio
for check in (test_exec_timeout_kills_process, test_exec_timeout_kills_child_processes):  # noqa: F405
    pytest.mark.stress(check)  # each waits five seconds
ANOTHER_USER = "a jail has one user, and nobody who could make another"


@pytest.fixture
async def sandbox_env(kind, request):
    if request.node.originalname == "test_exec_as_user":
        request.node.add_marker(pytest.mark.xfail(reason=ANOTHER_USER, strict=True))
    config = BwrapSandboxConfig(jail=kind)
    environments = await BwrapSandboxEnvironment.sample_init("task", config, {})
    yield environments["default"]
    await BwrapSandboxEnvironment.sample_cleanup("task", config, environments, interrupted=False)
