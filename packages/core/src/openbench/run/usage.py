"""Tokens and time that samples used, over all attempts.

openbench-retries counts the usage of failed attempts, and retried requests, in the samples' stores.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import inf
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage
from pydantic import TypeAdapter

KEY = "openbench:attempts"
"""The entry of a sample's store for its attempts, as `openbench_retries.attempts` describes it."""

Usage = Mapping[str, ModelUsage]
"""What was used by name: of a model, or of a role."""

USAGE = TypeAdapter(dict[str, ModelUsage])


def attempts_of(sample: EvalSample) -> Mapping[str, Any]:
    """Return the entry in the store of a logged sample; empty if there is none."""
    return sample.store.get(KEY) or {}


def used_by(samples: Iterable[EvalSample]) -> tuple[Usage, Usage]:
    """Sum the usage of samples over all attempts, by model and by role."""
    models: Usage = {}
    roles: Usage = {}
    for sample in samples:
        before = attempts_of(sample)
        models = total([models, sample.model_usage, USAGE.validate_python(before.get("model_usage", {}))])
        roles = total([roles, sample.role_usage, USAGE.validate_python(before.get("role_usage", {}))])
    return models, roles


def total(usages: Iterable[Usage]) -> dict[str, ModelUsage]:
    """Sum up usage by name."""
    summed: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, used in usage.items():
            summed[name] = summed[name] + used if name in summed else used
    return summed


def running_seconds(samples: Iterable[EvalSample]) -> float:
    """Return for how long any of the samples ran, without the pauses between commands.

    The length of a sample is its `total_time`, which is of a monotonic clock.
    """
    started = (
        (datetime.fromisoformat(each.started_at).timestamp(), each.total_time or 0)
        for each in samples
        if each.started_at
    )
    seconds, until = 0.0, -inf
    for start, end in sorted((at, at + length) for at, length in started):
        seconds += max(0.0, end - max(start, until))
        until = max(until, end)
    return round(seconds, 3)
