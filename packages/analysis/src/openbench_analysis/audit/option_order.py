"""Whether scores depend on the place of the right option."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isnan

import numpy as np
from scipy.stats import chi2_contingency

from openbench.registry.names import counted
from openbench_analysis.alignment import align
from openbench_analysis.audit.findings import LEVEL, Check, Finding, graded, skipped
from openbench_analysis.runs import Run
from openbench_analysis.statistics import holm, paired_test

NAME = "option order"

_FEWEST = 10
"""Samples with a letter as target, below which the chi-square test of that letter does not hold."""


def option_order(runs: Sequence[tuple[str, Run]]) -> Check:
    """Compare the scores of samples by the letter of the right option, and those of runs with other orders.

    Within a run, samples whose right option has one letter should be no easier than those of another: a chi-square
    test. Two runs of one model whose samples agree in their ids but not in their targets' letters have the options
    in another order: their scores are compared sample by sample. p-values are adjusted by Holm's method.

    Args:
        runs: The runs, each with the label of its system.
    """
    tables = [(label, table) for label, run in runs if len(table := _by_letter(run)) > 1]
    pairs = [
        (f"{one} and {two}", pair)
        for (one, first), (two, second) in combinations(runs, 2)
        if first.model == second.model and (pair := _reordered(first, second))
    ]
    if not tables and not pairs:
        return skipped(NAME, "no run has letters as targets and scores that are right or wrong.")
    tests = [*(_dependence(table) for _, table in tables), *(_p_value(pair) for _, pair in pairs)]
    adjusted = holm(tests)
    findings = [
        *_letters([(label, table, p) for (label, table), p in zip(tables, adjusted, strict=False)]),
        *_orders([(label, pair, p) for (label, pair), p in zip(pairs, adjusted[len(tables) :], strict=True)]),
    ]
    looked_at = f"{counted(len(tables), 'run')} by the right letter"
    looked_at += f"; {counted(len(pairs), 'pair')} of runs with other orders" if pairs else ""
    return Check(name=NAME, looked_at=looked_at, findings=findings)


Table = dict[str, tuple[int, int]]
Pair = list[tuple[str | int, float, float]]


def _by_letter(run: Run) -> Table:
    """Return how many samples are right and wrong in their first epoch by target, where there are enough."""
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for result in (results[0] for results in run.items.values()):
        if len(result.target) == 1 and result.target.isupper() and result.score in {0.0, 1.0}:
            counts[result.target][result.score == 1] += 1
    return {letter: (of[True], of[False]) for letter, of in sorted(counts.items()) if of.total() >= _FEWEST}


def _dependence(table: Table) -> float:
    cells = np.array(list(table.values()))
    if not cells.sum(axis=0).all():
        return 1.0
    return float(chi2_contingency(cells, correction=False).pvalue)


def _reordered(first: Run, second: Run) -> Pair:
    """Return the scores of samples of one id and other letters in both runs."""
    pairs = align(first, second, "id").pairs
    found = []
    for one, two in pairs:
        targets = first.items[one][0].target, second.items[two][0].target
        scores = first.scores[one], second.scores[two]
        if all(len(target) == 1 for target in targets) and len(set(targets)) > 1 and not any(map(isnan, scores)):
            found.append((one, *scores))
    return found


def _p_value(pair: Pair) -> float:
    return paired_test([before for _, before, _ in pair], [after for _, _, after in pair]).p_value


def _letters(tested: Sequence[tuple[str, Table, float]]) -> Iterator[Finding]:
    for label, table, p_value in tested:
        shares = {letter: right / (right + wrong) for letter, (right, wrong) in table.items()}
        spread = max(shares.values()) - min(shares.values())
        if p_value <= LEVEL:
            shown = ", ".join(f"{letter} {share:.1%}" for letter, share in shares.items())
            yield Finding(
                kind="position bias",
                severity=graded(spread, severe=0.2, warning=0.05),
                message=f"{label}: right answers by the right option's letter: {shown} (adjusted p = {p_value:.2g}).",
                figures={"system": label, "p_value": p_value, "spread": spread, **shares},
            )


def _orders(tested: Sequence[tuple[str, Pair, float]]) -> Iterator[Finding]:
    for label, pair, p_value in tested:
        changed = [id_ for id_, before, after in pair if before != after]
        before, after = (sum(scores) / len(pair) for scores in list(zip(*pair, strict=True))[1:])
        significant = p_value <= LEVEL
        yield Finding(
            kind="option order",
            severity=graded(abs(after - before), severe=0.1, warning=0.02) if significant else "note",
            message=f"{label}: of {len(pair):,} samples with their options in another order, {len(changed):,} "
            f"({len(changed) / len(pair):.1%}) are scored differently; the score goes from {before:.4f} to {after:.4f} "
            f"(adjusted p = {p_value:.2g}).",
            figures={
                "p_value": p_value,
                "samples": len(pair),
                "changed": len(changed),
                "before": before,
                "after": after,
            },
            rows=changed,
        )
