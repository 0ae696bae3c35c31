"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_sandbox.environment import BwrapSandboxEnvironment

__all__ = ["BwrapSandboxEnvironment"]
