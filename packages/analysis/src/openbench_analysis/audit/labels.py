"""Samples whose target may be wrong, by what systems answered."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.stats import binom

from openbench.registry.names import counted
from openbench_analysis.alignment import Id, align
from openbench_analysis.audit.findings import LEVEL, Check, Finding, skipped
from openbench_analysis.audit.items import folded
from openbench_analysis.runs import Run
from openbench_analysis.statistics import holm
from openbench_analysis.statistics.results import FloatArray, IntArray

NAME = "labels"
FEWEST = 3
"""The least number of systems for a finding."""

_STEPS = 200
_SHOWN = 5


@dataclass(frozen=True)
class _Row:
    """A sample that all systems answered.

    Attributes:
        id: Its id in the first run.
        scores: Each system's score.
        answers: Each system's answer, folded; None where the log lacks it.
    """

    id: Id
    scores: FloatArray
    answers: Sequence[str | None]


def labels(runs: Sequence[tuple[str, Run]]) -> Check:
    """Look for samples that strong systems have wrong and weak ones right, or whose wrong answers agree.

    - Negative discrimination: the abilities (log odds of the score on all samples) of the systems that have a sample
      right are lower than if each system's odds on it were its ability times a difficulty, the Rasch model. The
      probability is exact, given how many have it right. The correlation with ability must be negative too.
    - Agreement: of the systems that have a sample wrong, more give one same answer than if they agreed as often as
      pairs of wrong answers do over all samples, and more than have it right.

    p-values are adjusted over all samples by Holm's method, each of the two at half the level.

    Args:
        runs: One run of each system, with its label.
    """
    rows = _rows(runs)
    if len(runs) < FEWEST or not rows:
        return skipped(NAME, f"{counted(len(runs), 'system')}: at least {FEWEST} on the same samples are needed.")
    names = [label for label, _ in runs]
    scores = np.array([row.scores for row in rows])
    findings = [*_discrimination(rows, scores, names), *_agreement(rows)]
    return Check(
        name=NAME, looked_at=f"{counted(len(rows), 'sample')} of {counted(len(runs), 'system')}", findings=findings
    )


def _rows(runs: Sequence[tuple[str, Run]]) -> list[_Row]:
    """Return the samples that all runs have, with a score of 0 or 1 in their first epoch."""
    if not runs:
        return []
    (_, first), *others = runs
    matched = [dict(align(first, run).pairs) for _, run in others]
    shared = [id_ for id_ in first.items if all(id_ in of for of in matched)]
    rows = []
    for id_ in shared:
        results = [first.items[id_][0], *(run.items[of[id_]][0] for (_, run), of in zip(others, matched, strict=True))]
        if all(result.score in {0.0, 1.0} for result in results):
            answers = [folded(result.answer) if result.answer else None for result in results]
            rows.append(_Row(id_, np.array([result.score for result in results]), answers))
    return rows


def _discrimination(rows: Sequence[_Row], scores: FloatArray, names: Sequence[str]) -> Iterator[Finding]:
    right, total = scores.sum(axis=0), len(rows)
    ability = np.log((right + 0.5) / (total - right + 0.5))
    if np.ptp(ability) == 0:
        return
    steps = np.rint(_STEPS * (ability - ability.min()) / np.ptp(ability)).astype(int)
    below = _tails(steps, np.exp(ability))
    observed = (scores @ steps).astype(int)
    p_values = np.array([below[int(of.sum()), at] for of, at in zip(scores, observed, strict=True)])
    adjusted = holm(p_values)
    against = ((scores - scores.mean(axis=1, keepdims=True)) * (ability - ability.mean())).sum(axis=1) < 0
    found = [at for at in np.argsort(p_values, kind="stable").tolist() if adjusted[at] <= LEVEL / 2 and against[at]]
    if found:
        shown = "; ".join(_systems(rows[at], scores[at], names) for at in found[:_SHOWN])
        yield Finding(
            kind="suspected labels",
            severity="warning",
            message=f"{counted(len(found), 'sample')} that weak systems have right and strong ones wrong: {shown}.",
            figures={"samples": len(found), "p_value": float(adjusted[found[0]])},
            rows=[rows[at].id for at in found],
        )


def _tails(steps: IntArray, odds: FloatArray) -> FloatArray:
    """Return, by number of systems that are right, the probability that their steps of ability sum to at most a count.

    Source: the conditional distribution of the Rasch model: a set of systems has a probability in proportion to the
    product of its odds, whatever the sample's difficulty.
    """
    weight = np.zeros((len(steps) + 1, int(steps.sum()) + 1))
    weight[0, 0] = 1
    for step, odd in zip(steps.tolist(), odds.tolist(), strict=True):
        with_it = np.zeros_like(weight)
        with_it[1:, step:] = odd * weight[:-1, : weight.shape[1] - step]
        weight += with_it
    tails: FloatArray = weight.cumsum(axis=1) / weight.sum(axis=1, keepdims=True)
    return np.minimum(tails, 1.0)


def _systems(row: _Row, scores: FloatArray, names: Sequence[str]) -> str:
    right = ", ".join(name for name, score in zip(names, scores, strict=True) if score)
    return f"{row.id} (right: {right})"


def _agreement(rows: Sequence[_Row]) -> Iterator[Finding]:
    wrong = [Counter(a for a, score in zip(row.answers, row.scores, strict=True) if a and not score) for row in rows]
    pairs = sum(comb(of.total(), 2) for of in wrong)
    if not pairs:
        return
    agree = sum(comb(count, 2) for of in wrong for count in of.values()) / pairs
    candidates = []
    for row, of in zip(rows, wrong, strict=True):
        answer, most = of.most_common(1)[0] if of else ("", 0)
        chance = of.total() * float(binom.sf(most - 2, of.total() - 1, agree)) if most > 1 else 1.0
        candidates.append((min(chance, 1.0), row, answer, most))
    adjusted = holm([chance for chance, *_ in candidates])
    found = [
        (p, row, answer, most)
        for p, (_, row, answer, most) in zip(adjusted.tolist(), candidates, strict=True)
        if p <= LEVEL / 2 and most >= FEWEST and most > row.scores.sum()
    ]
    found.sort(key=lambda each: each[0])
    if found:
        shown = "; ".join(f"{row.id} ({most} systems: {answer[:40]!r})" for _, row, answer, most in found[:_SHOWN])
        yield Finding(
            kind="agreement on another answer",
            severity="warning",
            message=f"{counted(len(found), 'sample')} where systems agree on another answer than the target: {shown}.",
            figures={"samples": len(found), "p_value": found[0][0], "agreement": agree},
            rows=[row.id for _, row, _, _ in found],
        )
