"""Identifies runs and their samples: whether two runs are the same, and so which samples a resume may reuse.

The keys of the samples that a plan runs follow one rule, for running, resuming, splitting and counting.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import GenerateConfig, Model, get_model_info
from pydantic_core import from_json, to_json

from openbench.datasets import content_digest
from openbench.redaction import is_secret_name, redacted
from openbench.registry.benchmark import Benchmark
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.tasks.provenance import Provenance, packages_of, shown

Identity = dict[str, Any]
CONTENT_KEY = "openbench_content"

SampleKey = tuple[str | int, int]
"""A sample's id and its epoch."""

Limit = int | tuple[int, int] | None

LIMITS = ("cost_limit", "message_limit", "time_limit", "token_limit", "turn_limit", "working_limit")
"""The options that limit a sample, which ends where it reaches one, and is scored as it is."""
PRICES = "prices"
"""The entry of a task's limits for the prices that decide which samples reach the limit of cost."""

T = TypeVar("T")


_TRANSPORT_SETTINGS = {
    *("adaptive_connections", "attempt_timeout", "batch", "cache", "max_connections", "max_retries", "timeout")
}

_TRANSPORT_WORDS = {
    *("client", "connection", "connections", "header", "headers", "host", "http", "port", "proxies", "proxy"),
    *("retries", "retry", "ssl", "timeout", "timeouts", "url"),
}
"""Words in the names of providers' arguments that configure the transport."""

_MOST_NAMED = 5
_BY_NAME = {"code", "packages"}
_DEFAULTS = {"scored": True}
"""Values of parts that an identity leaves out; for others, None."""


def identity(task: Task, benchmark: Benchmark, plan: Plan, job: Job, code: Mapping[str, str]) -> Identity:
    """Return everything that a completed sample depends on, as plain data.

    The dataset is a digest of what each sample shows to a model and is scored by. Solvers and scorers are covered by
    the versions of the packages that they import, and by digests of the benchmark's source files, since local evals and
    editable installs change without a new version. All models of roles are included, since any scorer or solver may
    use them. The model's base URL is not, since a server that moves serves the same model; nor are other settings of
    the transport.
    """
    own, model = Provenance.of(task), task.model
    assert isinstance(model, Model)  # noqa: S101 - see above
    limits = _limits_with_prices(task, plan)
    return {
        **{name: getattr(own, name) for name in ("benchmark", "distribution", "version", "core", "sample", "scorers")},
        **{name: part for name in ("base", "components") if (part := getattr(own, name)) is not None},
        "code": dict(code),
        "packages": packages_of(benchmark, task),
        "arguments": redacted(dict(job.task_args)),
        "dataset": content_digest(mark_contents(task)),
        "model": str(model),
        "generation": redacted(generation_settings(task.config.merge(model.config))),
        "reference": plan.reference,
        **_nonempty({"model_args": answer_args(job.model.args), "model_roles": _roles(task, plan.model_roles)}),
        **({} if plan.options.get("score", True) or not task.scorer else {"scored": False}),
        **({"limits": limits} if limits else {}),
    }


def limits_of(task: Task, plan: Plan) -> dict[str, Any]:
    """Return the limits of each sample of a task by Inspect's names: the plan's, else the task's own."""
    given: Mapping[str, Any] = {**plan.options}
    found = {name: given.get(name) or getattr(task, name, None) for name in LIMITS}
    return {name: value if isinstance(value, int | float) else str(value) for name, value in found.items() if value}


def _limits_with_prices(task: Task, plan: Plan) -> dict[str, Any]:
    found = limits_of(task, plan)
    if "cost_limit" not in found:
        return found
    infos = {name: get_model_info(name) for name in sorted(set(models_of(task, plan)))}
    return {**found, PRICES: {name: info.cost.model_dump() for name, info in infos.items() if info and info.cost}}


def models_of(task: Task, plan: Plan) -> Iterator[str]:
    """Yield the name of the evaluated model, and those of the models of all roles."""
    yield str(task.model)
    yield from (spec.name for spec in plan.model_roles.values())
    for role, models in (task.model_roles or {}).items():
        if role not in plan.model_roles:
            yield from map(str, models if isinstance(models, list) else [models])


def mark_contents(task: Task) -> list[str]:
    """Add to each sample's metadata a digest of what it shows to a model and is scored by; return the digests."""
    digests = []
    for sample in task.dataset:
        metadata = dict(sample.metadata or {})
        digests.append(metadata.pop(CONTENT_KEY, None) or content_digest(_content(sample)))
        sample.metadata = {**metadata, CONTENT_KEY: digests[-1]}
    return digests


def generation_settings(generate: GenerateConfig) -> dict[str, Any]:
    """Return the settings of a generation that may change answers, without those of the transport."""
    return generate.model_dump(exclude_none=True, exclude=_TRANSPORT_SETTINGS)


def answer_args(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a provider that may change answers, without its keys and those of the transport."""
    return {name: value for name, value in model_args.items() if not _is_transport(name)}


def changed_parts(before: Identity, after: Identity) -> list[str]:
    """Return the names of the parts in which two identities differ, also if one was read from a file."""
    before, after = (from_json(to_json(each, fallback=str)) for each in (before, after))
    return [name for name in {**before, **after} if _part(before, name) != _part(after, name)]


def differences(before: Identity, after: Identity) -> list[str]:
    """Return the differences of two identities with both values; for code and packages, of each file or package."""
    found = []
    for name in changed_parts(before, after):
        was, now = _part(before, name), _part(after, name)
        if name in _BY_NAME and isinstance(was, dict) and isinstance(now, dict):
            changed = [each for each in {**was, **now} if was.get(each) != now.get(each)]
            some = changed[:_MOST_NAMED]
            found += [f"{name}: {each} was {_short(was.get(each))}, is {_short(now.get(each))}" for each in some]
            found += [f"{name}: {len(changed) - len(some)} more"] if changed[_MOST_NAMED:] else []
        else:
            found.append(f"{name} was {_short(was)}, is {_short(now)}")
    return found


def limited(samples: Sequence[T], limit: Limit) -> Sequence[T]:
    """Return the samples within a limit, which is a count or a range."""
    first, end = limit if isinstance(limit, tuple) else (0, limit)
    return samples[first:end]


def ids_of(task: Task) -> list[str | int]:
    """Return the ids of a task's samples; those without one get their number, as in Inspect."""
    return [number if sample.id is None else sample.id for number, sample in enumerate(task.dataset, 1)]


def epochs_of(task: Task, plan: Plan) -> int:
    """Return the number of epochs in which a plan runs a task."""
    return plan.options.get("epochs") or task.epochs or 1


def epoch_by_epoch(samples: Sequence[T], limit: Limit, epochs: int | None) -> list[tuple[T, int]]:
    """Return the samples, or ids, within a limit, each with its epoch, in the order in which they start."""
    return [(sample, epoch) for epoch in range(1, (epochs or 1) + 1) for sample in limited(samples, limit)]


def spec_keys(spec: EvalSpec) -> list[SampleKey]:
    """Return the keys of the samples planned by the header of a log."""
    return epoch_by_epoch(spec.dataset.sample_ids or (), None, spec.config.epochs)  # these are within the limit


def planned_keys(task: Task, plan: Plan) -> list[SampleKey]:
    """Return the keys of the samples that a plan runs of a task."""
    return epoch_by_epoch(ids_of(task), plan.options.get("limit"), epochs_of(task, plan))


def planned_count(task: Task, plan: Plan) -> int:
    """Return the number of samples that a plan runs of a task, over all epochs."""
    return len(limited(range(len(task.dataset)), plan.options.get("limit"))) * epochs_of(task, plan)


def spec_count(spec: EvalSpec) -> int:
    """Return the number of samples planned by the header of a log, over all epochs."""
    return len(limited(range(spec.dataset.samples or 0), spec.config.limit)) * (spec.config.epochs or 1)


def _part(of: Identity, name: str) -> Any:
    return of.get(name, _DEFAULTS.get(name))


def _is_transport(name: str) -> bool:
    return is_secret_name(name) or not _TRANSPORT_WORDS.isdisjoint(re.split(r"[_\W]+", name.lower()))


def _roles(task: Task, roles: Mapping[str, ModelSpec]) -> dict[str, Any]:
    """Return the models of roles: those of the plan, and those of the task for other roles."""
    own = {role: models for role, models in (task.model_roles or {}).items() if role not in roles}
    found = {
        **{role: {"model": spec.name, **_nonempty({"args": answer_args(spec.args)})} for role, spec in roles.items()},
        **{
            role: [_own_model(each) for each in models] if isinstance(models, list) else _own_model(models)
            for role, models in own.items()
        },
    }
    return dict(sorted(found.items()))


def _own_model(model: Model) -> dict[str, Any]:
    # Its arguments may be objects that differ in each process; the code that makes them is part of the identity.
    return {"model": str(model), **_nonempty({"generation": generation_settings(model.config)})}


def _nonempty(parts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the parts that are not empty, without secrets; older runs do not have empty ones."""
    return {name: redacted(value) for name, value in parts.items() if value}


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text  # noqa: PLR2004 - hex digits of a SHA-256


def _content(sample: Sample) -> object:
    return [sample.id, shown(sample), sample.choices, sample.target, sample.metadata, sample.files, sample.setup]
