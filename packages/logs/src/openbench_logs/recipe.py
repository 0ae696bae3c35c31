"""How to reproduce a log's run: the packages to install, the settings, and what cannot be reproduced."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog
from packaging.version import InvalidVersion, Version

from openbench.errors import LogError, UnknownNameError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.benchmark import Benchmark
from openbench.registry.names import canonical, is_distribution
from openbench.registry.versions import CORE
from openbench.run.executor import Executor
from openbench.run.plan import ModelSpec, Plan, plan_from_plain
from openbench.run.trust import check, named_by
from openbench.tasks.provenance import METADATA_KEY, Provenance

_NEEDED = ("plan", "versions", "reference", "distribution", "source", "local")
_KEYS = {"bedrock": "aws", "cf": "cloudflare", "grok": "xai", "sagemaker": "aws"}  # by provider, if not its name
_OF_THE_LOG = ("log_dir", "log_format", "log_samples", "log_buffer", "debug_errors", "trace")


@dataclass(frozen=True)
class Recipe:
    """The packages that a log's run needs.

    Attributes:
        reference: The name of its benchmark: `name@distribution`, or a path.
        path: Whether it is a local eval.
        requirements: The packages to install, with versions.
        constraints: The versions of their dependencies, as lines of a constraints file.
        local: Distributions that were installed from folders, whose current files are used, with their recorded
            digests; a local eval is listed under its reference.
    """

    reference: str
    path: bool
    requirements: Sequence[str]
    constraints: Sequence[str]
    local: Mapping[str, str | None]


def recipe_of(log: EvalLog) -> Recipe:
    """Read how to reproduce a log's run.

    Raises:
        LogError: The log lacks this information, was written by a later openbench, or has an invalid package version.
    """
    own, known = Provenance.of(log), (log.eval.metadata or {}).get(METADATA_KEY) or {}
    if missing := [name for name in _NEEDED if name not in known]:
        raise LogError(
            f"{log.location} cannot be reproduced: it does not record {', '.join(missing)}. Run bench log show for "
            "what it records."
        )
    _plan_of(log)  # fails before anything is installed
    with _reading(log):
        versions, local = own.versions, {name: origin["sha256"] for name, origin in own.local.items()}
    distribution = canonical(own.distribution) if own.distribution else None
    wanted = dict.fromkeys(filter(None, [distribution, CORE, *own.provider]))
    if distribution is None:
        local[own.reference] = own.source
    return Recipe(
        reference=own.reference,
        path=distribution is None,
        requirements=[_pin(log, name, versions[name]) for name in wanted if name in versions and name not in local],
        constraints=[_pin(log, name, of) for name, of in versions.items() if name not in wanted and name not in local],
        local=local,
    )


def _pin(log: EvalLog, name: str, of: str) -> str:
    """Return the requirement of one version; anything else that an installer accepts, such as a URL, is refused."""
    with suppress(InvalidVersion, TypeError):
        if is_distribution(name):
            return f"{name}=={Version(of)}"
    raise LogError(
        f"{log.location} cannot be reproduced: expected a package name and a version, such as openbench-simpleqa and "
        f"1.0.0, not {name!r} and {of!r}. Nothing was installed."
    )


def keys_of(log: EvalLog) -> tuple[str, ...]:
    """Return the prefixes of the variables with the keys of a log's models: `OPENAI_` for `openai/gpt-4.1`."""
    plan = _plan_of(log)
    names = [plan.jobs[0].model.name, *(spec.name for spec in plan.model_roles.values()), *log.stats.model_usage]
    parts = {part for name in names for part in name.split("/")[:-1]} - {"openai-api"}
    return tuple(f"{_KEYS.get(part, part).upper().replace('-', '_')}_" for part in sorted(parts))


def version_differences(before: Provenance, after: Provenance | None = None) -> list[tuple[str, str, str]]:
    """Return name, old and new version of each package that differs, Python first.

    Args:
        before: The provenance of a log.
        after: That of another log; by default, the packages installed here.
    """
    then = {"python": before.python or "-", **before.versions}
    if after is None:
        there = {"python": platform.python_version(), **{name: _installed(name) for name in before.versions}}
    else:
        there = {"python": after.python or "-", **after.versions}
    return [(name, was, there[name]) for name, was in then.items() if name in there and there[name] != was]


def changed_sources(before: Provenance, after: Provenance) -> list[str]:
    """Return the distributions installed from folders whose files differ in a later run."""
    later = after.local
    changed = [name for name, origin in before.local.items() if later.get(name, {}).get("sha256") != origin["sha256"]]
    own = before.distribution or before.reference
    return [*changed, *([own] if before.source != after.source and own not in changed else [])]


def plan_again(
    log: EvalLog,
    executor: Executor,
    *,
    log_dir: str,
    base_url: str | None,
    model_args: Mapping[str, Any],
    trust: bool = False,
) -> Plan:
    """Return the plan that repeats a logged run.

    Response caching is off, since cached answers would prove nothing.

    Args:
        log: The log.
        executor: The executor for it.
        log_dir: The directory of the new log.
        base_url: Another base URL of the model.
        model_args: Arguments of the provider; they override the logged ones, from which secrets were removed.
        trust: Whether to use addresses, arguments and files that only the log names.

    Raises:
        UsageError: The benchmark cannot be found, the log omits a setting as a secret, or the log names something
            that the user has not confirmed.
        LogError: The log does not record how it was run.
    """
    plan = _plan_of(log)
    job, reference = plan.jobs[0], Provenance.of(log).reference
    own = job.model
    left = replace(own, base_url=None if base_url else own.base_url, args=_without(own.args, model_args))
    path = reference if Provenance.of(log).distribution else str(Path(reference).absolute())
    check(
        named_by(replace(plan, jobs=[replace(job, benchmark=path, model=left)], executor=())), log.location, trust=trust
    )
    [benchmark] = _found(log, executor)
    if hidden := [name for name, value in job.task_args.items() if REDACTED in str(value)]:
        raise UsageError(f"{log.location} omits -T {hidden[0]}, a secret. Use bench eval with this argument.")
    options = {name: value for name, value in plan.options.items() if name not in _OF_THE_LOG}
    generate = {name: value for name, value in plan.generate.items() if name != "cache"}
    model = _model(log, job.model, base_url, model_args)
    return replace(
        plan,
        jobs=[replace(job, benchmark=benchmark.reference, model=model)],
        options={**options, "log_dir": log_dir},  # type: ignore[typeddict-item]
        generate=generate,  # type: ignore[arg-type]
    )


@contextmanager
def _reading(log: EvalLog) -> Iterator[None]:
    """Report that a log's plan cannot be read, because a later version wrote it or it is damaged."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise LogError(
            f"{log.location} cannot be reproduced: its plan cannot be read ({type(error).__name__}: {error}). It was "
            f"written by {CORE} {Provenance.of(log).core or 'of unknown version'}; {version(CORE)} is installed."
        ) from error


def _plan_of(log: EvalLog) -> Plan:
    """Read the plan of a log's run, which has one job."""
    with _reading(log):
        plan = plan_from_plain({"suites": [], **Provenance.of(log).plan})
        [_] = plan.jobs
        return plan


def _found(log: EvalLog, executor: Executor) -> Sequence[Benchmark]:
    own = Provenance.of(log)
    reference, distribution = own.reference, own.distribution
    if distribution is None:
        return executor.find_path(Path(reference))
    try:
        return executor.find(reference)
    except UnknownNameError as error:
        if canonical(distribution) not in own.local:
            raise
        raise UsageError(
            f"{log.location}: {reference.partition('@')[0]} was provided by {distribution}, which was installed from a "
            "folder and does not provide it here. Install it from its files."
        ) from error


def _model(log: EvalLog, logged: ModelSpec, base_url: str | None, given: Mapping[str, Any]) -> ModelSpec:
    if base_url is None and REDACTED in (logged.base_url or ""):
        raise UsageError(f"{log.location} omits the password in {logged.base_url}. Give the URL with --model-base-url.")
    args = {**logged.args, **given}
    if hidden := [name for name, value in args.items() if REDACTED in str(value) and name != "api_key"]:
        raise UsageError(f"{log.location} omits -M {hidden[0]}, a secret. Give it with -M {hidden[0]}.")
    kept = {name: value for name, value in args.items() if REDACTED not in str(value)}  # keys may be variables
    return replace(logged, base_url=base_url or logged.base_url, args=kept)


def _without(args: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name not in given}


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
