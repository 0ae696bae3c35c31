"""What makes two runs of a benchmark the same: the one place that decides what a retry may reuse."""

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, Model
from pydantic_core import from_json, to_json

from openbench.datasets import content_digest
from openbench.redaction import is_secret_name, redacted
from openbench.registry.benchmark import Benchmark
from openbench.run.plan import ModelSpec
from openbench.tasks.provenance import Provenance, packages_of, shown

Identity = dict[str, Any]
CONTENT_KEY = "openbench_content"


def identity(
    task: Task,
    benchmark: Benchmark,
    *,
    code: Mapping[str, str],
    task_args: Mapping[str, Any],
    model: str,
    generate: GenerateConfig,
    reference: bool,
    model_args: Mapping[str, Any] | None = None,
    roles: Mapping[str, ModelSpec] | None = None,
    scored: bool = True,
    limits: Mapping[str, Any] | None = None,
) -> Identity:
    """Return what a completed sample depends on, as plain data.

    The dataset is a digest over what each sample shows a model and is scored by. Solvers and scorers are covered by
    the versions of what they come from and import, and by digests of the benchmark's source files: local evals and
    editable installs change without a version. Of models that play a role, any scorer or solver may make use. A model's
    address is not part of it, since a server that moves serves the same model; nor is what else only says how requests
    are sent.

    Args:
        task: The task.
        benchmark: The benchmark that it is of.
        code: The digests of the benchmark's files, as `openbench.tasks.provenance.source_digests` has them.
        task_args: The task's arguments.
        model: The model's name.
        generate: How it generates.
        reference: Whether the benchmark's reference answers in its place.
        model_args: The arguments of the model's provider.
        roles: The plan's models by role; they take the place of the task's own.
        scored: Whether samples are scored.
        limits: The limits of each sample.
    """
    own = Provenance.of(task)
    return {
        **{name: getattr(own, name) for name in ("benchmark", "distribution", "version", "core", "sample", "scorers")},
        **{name: part for name in ("base", "components") if (part := getattr(own, name)) is not None},
        "code": dict(code),
        "packages": packages_of(benchmark, task),
        "arguments": redacted(dict(task_args)),
        "dataset": content_digest(mark_contents(task)),
        "model": model,
        "generation": redacted(generation_settings(generate)),
        "reference": reference,
        **_said({"model_args": answer_args(model_args or {}), "model_roles": _roles(task, roles or {})}),
        **({} if scored or not task.scorer else {"scored": False}),
        **({"limits": dict(limits)} if limits else {}),
    }


def mark_contents(task: Task) -> list[str]:
    """Put into each sample's metadata the digest of what it shows a model and is scored by, and return the digests."""
    digests = []
    for sample in task.dataset:
        metadata = dict(sample.metadata or {})
        digests.append(metadata.pop(CONTENT_KEY, None) or content_digest(_content(sample)))
        sample.metadata = {**metadata, CONTENT_KEY: digests[-1]}
    return digests


def generation_settings(generate: GenerateConfig) -> dict[str, Any]:
    """Return the settings of a generation that are part of what is asked, not of how requests are sent."""
    return generate.model_dump(exclude_none=True, exclude=_TRANSPORT)


def answer_args(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a provider that may change answers: none of its keys, and not how requests are sent."""
    return {name: value for name, value in model_args.items() if not _is_transport(name)}


def changed_parts(before: Identity, after: Identity) -> list[str]:
    """Return the names of the parts in which two identities differ; one of them may have been in a file."""
    before, after = (from_json(to_json(each, fallback=str)) for each in (before, after))
    return [name for name in {**before, **after} if _part(before, name) != _part(after, name)]


def differences(before: Identity, after: Identity) -> list[str]:
    """Return the parts in which two identities differ, each with both values; of files and packages, which they are."""
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


_TRANSPORT = {
    "adaptive_connections",
    "attempt_timeout",
    "batch",
    "cache",
    "max_connections",
    "max_retries",
    "timeout",
}

# Words in the names of providers' arguments that say where and how requests are sent.
_SENDING = {
    "client",
    "connection",
    "connections",
    "header",
    "headers",
    "host",
    "http",
    "port",
    "proxies",
    "proxy",
    "retries",
    "retry",
    "ssl",
    "timeout",
    "timeouts",
    "url",
}

_MOST_NAMED = 5
_BY_NAME = {"code", "packages"}
_UNSAID = {"scored": True}
"""What a part is that an identity leaves out; others are None."""


def _part(of: Identity, name: str) -> Any:
    return of.get(name, _UNSAID.get(name))


def _is_transport(name: str) -> bool:
    return is_secret_name(name) or not _SENDING.isdisjoint(re.split(r"[_\W]+", name.lower()))


def _roles(task: Task, roles: Mapping[str, ModelSpec]) -> dict[str, Any]:
    """Return the models that play a role: a plan's, which come first, and those that a task has of its own."""
    own = {role: models for role, models in (task.model_roles or {}).items() if role not in roles}
    found = {
        **{role: {"model": spec.name, **_said({"args": answer_args(spec.args)})} for role, spec in roles.items()},
        **{
            role: [_own_model(each) for each in models] if isinstance(models, list) else _own_model(models)
            for role, models in own.items()
        },
    }
    return dict(sorted(found.items()))


def _own_model(model: Model) -> dict[str, Any]:
    # Its arguments may be objects, which differ in every process; the code that gives them is part of the identity.
    return {"model": str(model), **_said({"generation": generation_settings(model.config)})}


def _said(parts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what was given, without secrets; what was not is left out, as it is in older runs."""
    return {name: redacted(value) for name, value in parts.items() if value}


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text  # noqa: PLR2004 - the digits of a SHA-256


def _content(sample: Sample) -> object:
    return [sample.id, shown(sample), sample.choices, sample.target, sample.metadata, sample.files, sample.setup]
