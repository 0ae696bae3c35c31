"""Scores of suites: the macro average of their members, if all of them have a score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from openbench.run.plan import Plan, Suite
from openbench.run.summary import Summary


@dataclass(frozen=True, kw_only=True)
class SuiteSummary:
    """One suite on one model in figures.

    Attributes:
        suite: The suite's name.
        distribution: Who provides it.
        version: That distribution's version.
        model: The model.
        status: `success` if every member has a score, else `incomplete`.
        metric: The members' headline metric; `mean` if theirs have several names.
        higher_is_better: Its direction.
        score: The mean of the members' headline metrics, each with the same weight; None if it is incomplete.
        stderr: Its standard error for independent members, sqrt(sum of their squared standard errors) / their number;
            None if it is incomplete, or a member has none.
        members: The members' scores by name; None for one without.
        missing: The members without a score, each with the reason.
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


def suite_summaries(plan: Plan, summaries: Sequence[Summary]) -> list[SuiteSummary]:
    """Return the summary of each suite on each model; none with `--no-score`.

    Args:
        plan: The plan.
        summaries: The summary of each of its jobs, in order.
    """
    of_job = {(job.benchmark, job.model.name): each for job, each in zip(plan.jobs, summaries, strict=True)}
    if plan.options.get("score") is False:
        return []
    models = dict.fromkeys(job.model.name for job in plan.jobs)
    return [_summarized(suite, model, of_job) for suite in plan.suites for model in models]


def unweighted_mean(scores: Sequence[float], errors: Sequence[float | None]) -> tuple[float, float | None]:
    """Return the unweighted mean of scores and its standard error, None if one of theirs is unknown."""
    known = [error for error in errors if error is not None]
    stderr = sqrt(sum(error**2 for error in known)) / len(scores) if len(known) == len(scores) else None
    return sum(scores) / len(scores), stderr


def _summarized(suite: Suite, model: str, of_job: Mapping[tuple[str, str], Summary]) -> SuiteSummary:
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
    """Return why a run's score cannot be averaged; an empty string if it can."""
    if run.status != "success":
        return run.status
    if not run.completed:
        return "no sample completed"
    return "no score" if run.score is None or not isfinite(run.score) else ""
