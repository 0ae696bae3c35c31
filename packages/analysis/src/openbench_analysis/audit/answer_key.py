"""The answer key: one that never changes, or is so skewed that a model without any knowledge profits."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import chi2

from openbench.registry.names import counted
from openbench_analysis.audit.findings import LEVEL, Check, Finding, graded, skipped
from openbench_analysis.audit.items import Item
from openbench_analysis.statistics.results import FloatArray

NAME = "answer key"

_LABELS = 0.1
"""Options that stand under at least this share of the questions are labels, whose classes may be of any size."""
_COMMON = 0.1
"""An answer in free form that is right for at least this share of the rows is worth knowing."""
_FEWEST = 10


def answer_key(items: Sequence[Item]) -> Check:
    """Look at which answers are right, over all rows.

    Letters are compared with what chance gives if each option of a question is as likely to be right, by a chi-square
    test that holds for questions with different numbers of options. Rows with several targets or none are left out.
    """
    single = [item for item in items if len(item.targets) == 1 and item.targets[0].strip()]
    if len(single) < _FEWEST:
        return skipped(NAME, f"{counted(len(single), 'row')} with a single target: at least {_FEWEST} are needed.")
    lettered = [item for item in single if item.options]
    free = [item for item in single if not item.options]
    findings = [*_of_letters(lettered), *_of_answers(free)]
    parts = [_described(lettered)] if lettered else []
    parts += [f"{counted(len(free), 'row')} in free form"] if free else []
    return Check(name=NAME, looked_at="; ".join(parts), findings=findings)


def _of_letters(items: Sequence[Item]) -> Iterator[Finding]:
    if len(items) < _FEWEST:
        return
    rights = Counter(item.targets[0].strip() for item in items)
    (letter, most), total = rights.most_common(1)[0], len(items)
    if most == total:
        yield Finding(
            kind="constant key",
            severity="severe",
            message=f"The answer is {letter} in all {total:,} rows: a model that always gives it has every point.",
            figures={"letter": letter, "rows": total},
        )
        return
    labels, texts = _labels(items)
    yield from _skew(texts)
    yield from _classes(labels)


def _labels(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    sets = Counter(frozenset(item.options.values()) for item in items)
    common = {options for options, count in sets.items() if count >= max(2, _LABELS * len(items))}
    labels = [item for item in items if frozenset(item.options.values()) in common]
    return labels, [item for item in items if frozenset(item.options.values()) not in common]


def _skew(items: Sequence[Item]) -> Iterator[Finding]:
    if len(items) < _FEWEST:
        return
    letters, right, expected, statistic, p_value = _chi_square(items)
    if p_value > LEVEL:
        return
    gain = float((right - expected).max()) / len(items)
    best = letters[int((right - expected).argmax())]
    shares = ", ".join(f"{letter} {count / len(items):.1%}" for letter, count in zip(letters, right, strict=True))
    yield Finding(
        kind="skewed key",
        severity=graded(gain, severe=0.1, warning=0.03),
        message=(
            f"Letters are not right equally often: {shares} (chi-square p = {p_value:.2g}). Always answering {best} "
            f"scores {100 * gain:.1f} points above chance."
        ),
        figures={"p_value": p_value, "chi_square": statistic, "letter": best, "gain": gain},
    )


def _chi_square(items: Sequence[Item]) -> tuple[list[str], FloatArray, FloatArray, float, float]:
    """Test counts of right letters against rows that each choose among their options at random.

    With V the covariance of the counts, (right - expected)' V^- (right - expected) is chi-square with rank(V) degrees
    of freedom; with equally many options in every row, it is Pearson's statistic.
    """
    letters = sorted({letter for item in items for letter in item.options})
    place = {letter: number for number, letter in enumerate(letters)}
    right, expected = np.zeros(len(letters)), np.zeros(len(letters))
    covariance = np.zeros((len(letters), len(letters)))
    for offered, count in Counter(tuple(sorted(item.options)) for item in items).items():
        chances = np.zeros(len(letters))
        chances[[place[letter] for letter in offered]] = 1 / len(offered)
        expected += count * chances
        covariance += count * (np.diag(chances) - np.outer(chances, chances))
    for item in items:
        right[place[item.targets[0].strip()]] += 1
    off = right - expected
    statistic = float(off @ np.linalg.pinv(covariance, hermitian=True) @ off)
    return letters, right, expected, statistic, float(chi2.sf(statistic, np.linalg.matrix_rank(covariance)))


def _classes(items: Sequence[Item]) -> Iterator[Finding]:
    """Yield how often the commonest label is right, where rows offer the same labels."""
    by_set: defaultdict[frozenset[str], list[Item]] = defaultdict(list)
    for item in items:
        by_set[frozenset(item.options.values())].append(item)
    for options, same in by_set.items():
        (label, most), total = (
            Counter(item.options[item.targets[0].strip()] for item in same).most_common(1)[0],
            len(same),
        )
        if total >= _FEWEST and (gain := most / total - 1 / len(options)) >= _COMMON:
            yield Finding(
                kind="unequal classes",
                severity="note",
                message=f"The label {label[:40]!r} is right in {most / total:.1%} of {total:,} rows with the same "
                f"{len(options)} options: the score of a model that always gives it.",
                figures={"label": label, "share": most / total, "rows": total, "gain": gain},
            )


def _of_answers(items: Sequence[Item]) -> Iterator[Finding]:
    if len(items) < _FEWEST:
        return
    answers = Counter(min(item.answers) for item in items)
    (answer, most), total = answers.most_common(1)[0], len(items)
    if most / total >= _COMMON and most > 1:
        yield Finding(
            kind="constant key" if most == total else "common answer",
            severity="severe" if most == total else graded(most / total, severe=0.9, warning=0.5),
            message=f"The answer {answer[:40]!r} is right in {most / total:.1%} of {total:,} rows: the score of a "
            "model that always gives it.",
            figures={"answer": answer[:200], "share": most / total, "rows": total},
        )


def _described(items: Sequence[Item]) -> str:
    rights = Counter(item.targets[0].strip() for item in items)
    shares = ", ".join(f"{letter} {rights[letter] / len(items):.1%}" for letter in sorted(rights))
    return f"{counted(len(items), 'row')} with letters: {shares}"
