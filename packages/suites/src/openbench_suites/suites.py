"""Suites: selects their members, and computes the mean of their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.catalog import Group
from openbench.run.executor import Executor
from openbench.run.plan import Plan, Suite
from openbench.run.summary import Summary


def select(executor: Executor, group: Group) -> tuple[Suite, list[Benchmark]]:
    """Return the suite of a group for a plan, and its distinct installed members.

    Raises:
        UsageError: No member is installed, a member is a suite or was requested in several versions, or the members'
            directions differ.
    """
    members = _members(executor, group)
    return _suite(group, members), [benchmark for benchmark in members.values() if benchmark]


def _members(executor: Executor, group: Group) -> dict[str, Benchmark | None]:
    """Find the distinct members of a group; None if a member is not installed. Paths cannot be members."""
    members: dict[str, Benchmark | None] = {}
    for name in group.value.benchmarks:
        if executor.catalog.group(name):
            raise UsageError(f"{group.key}: its member {name} is a suite, and suites contain only benchmarks.")
        try:
            versions = executor.find(name)
        except UnknownNameError:
            members[name] = None
            continue
        if versions[0].reference in {found.reference for found in members.values() if found}:
            continue
        if len(versions) > 1:
            raise UsageError(
                f"{group.key}: its member {name} was requested in {len(versions)} versions. Run it by itself."
            )
        members[name] = versions[0]
    if not any(members.values()):
        raise UsageError(
            f"{group.key}: no member of this group, provided by {group}, is installed: "
            f"{', '.join(members) or 'it has none'}."
        )
    if len({benchmark.metadata.higher_is_better for benchmark in members.values() if benchmark}) > 1:
        raise UsageError(
            f"{group.key}: higher is better for some members of this group, provided by {group}, and lower for others, "
            f"so their mean is meaningless. Run them by name: {' '.join(members)}."
        )
    return members


def _suite(group: Group, members: Mapping[str, Benchmark | None]) -> Suite:
    return Suite(
        key=group.key,
        distribution=group.distribution,
        version=group.version,
        members={name: benchmark.reference for name, benchmark in members.items() if benchmark},
        missing=[name for name, benchmark in members.items() if benchmark is None],
    )


@dataclass(frozen=True, kw_only=True)
class SuiteSummary:
    """The summary of a suite on a model.

    Attributes:
        suite: The suite's name.
        distribution: The distribution that provides it.
        version: That distribution's version.
        model: The model.
        status: `success` if every member has a score, else `incomplete`.
        metric: The members' headline metric; `mean` if their names differ.
        higher_is_better: Its direction.
        score: The unweighted mean of the members' headline metrics; None if the suite is incomplete.
        stderr: Its standard error for independent members, sqrt(sum of their squared standard errors) / their number;
            None if the suite is incomplete or a member has none.
        members: The members' scores by name; None for one without.
        missing: The members without a score, and the reason for each.
    """

    suite: str
    distribution: str
    version: str
    model: str
    status: str
    metric: str
    higher_is_better: bool
    score: float | None
    stderr: float | None
    members: Mapping[str, float | None]
    missing: Mapping[str, str]


def summarize(plan: Plan, summaries: Sequence[Summary]) -> list[SuiteSummary]:
    """Return the summary of each suite on each model; none with `--no-score`."""
    of_job = {(job.benchmark, job.model.name): each for job, each in zip(plan.jobs, summaries, strict=True)}
    if plan.options.get("score") is False:
        return []
    models = dict.fromkeys(job.model.name for job in plan.jobs)
    return [_summary(suite, model, of_job) for suite in plan.suites for model in models]


def unweighted_mean(scores: Sequence[float], errors: Sequence[float | None]) -> tuple[float, float | None]:
    """Return the unweighted mean of scores and its standard error, or None if one of their errors is unknown."""
    known = [error for error in errors if error is not None]
    stderr = sqrt(sum(error**2 for error in known)) / len(scores) if len(known) == len(scores) else None
    return sum(scores) / len(scores), stderr


def _summary(suite: Suite, model: str, of_job: Mapping[tuple[str, str], Summary]) -> SuiteSummary:
    runs = {name: of_job[reference, model] for name, reference in suite.members.items()}
    missing = dict.fromkeys(suite.missing, "not installed")
    missing |= {name: reason for name, run in runs.items() if (reason := _unusable(run))}
    score, stderr = None, None
    metrics = {run.metric for run in runs.values()}
    if not missing:
        score, stderr = unweighted_mean(
            [run.score or 0.0 for run in runs.values()], [run.stderr for run in runs.values()]
        )
    return SuiteSummary(
        suite=suite.key,
        distribution=suite.distribution,
        version=suite.version,
        model=next((run.model for run in runs.values()), model),
        status="incomplete" if missing else "success",
        metric=(metrics.pop() if len(metrics) == 1 else None) or "mean",
        higher_is_better=all(run.higher_is_better for run in runs.values()),
        score=score,
        stderr=stderr,
        members={**{name: run.score for name, run in runs.items()}, **dict.fromkeys(suite.missing)},
        missing=missing,
    )


def _unusable(run: Summary) -> str:
    """Return the reason why a run's score cannot be averaged; empty if it can."""
    if run.status != "success":
        return run.status
    if not run.completed:
        return "no sample completed"
    return "no score" if run.score is None or not isfinite(run.score) else ""
