"""Reads the prompts of the first samples from a log, and the variants that a benchmark defines."""

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample

from openbench.datasets import content_digest
from openbench.run.identity import generation_settings
from openbench_testing.conformance.evidence import Prompts
from openbench_testing.conformance.probes.rendering import (
    RANKING_KEY,
    TEMPLATES,
    TEXT_KEY,
    Request,
    SampleRequests,
    golden,
)

SAMPLES = 3
"""The number of samples whose prompts are in goldens."""

Variants = Mapping[str, Mapping[str, Any]]

_VARIANT = re.compile(r"[a-z0-9][a-z0-9_-]*")
_DIGITS = 12


def variants_of(function: Callable[..., object]) -> Variants:
    """Return the `GOLDENS` of a task's module: arguments whose prompts are also stored, by variant name.

    Raises:
        ValueError: It is not a mapping of names to arguments.
    """
    given = getattr(sys.modules.get(function.__module__), "GOLDENS", {})
    if not isinstance(given, Mapping) or not all(map(_is_variant, given.items())):
        raise ValueError(
            f"GOLDENS is {given!r}; expected a mapping of names (lower-case letters, digits, - and _) to arguments of "
            'the task, such as GOLDENS = {"fewshot": {"fewshot": 5}}.'
        )
    return given


def prompts_of(key: str, log: EvalLog, variant: str = "", arguments: Mapping[str, Any] | None = None) -> Prompts:
    """Return the goldens from a log of one epoch.

    Args:
        key: The benchmark's name.
        log: The log, of a model named `baseline/empty`.
        variant: The name of a variant; empty for the task's defaults.
        arguments: The variant's arguments.
    """
    by_id = {str(sample.id): sample for sample in log.samples or ()}
    ids = [str(id_) for id_ in log.eval.dataset.sample_ids or ()][:SAMPLES]
    broken = [id_ for id_ in ids if id_ not in by_id or (by_id[id_].error and not _requests(by_id[id_]))]
    if broken or not ids:
        failed = by_id[broken[0]].error if broken and broken[0] in by_id else log.error
        return Prompts(error=f"the run failed before the first request: {failed.message if failed else 'no samples'}")
    requests = [SampleRequests(id_, _requests(by_id[id_])) for id_ in ids]
    prefix = f"{variant}." if variant else ""
    return Prompts(files={f"{prefix}{name}.txt": golden(key, name, arguments or {}, requests) for name in TEMPLATES})


def _is_variant(pair: tuple[Any, Any]) -> bool:
    name, arguments = pair
    return isinstance(name, str) and _VARIANT.fullmatch(name) is not None and isinstance(arguments, Mapping)


def _requests(sample: EvalSample) -> list[Request]:
    """Return the requests to the evaluated model; requests to graders have a role."""
    if ranking := (sample.metadata or {}).get(RANKING_KEY):
        return [Request(sample.messages, ranking=ranking)]
    if TEXT_KEY in (sample.metadata or {}):
        return [Request(sample.messages)]
    events = [event for event in sample.events if isinstance(event, ModelEvent)]
    return [Request(event.input, _settings(event)) for event in events if event.role is None]


def _settings(event: ModelEvent) -> Mapping[str, Any]:
    settings = generation_settings(event.config)
    if event.tools:
        settings["tools"] = [
            f"{tool.name} {content_digest([tool.description, tool.parameters.model_dump(exclude_none=True)])[:_DIGITS]}"
            for tool in event.tools
        ]
        settings["tool_choice"] = event.tool_choice
    return settings
