"""A sandbox for code that a model wrote: no network, no home, no keys, and limits on all that it uses."""

from openbench_sandbox.jail import Jail, Kind, jail, run, stop
from openbench_sandbox.limits import Completed, Limits, SandboxError

__all__ = ["Completed", "Jail", "Kind", "Limits", "SandboxError", "jail", "run", "stop"]
