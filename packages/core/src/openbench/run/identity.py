"""What makes two runs of a benchmark the same: the one place that decides what a retry may reuse."""

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from pydantic_core import to_jsonable_python

from openbench.benchmark import Benchmark
from openbench.datasets import content_digest
from openbench.redaction import redacted
from openbench.tasks.build import METADATA_KEY
from openbench.tasks.provenance import shown, source_digest

Identity = dict[str, Any]
CONTENT_KEY = "openbench_content"


def identity(
    task: Task,
    benchmark: Benchmark,
    *,
    task_args: Mapping[str, Any],
    model: str,
    generate: GenerateConfig,
    reference: bool,
) -> Identity:
    """Return what a completed sample depends on, as plain data.

    The dataset is a digest over what each sample shows a model and is scored by. Solvers and scorers are covered by
    the versions, and by a digest of the benchmark's source files: local evals and editable installs change without
    a version.
    """
    said = (task.metadata or {})[METADATA_KEY]
    return {
        **{name: said[name] for name in ("benchmark", "distribution", "version", "core", "sample", "scorers")},
        **{name: said[name] for name in ("base", "components") if name in said},
        "code": source_digest(benchmark),
        "arguments": redacted(dict(task_args)),
        "dataset": content_digest(mark_contents(task)),
        "model": model,
        "generation": asked_for(generate),
        "reference": reference,
    }


def mark_contents(task: Task) -> list[str]:
    """Put into each sample's metadata the digest of what it shows a model and is scored by, and return the digests."""
    digests = []
    for sample in task.dataset:
        metadata = dict(sample.metadata or {})
        digests.append(metadata.pop(CONTENT_KEY, None) or content_digest(_content(sample)))
        sample.metadata = {**metadata, CONTENT_KEY: digests[-1]}
    return digests


def asked_for(generate: GenerateConfig) -> dict[str, Any]:
    """Return the settings of a generation that are part of what is asked, not of how requests are sent."""
    return generate.model_dump(exclude_none=True, exclude=_TRANSPORT)


def changed_parts(before: Identity, after: Identity) -> list[str]:
    """Return the names of the parts in which two identities differ; one of them may have been in a file."""
    before, after = (to_jsonable_python(each, fallback=str) for each in (before, after))
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def differences(before: Identity, after: Identity) -> list[str]:
    """Return the parts in which two identities differ, each with both values."""
    names = changed_parts(before, after)
    return [f"{name} was {_short(before.get(name))}, is {_short(after.get(name))}" for name in names]


_TRANSPORT = {
    "adaptive_connections",
    "attempt_timeout",
    "batch",
    "cache",
    "max_connections",
    "max_retries",
    "timeout",
}


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text  # noqa: PLR2004 - the digits of a SHA-256


def _content(sample: Sample) -> object:
    return [sample.id, shown(sample), sample.choices, sample.target, sample.metadata, sample.files, sample.setup]
