"""Builds tasks from all rows on this machine, and counts the positions of their right answers."""

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Target

from openbench.datasets import Rows, bundled_rows, content_digest, rows_read, stored_rows
from openbench.datasets.store import VARIABLE
from openbench.errors import NotStoredError
from openbench.registry.benchmark import Benchmark
from openbench.scorers.mcq import options_of
from openbench_testing.conformance.evidence import Letters
from openbench_testing.conformance.probes.build import content_of, made, options_digests
from openbench_testing.conformance.probes.report import described
from openbench_testing.conformance.processes import STORE

_LABELS = 0.1  # options of at least this share of the questions are labels
_MOST_VALUES = 26
_LETTER = re.compile(r'"\(?([A-Z])\)?"')
_SAME = 0.01  # of the rows; a mapping may omit some


def letters_of(benchmark: Benchmark) -> Letters:
    """Return the positions of a benchmark's right answers, with its default arguments."""
    try:
        with _users_store(), stored_rows(), rows_read() as read:
            samples = [*made(benchmark, {}).dataset]
    except NotStoredError:
        return Letters()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's code may raise anything
        return Letters(error=described(error), present=True)
    offered = [(options_of(sample), list(Target(sample.target))) for sample in samples]
    sets = Counter(frozenset(options.values()) for options, _ in offered if options)
    labels: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for options, right in offered:
        if options:
            counted = labels if sets[frozenset(options.values())] >= max(2, _LABELS * sets.total()) else texts
            counted[f"{''.join(options)} {''.join(sorted(right))}"] += 1
    return Letters(
        present=True,
        digest=content_digest([[sample.id, content_of(sample)] for sample in samples]),
        texts=dict(texts),
        labels=dict(labels),
        published=_published(Counter(right[0] for options, right in offered if options), read),
    )


def reversed_options(benchmark: Benchmark) -> Sequence[str] | None:
    """Return digests of the options and targets of the sample rows in reverse; None if they cannot be built."""
    directory = benchmark.samples_directory()
    if directory is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        for file in directory.glob("*.jsonl"):
            lines = [line for line in file.read_text("utf-8").split("\n") if line.strip()]
            Path(name, file.name).write_text("\n".join(reversed(lines)), "utf-8")
        try:
            with bundled_rows(Path(name)):
                return options_digests([*made(benchmark, {}).dataset])
        except (Exception, SystemExit):  # noqa: BLE001 - as above; another check reports that it does not build
            return None


@contextmanager
def _users_store() -> Iterator[None]:
    own = os.environ[VARIABLE]
    os.environ[VARIABLE] = os.environ.get(STORE, own)
    try:
        yield
    finally:
        os.environ[VARIABLE] = own


def _published(letters: Counter[str], read: Sequence[Rows]) -> bool:
    """Return whether the values of a column of the rows have the same counts as the right letters."""
    sought = sorted(letters.values(), reverse=True)
    whole = [row for rows in read for row in rows.rows]
    return any(
        _alike(sought, sorted(column.values(), reverse=True))
        for rows in (whole, *(each.rows for each in read if len(read) > 1))
        for column in _columns(rows)
    )


def _alike(some: Sequence[int], others: Sequence[int]) -> bool:
    differences = (abs(one - other) for one, other in zip_longest(some, others, fillvalue=0))
    return sum(differences) <= _SAME * sum(others)


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[Counter[str]]:
    """Count the values of each column with few distinct values, including nested columns.

    The letters among a column's values count as a separate column: other targets of a family may not be letters.
    """
    columns: dict[str, Counter[str]] = {}
    for row in rows:
        for path, value in _leaves(row, ""):
            counted = columns.setdefault(path, Counter())
            if len(counted) <= _MOST_VALUES:
                counted[value] += 1
            if letter := _LETTER.fullmatch(value):
                columns.setdefault(f"{path} letter", Counter())[letter[1]] += 1
    return [column for column in columns.values() if len(column) <= _MOST_VALUES]


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            for name, part in value.items():
                yield from _leaves(part, f"{path}/{name}")
        case list() | tuple():
            for index, part in enumerate(value):
                yield from _leaves(part, f"{path}/{index}")
        case _:
            yield path, json.dumps(value, default=str)
