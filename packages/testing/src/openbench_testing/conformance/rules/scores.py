"""The scores of answers with known scores."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from openbench_testing.conformance.evidence import RESCORED, Evidence, Run
from openbench_testing.conformance.outcome import InapplicableError

_SHOWN = 3


def reference(evidence: Evidence) -> str | None:
    """Reference answers score 1.0 on the primary metric; 0.0 if lower is better."""
    if complaint := failure(evidence, "reference") or _unscored(evidence, "reference"):
        return complaint
    run = evidence.runs["reference"]
    if run.score is not None and math.isclose(run.score, evidence.best):
        return None
    missed = [id_ for id_, value in run.values if value != evidence.best]
    return (
        f"its reference answers score {run.score} on {run.metric}, not {evidence.best}: see {named(missed)}. Correct "
        "the targets or the scorer, or define reference(sample) in the task's module."
    )


def wrong(evidence: Evidence) -> str | None:
    """Wrong answers score 0 on the primary metric; 1 or more if lower is better."""
    if complaint := failure(evidence, "wrong") or _unscored(evidence, "wrong"):
        return complaint
    run = evidence.runs["wrong"]
    if not _above_worst(evidence, run):
        return None
    return (
        f"wrong answers score {run.score} on {run.metric}: see {_above(evidence, run)}. Correct the scorer; if the "
        "answers are not wrong, define wrong(sample) in the task's module."
    )


def empty(evidence: Evidence) -> str | None:
    """Empty answers count as unanswered, and none is right."""
    if complaint := failure(evidence, "empty"):
        return complaint
    run = evidence.runs["empty"]
    if run.answered:
        return f"{run.answered:.0%} of empty completions count as answered. The solver must not answer for the model."
    if not _above_worst(evidence, run):
        return None
    return (
        f"empty completions score {run.score} on {run.metric}: see {_above(evidence, run)}. A scorer must score "
        "them INCORRECT, with the reason openbench.scorers.reasons.unanswered."
    )


def chance(evidence: Evidence) -> str | None:
    """Of the offered letters, exactly those of the targets are right: guesses score at chance."""
    offered = lettered(evidence)
    if not offered:
        raise InapplicableError("its prompts offer no lettered options")
    if complaint := failure(evidence, "letters"):
        return complaint
    targets = {shown.id: len({*shown.targets}) for shown in evidence.shown}
    right = Counter(right_ids(evidence, "letters"))
    if not (others := [id_ for id_ in offered if not 1 <= right[id_] <= targets[id_]]):
        return None
    first = others[0]
    return (
        f"with each letter as the answer in turn, {right[first]} of {offered[first]} are right for the sample {first}; "
        f"expected {targets[first]}: see {named(others)}. Check that the letters of prompt, target and scorer agree."
    )


def rescore(evidence: Evidence) -> str | None:
    """Rescoring a log in a fresh process gives the same numbers."""
    for name in RESCORED:
        if complaint := failure(evidence, name):
            return complaint
        after = evidence.rescored[name]
        if after.error:
            return f"the log cannot be rescored in a fresh process: {after.error}"
        if difference := _difference(evidence.runs[name], after):
            return (
                f"rescoring the log in a fresh process gives other scores: {difference}. A scorer may depend only on "
                "the sample, its arguments and the answer."
            )
    return None


def order(evidence: Evidence) -> str | None:
    """The same answers give the same scores when the samples are in reverse."""
    for name in ("mixed", "reversed"):
        if complaint := failure(evidence, name):
            return complaint
    if difference := _difference(evidence.runs["mixed"], evidence.runs["reversed"]):
        return (
            f"with the samples in reverse, the same answers have other scores: {difference}. A scorer must not depend "
            "on earlier samples."
        )
    return None


def failure(evidence: Evidence, name: str) -> str | None:
    """Return the reason why a run cannot be judged; None if it can."""
    run = evidence.runs.get(name)
    if run is None:
        return f"the run {name!r} is missing"
    if run.error:
        return f"its samples cannot be evaluated: {run.error}"
    if run.score is None:
        known = ", ".join(run.metrics) or "none"
        return (
            f"it reports no metric {evidence.metadata.primary_metric!r} (metrics: {known}). Set primary_metric in the "
            "metadata to one of them."
        )
    return None


def lettered(evidence: Evidence) -> Mapping[str, int]:
    """Return the number of options of each sample with lettered options, by id."""
    return {shown.id: shown.options for shown in evidence.shown if shown.options}


def right_ids(evidence: Evidence, name: str) -> Sequence[str]:
    """Return the id of each right answer of a run."""
    return [id_ for id_, value in evidence.runs[name].values if value == evidence.best]


def named(ids: Sequence[str]) -> str:
    """Return the names of samples for a message; of many, only the first few."""
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(map(str, ids[:_SHOWN])) + more


def _unscored(evidence: Evidence, name: str) -> str | None:
    count = evidence.runs[name].unscored
    return f"{count} answers of the run {name!r} have no verdict. A well-formed answer must get one." if count else None


def _above_worst(evidence: Evidence, run: Run) -> bool:
    if run.score is None or math.isnan(run.score):
        return False
    return run.score > 0 if evidence.best else run.score < 1


def _above(evidence: Evidence, run: Run) -> str:
    worst = 1 - evidence.best
    return named([id_ for id_, value in run.values if value != worst]) or "its samples"


def _difference(before: Run, after: Run) -> str:
    """Describe the difference of two runs of the same answers; empty if they do not differ."""
    values = dict(after.values)
    for id_, value in before.values:
        if not _same(value, values.get(id_)):
            return f"the sample {id_} scored {value}, then {values.get(id_)}"
    for name in {**before.metrics, **after.metrics}:
        if not _same(before.metrics.get(name), after.metrics.get(name)):
            return f"{name} was {before.metrics.get(name)}, then {after.metrics.get(name)}"
    return ""


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
