"""A sandbox for model-written code: no network, no home, no keys, and limits on all resources."""

from openbench_sandbox.jails import Jail, Kind, jail, run, stop
from openbench_sandbox.limits import Completed, Limits, SandboxError
from openbench_sandbox.verdict import Outcome, Verdict, check

__all__ = [
    "Completed",
    "Jail",
    "Kind",
    "Limits",
    "Outcome",
    "SandboxError",
    "Verdict",
    "check",
    "jail",
    "run",
    "stop",
]
