"""Turns Ray's errors about a task that failed to run, or was lost, into one sentence."""

import re

from ray.exceptions import NodeDiedError, OutOfMemoryError, RayError, RayTaskError, RuntimeEnvSetupError

_PIP_ERROR = re.compile(r"^\s*ERROR: (.+)$", re.MULTILINE)
_NODE = re.compile(r"\[Node (\S+)\]")


def environment_failure(error: RuntimeEnvSetupError) -> str:
    """Return why packages could not be installed on a node: pip's error, or the last line of output."""
    text = str(error)
    node = _NODE.search(text)
    where = f"the node {node[1]}" if node else "a node"
    errors = _PIP_ERROR.findall(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = "; ".join(dict.fromkeys(errors)) if errors else (lines or ["Ray gives no reason"])[-1]
    return (
        f"the packages of this run cannot be installed on {where}: {reason.rstrip('.')}. If workers already have "
        "them, add --no-install."
    )


def task_failure(error: RayTaskError) -> str:
    """Return why a worker could not start, usually because packages are missing."""
    cause = error.cause if isinstance(error.cause, Exception) else error
    text = str(cause).strip().splitlines()
    reason = f"{type(cause).__name__}: {text[-1].strip() if text else ''}"
    if "ModuleNotFoundError" in str(error) or isinstance(cause, ImportError):
        return f"a worker lacks packages of this run ({reason}). Omit --no-install, or install them there."
    return f"a worker cannot run anything: {reason}"


def lost(error: RayError) -> str:
    """Return why a worker was lost, as the end of a sentence."""
    if isinstance(error, NodeDiedError):
        return "the loss of its node"
    if isinstance(error, OutOfMemoryError):
        return "an out-of-memory error on its node"
    return "a crash"
