"""Rows that stand in a benchmark twice, or nearly, and equal questions whose answers disagree."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

import numpy as np
from scipy.sparse import coo_array, csr_array, triu
from scipy.sparse.csgraph import connected_components

from openbench.registry.names import counted
from openbench_analysis.audit.findings import Check, Finding, graded
from openbench_analysis.audit.items import Item, folded
from openbench_analysis.statistics.results import IntArray

NAME = "duplicates"

_WORD = re.compile(r"\w+|[^\w\s]")
_SHINGLE = 3
_FEWEST = 8
"""Shingles of a text that can be compared: of a shorter one, a single word changes too much."""
_COMMON = 0.005
_LEAST_COMMON = 20
"""A shingle in more than this many rows, and this share of them, or in more than half, is the wording of a prompt."""


def duplicates(items: Sequence[Item], *, similarity: float = 0.8) -> Check:
    """Look for rows that repeat others.

    Rows are equal if question and options are, whatever the order of the options, letter case and spaces. Nearly equal
    are texts whose sets of three consecutive words have this Jaccard similarity; words that many rows share do not
    count, such as a prompt's.
    """
    groups: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[folded(item.question), frozenset(map(folded, item.options.values()))].append(item)
    repeated = [group for group in groups.values() if len(group) > 1]
    conflicting = [group for group in repeated if not frozenset.intersection(*(item.answers for item in group))]
    equal = [group for group in repeated if group not in conflicting]
    distinct = [group[0] for group in groups.values()]
    near = near_duplicates(distinct, similarity)
    findings = [*_conflicts(conflicting), *_equal(equal, len(items)), *_near(near, len(items), similarity)]
    return Check(
        name=NAME, looked_at=f"{counted(len(items), 'row')}, {len(distinct):,} of them distinct", findings=findings
    )


def near_duplicates(items: Sequence[Item], similarity: float) -> list[list[Item]]:
    """Return groups of items whose texts are nearly equal, each item with one of its group at least."""
    rows, shingles = _shingles([" ".join([item.question, *item.options.values()]) for item in items])
    frequency = np.bincount(shingles)
    rare = frequency[shingles] <= min(max(_LEAST_COMMON, _COMMON * len(items)), max(2, len(items) / 2))
    sizes = np.bincount(rows[rare], minlength=len(items))
    kept = rare & (frequency[shingles] > 1)
    entries = (np.ones(np.count_nonzero(kept), dtype=np.int32), (rows[kept], shingles[kept]))
    matrix = csr_array(entries, shape=(len(items), len(frequency)))
    pairs = coo_array(triu(matrix @ matrix.T, k=1))
    (first, second), both = pairs.coords, pairs.data
    alike = both >= similarity * (sizes[first] + sizes[second] - both)
    alike &= np.minimum(sizes[first], sizes[second]) >= _FEWEST
    links = coo_array((both[alike], (first[alike], second[alike])), shape=(len(items), len(items)))
    _, component = connected_components(links, directed=False)
    groups: defaultdict[int, list[Item]] = defaultdict(list)
    for number in np.unique(np.concatenate(links.coords)).tolist():
        groups[int(component[number])].append(items[number])
    return list(groups.values())


def _shingles(texts: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the row and the number of each shingle, once a row."""
    known: dict[str, int] = {}
    words = [[known.setdefault(word, len(known)) for word in _WORD.findall(folded(text))] for text in texts]
    lengths = np.array([len(of) for of in words])
    numbers = np.fromiter(chain.from_iterable(words), dtype=np.int64, count=int(lengths.sum()))
    row = np.repeat(np.arange(len(texts)), lengths)
    last = max(len(numbers) - _SHINGLE + 1, 0)
    code = np.zeros(last, dtype=np.int64)
    for start in range(_SHINGLE):
        code = code * len(known) + numbers[start : start + last]
    within = row[:last] == row[len(row) - last :]
    _, shingle = np.unique(code[within], return_inverse=True)
    once = np.unique(row[:last][within] * max(len(shingle), 1) + shingle)
    return once // max(len(shingle), 1), once % max(len(shingle), 1)


def _conflicts(groups: Sequence[Sequence[Item]]) -> Iterator[Finding]:
    if groups:
        yield Finding(
            kind="contradictions",
            severity="severe",
            message=f"Rows with one question and the same options have answers that disagree, of "
            f"{counted(len(groups), 'question')}: no model can have them all right.",
            figures={"questions": len(groups), "rows": sum(map(len, groups))},
            rows=[item.id for group in groups for item in group],
        )


def _equal(groups: Sequence[Sequence[Item]], total: int) -> Iterator[Finding]:
    if groups:
        extra = sum(map(len, groups)) - len(groups)
        yield Finding(
            kind="duplicates",
            severity=graded(extra / total, severe=0.1, warning=0.01),
            message=f"{counted(extra, 'row')} too many ({extra / total:.1%}), with the question, options and answer of "
            "another: it counts twice, and standard errors are too small.",
            figures={"groups": len(groups), "extra": extra, "share": extra / total},
            rows=[item.id for group in groups for item in group],
        )


def _near(groups: Sequence[Sequence[Item]], total: int, similarity: float) -> Iterator[Finding]:
    if groups:
        extra = sum(map(len, groups)) - len(groups)
        yield Finding(
            kind="near-duplicates",
            severity="note",
            message=f"{counted(extra, 'row')} ({extra / total:.1%}) with nearly the text of another: {similarity:.0%} "
            "of the words or more, by threes, are the same.",
            figures={"groups": len(groups), "extra": extra, "share": extra / total},
            rows=[item.id for group in groups for item in group],
        )
