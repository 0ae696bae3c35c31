"""Makes one sentence of what Ray says of a task that it could not run, or lost."""

import re

from ray.exceptions import NodeDiedError, OutOfMemoryError, RayError, RayTaskError, RuntimeEnvSetupError

_PIP_ERROR = re.compile(r"^\s*ERROR: (.+)$", re.MULTILINE)
_NODE = re.compile(r"\[Node (\S+)\]")


def environment_failure(error: RuntimeEnvSetupError) -> str:
    """Return why the packages could not be installed on a node: what pip says, or the last line of all."""
    text = str(error)
    node = _NODE.search(text)
    where = f"the node {node[1]}" if node else "a node"
    said = _PIP_ERROR.findall(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = "; ".join(dict.fromkeys(said)) if said else (lines or ["Ray does not say why"])[-1]
    return (
        f"the packages of this run cannot be installed on {where}: {reason.rstrip('.')}. If workers have them already, "
        "add --no-install."
    )


def task_failure(error: RayTaskError) -> str:
    """Return why a worker could not begin: most likely it lacks packages."""
    cause = error.cause if isinstance(error.cause, Exception) else error
    text = str(cause).strip().splitlines()
    reason = f"{type(cause).__name__}: {text[-1].strip() if text else ''}"
    if "ModuleNotFoundError" in str(error) or isinstance(cause, ImportError):
        return f"a worker lacks packages of this run ({reason}). Leave --no-install out, or install them there."
    return f"a worker cannot run anything: {reason}"


def lost(error: RayError) -> str:
    """Return what became of a worker, in words that end a sentence."""
    if isinstance(error, NodeDiedError):
        return "the loss of its node"
    if isinstance(error, OutOfMemoryError):
        return "a lack of memory on its node"
    return "a crash"
