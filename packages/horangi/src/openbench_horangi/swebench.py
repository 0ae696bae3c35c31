"""Horangi's subset of SWE-bench Verified."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench_authoring import create_benchmark
from openbench_horangi import tasks
from openbench_horangi.configurations import declaration

WAIVERS = {
    **tasks.WAIVERS,
    "reference": "Scoring patches requires a server or Docker, which checks do not use; the tests of "
    "openbench-swebench score references.",
}


@task
def horangi_swebench_verified_official_80(shuffle: bool = False, limit: int | None = None) -> Task:
    """Patches for 80 instances of SWE-bench Verified, scored by the repository's tests.

    Args:
        shuffle: Shuffle the samples.
        limit: The number of samples.
    """
    name = "swebench_verified_official_80"
    return create_benchmark(f"horangi_{name}", declaration(name), shuffle=shuffle, limit=limit)


def reference(sample: Sample) -> str:
    """Return the instance's reference patch."""
    return str((sample.metadata or {})["patch"])


def wrong(_: Sample) -> str:
    """Return an answer without a patch."""
    return "The issue cannot be reproduced."
