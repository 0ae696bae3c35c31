"""Builds the tasks of benchmarks from their sample rows."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Target
from inspect_ai.util import registry_info

from openbench.datasets import content_digest
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.inspect_eval import with_models
from openbench.scorers.mcq import options_of
from openbench.tasks.build import build_task
from openbench_testing.conformance.evidence import Built
from openbench_testing.conformance.probes.guard import forbid_network
from openbench_testing.conformance.probes.report import described


def find_all(references: Sequence[str]) -> tuple[list[Benchmark], list[str]]:
    """Find benchmarks, then forbid the network; another probe checks metadata.

    Returns:
        The benchmarks, and the list to which attempts to use the network are appended.
    """
    catalog = Catalog.installed()
    found = [find_benchmark(catalog, reference) for reference in references]
    return found, forbid_network()


def build(
    benchmark: Benchmark, attempts: list[str], arguments: Mapping[str, Any] | None = None, *, model: str = "none"
) -> tuple[Built, Task | None]:
    """Build a task with an active model and grader, as in a run, and report the result."""
    attempts.clear()
    waivers: Mapping[str, str] = {}
    try:
        function = benchmark.task_function()
        waivers = _waivers(function)
        task = made(benchmark, arguments or {}, model=model, sample=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's code may raise anything
        samples = benchmark.samples_directory() is not None
        return Built(error=described(error), samples=samples, attempts=[*attempts], waivers=waivers), None
    samples_ = list(task.dataset)
    built = Built(
        attempts=[*attempts],
        task=_registered(function),
        scorers=[(registry_info(scorer).name, getattr(scorer, "__module__", "")) for scorer in task.scorer or ()],
        ids=[sample.id for sample in samples_],
        contents=[content_digest(content_of(sample)) for sample in samples_],
        options=options_digests(samples_),
        waivers=waivers,
    )
    return built, task


def made(benchmark: Benchmark, arguments: Mapping[str, Any], *, model: str = "none", sample: bool = False) -> Task:
    """Build a task with an active model and grader."""
    make = partial(build_task, benchmark, arguments, sample=sample)
    return with_models(make, get_model(model), {"grader": get_model("baseline/grader")})


def options_digests(samples: Sequence[Sample]) -> list[str]:
    """Return a digest of the options and the target of each sample with lettered options."""
    offered = [(options_of(sample), list(Target(sample.target))) for sample in samples]
    return [content_digest([[*options.values()], right]) for options, right in offered if options]


def _registered(function: Callable[..., Any]) -> str | None:
    try:
        return registry_info(function).name
    except ValueError:
        return None


def _waivers(function: Callable[..., Any]) -> Mapping[str, str]:
    given = getattr(sys.modules.get(function.__module__), "WAIVERS", {})
    if not isinstance(given, Mapping):
        return {repr(given): ""}
    return {str(name): reason if isinstance(reason, str) else "" for name, reason in given.items()}


def content_of(sample: Sample) -> object:
    """Return a sample's input and target."""
    prompt = sample.input
    shown = prompt if isinstance(prompt, str) else [[message.role, message.text] for message in prompt]
    return [shown, sample.choices, sample.target]
