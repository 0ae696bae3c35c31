"""Bounds of a score under answers without a verdict and answers that were cut off."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan

from openbench.registry.names import counted
from openbench.scorers.reasons import ERROR, TRUNCATED
from openbench_analysis.audit.findings import Check, Finding, graded
from openbench_analysis.runs import Run, SampleResult

NAME = "faults"

_UNSCORED = "unscored"


def bounds(runs: Sequence[tuple[str, Run]]) -> Check:
    """Compute the scores of runs with samples that went wrong counted as wrong, as right, and left out.

    Samples went wrong that ended in an error or have no score, such as those whose grader failed, and those whose
    answer was cut off.

    Args:
        runs: The runs, each with the label of its system.
    """
    findings = [finding for label, run in runs for finding in _of(label, run)]
    return Check(name=NAME, looked_at=f"{counted(len(runs), 'run')}", findings=findings)


def _of(label: str, run: Run) -> Iterator[Finding]:
    faults = [(result, fault) for result in run.results if (fault := _fault(result))]
    if not faults:
        return
    best = 1.0 if run.higher_is_better else 0.0
    whole = [result.score for result in run.results if not _fault(result)]
    wrong, right = 1 - best, best
    low = _mean([*whole, *(wrong for _ in faults)])
    high = _mean([*whole, *(right for _ in faults)])
    left_out, shown = _mean(whole), _mean([result.score for result in run.results if not isnan(result.score)])
    kinds = Counter(fault for _, fault in faults)
    named = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in sorted(kinds.items()))
    width = abs(high - low)
    yield Finding(
        kind="faults",
        severity=graded(width, severe=0.05, warning=0.01),
        message=f"{label}: {named} of {len(run.results):,} samples. The score is {shown:.4f}, and would be {low:.4f} "
        f"with these counted as wrong, {high:.4f} as right, {left_out:.4f} without them.",
        figures={"score": shown, "as_wrong": low, "as_right": high, "left_out": left_out, "system": label, **kinds},
        rows=list(dict.fromkeys(result.id for result, _ in faults)),
    )


def _fault(result: SampleResult) -> str | None:
    """Return what went wrong with a sample; None if its score is to be taken as it is."""
    if result.error is not None:
        return ERROR
    if isnan(result.score):
        return result.reason or _UNSCORED
    return TRUNCATED if result.stop == TRUNCATED else None


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores) if scores else float("nan")
