"""Tasks of other evaluation harnesses as benchmarks, under a prefix: `lm-eval:arc_easy`.

A distribution registers a harness in the entry-point group `openbench.harnesses`. The entry point's name is the prefix;
it refers to a function from a task's name to its `BenchmarkMetadata`, which raises `UnknownNameError` for an unknown
task. The harness itself is an extra of the distribution, named after the prefix, and is installed into a separate
environment: `bench eval` runs such a task with the executor `isolated`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from openbench.registry.discovery import HARNESSES, Registered, by_name
from openbench.registry.plugin_loader import load_function
from openbench.registry.resolution import Candidate

_OURS = ("inspect-evals", "lm-eval")


class HarnessTask(NamedTuple):
    """A task's name, and the entry points of its harness."""

    task: str
    prefix: str
    registered: Sequence[Registered]

    @property
    def distribution(self) -> str:
        """The distribution that registers the harness."""
        return self.registered[0].distribution


def harness_task(name: str) -> HarnessTask | None:
    """Parse `prefix:task` or `prefix:task@distribution`; None if no installed harness has the prefix."""
    prefix, colon, task = name.partition("@")[0].partition(":")
    found = by_name(HARNESSES).get(prefix) if colon else None
    return HarnessTask(task, prefix, found) if found else None


def harness_candidates(name: str) -> list[Candidate]:
    """Return the benchmark of a harness's task; empty if the name does not have the prefix of an installed harness.

    Raises:
        UnknownNameError: The harness has no such task.
        UsageError: Several distributions register the prefix, or the harness cannot be imported here.
    """
    if not (found := harness_task(name)):
        return []
    describe = load_function(f"the prefix {found.prefix}", found.registered)
    origin = found.registered[0]
    return [Candidate(name, describe(found.task), origin.distribution, origin.version)]


def harness_hint(name: str) -> str:
    """Return a hint for the task of a harness that openbench-harnesses supports; empty for any other name."""
    prefix, colon, _ = name.partition(":")
    return "It comes with openbench-harnesses: pip install openbench-harnesses. " if colon and prefix in _OURS else ""
