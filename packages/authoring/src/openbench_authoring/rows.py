"""The rows of a task: its splits by subject, read on first use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from openbench.datasets import Rows, read_configs, read_rows
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench_authoring.few_shot import Pool
from openbench_authoring.samples import SUBJECT_KEY

Row = Mapping[str, Any]


def read_split(source: DatasetSource, subjects: Sequence[str]) -> Rows:
    """Read a split; from the Hub, one configuration for each subject, which is then in the rows' column `subject`.

    Raises:
        DataError: The rows cannot be loaded.
    """
    if source.type == "hf":
        return read_configs(source, subjects, column=SUBJECT_KEY) if subjects else read_rows(source)
    return read_rows(source)


class SubjectRows:
    """The rows of all splits, by subject.

    Args:
        read: Reads a split.
        subjects: The subjects; empty for rows without subjects.
    """

    def __init__(self, read: Callable[[str], Rows], subjects: Sequence[str]) -> None:
        self._subjects = subjects
        self._splits = cache(lambda split: self._by_subject(read(split)))

    def rows(self, split: str, subject: str | None) -> Rows:
        """Return a subject's rows of a split, in the source's order.

        Raises:
            DataError: They cannot be loaded, or have no subject.
        """
        return self._splits(split)[subject][0]

    def pool(self, split: str, subject: str | None) -> Pool[Row]:
        """Return a subject's rows of a split to draw examples from.

        Raises:
            DataError: As `rows`.
        """
        return self._splits(split)[subject][1]

    def _by_subject(self, found: Rows) -> dict[str | None, tuple[Rows, Pool[Row]]]:
        if not self._subjects:
            return {None: (found, Pool(found.rows))}
        has_subjects = any(SUBJECT_KEY in row for row in found.rows)
        if not has_subjects and len(self._subjects) > 1:
            raise DataError(
                f"{found.label}: its rows have no column {SUBJECT_KEY!r} (columns: "
                f"{', '.join(map(str, next(iter(found.rows), {})))}), so it is unknown to which of the subjects "
                f"{', '.join(self._subjects)} they belong. Add the column, or leave SUBJECTS empty."
            )
        by_subject: dict[str | None, list[Row]] = {subject: [] for subject in self._subjects}
        for number, row in enumerate(found.rows, start=1):
            if has_subjects and SUBJECT_KEY not in row:
                raise DataError(f"row {number} of {found.label} has no {SUBJECT_KEY!r}, which other rows have")
            of = str(row[SUBJECT_KEY]) if has_subjects else self._subjects[0]
            if of in by_subject:
                by_subject[of].append(row)
        return {subject: (Rows(f"{found.label} ({subject})", rows), Pool(rows)) for subject, rows in by_subject.items()}


class OwnRows:
    """The rows of a class that loads its own, by subject.

    Args:
        load: Returns a subject's rows by split.
        name: The task's name in messages.
    """

    def __init__(self, load: Callable[[str | None], Mapping[str, Sequence[Row]]], name: str) -> None:
        self._name = name
        self._splits = cache(lambda subject: dict(load(subject)))
        self._pools = cache(lambda split, subject: Pool(self.rows(split, subject).rows))

    def rows(self, split: str, subject: str | None) -> Rows:
        """Return a subject's rows of a split.

        Raises:
            DataError: The class loads no such split.
        """
        label = " ".join(filter(None, (self._name, subject, split)))
        splits = self._splits(subject)
        if split not in splits:
            raise DataError(f"{label}: _load_dataset gives no split {split!r} (splits: {', '.join(splits) or 'none'}).")
        return Rows(label, splits[split])

    def pool(self, split: str, subject: str | None) -> Pool[Row]:
        """Return a subject's rows of a split to draw examples from.

        Raises:
            DataError: As `rows`.
        """
        return self._pools(split, subject)


class Splits(Mapping[str, Sequence[Row]]):
    """The `self.dataset` of a task's hooks: the splits of the item's subject, each read on first use.

    The split of few-shot examples never offers the item itself or an equal row.

    Args:
        rows: The rows.
        evaluated: The evaluated split.
        few_shot: The split of few-shot examples.
    """

    def __init__(self, rows: SubjectRows | OwnRows, evaluated: str, few_shot: str) -> None:
        self._rows = rows
        self._names = list(dict.fromkeys(name for name in (evaluated, few_shot) if name))
        self._few_shot = few_shot
        self._subject: str | None = None
        self.row: Row = {}

    def at(self, subject: str | None, row: Row) -> None:
        """Move to an item: its subject, and its row in the source."""
        self._subject, self.row = subject, row

    def __getitem__(self, split: str) -> Sequence[Row]:
        if split not in self._names:
            raise KeyError(split)
        if split == self._few_shot:
            return self._rows.pool(split, self._subject).without(self.row)
        return self._rows.rows(split, self._subject).rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
