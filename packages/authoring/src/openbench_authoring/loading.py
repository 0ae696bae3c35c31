"""The hooks with which classes of eval-framework load their own rows, one subject at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.datasets import Rows, read_rows
from openbench_authoring.attributes import subject_text
from openbench_authoring.rows import Row
from openbench_authoring.samples import NO_SUBJECT, SUBJECT_KEY
from openbench_authoring.source import source_of

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict

    from openbench_authoring.options import Options

LOADERS = ("_load_dataset", "_load_hf_dataset", "_shuffle_splits")
"""A class that overrides one of these loads its rows itself."""


class Loading:
    """The methods that such a class overrides or calls."""

    DATASET_PATH: str | Path
    SAMPLE_SPLIT: str
    FEWSHOT_SPLIT: str
    SHA256: str | dict[str, str] | None
    num_fewshot: int
    dataset: Mapping[str, Sequence[Row]]
    _options: "Options"

    def _load_dataset(self, subject: Any) -> None:
        """Put the rows of a subject into `self.dataset`, by split."""
        name = None if subject == NO_SUBJECT else subject
        self.dataset = self._shuffle_splits(self._load_hf_dataset(path=self.DATASET_PATH, name=name))

    def _load_hf_dataset(self, **kwargs: Any) -> Any:
        """Return a dataset: its requested splits, or the one named by `split`.

        Args:
            **kwargs: `path`, by default `DATASET_PATH`; `name`, the configuration; `split`; `revision`, by default
                that of the task; and any further argument of `datasets.load_dataset`.
        """
        from datasets import Dataset  # noqa: PLC0415 - a second to import

        path, name = kwargs.pop("path", self.DATASET_PATH), kwargs.pop("name", None)
        revision, split = kwargs.pop("revision", self._options.revision), kwargs.pop("split", None)
        config = None if name is None else subject_text(name)

        def read(split: str) -> "Dataset":
            beside = type(self).__module__
            source = source_of(path, split=split, revision=revision, sha256=self.SHA256, beside=beside)
            found = read_rows(replace(source, config=config) if source.type == "hf" else source, **kwargs)
            return Dataset.from_list([dict(row) for row in _of_config(found, config)])

        wanted = [self.SAMPLE_SPLIT, self.FEWSHOT_SPLIT if self.num_fewshot else ""]
        return read(split) if split else _read_when_asked(read, list(dict.fromkeys(filter(None, wanted))))

    def _shuffle_splits(self, hf_dataset: Any) -> dict[str, list[Row]]:
        """Return the rows of the splits that the task reads, in the source's order."""
        return {
            split: list(hf_dataset[split]) for split in (self.SAMPLE_SPLIT, self.FEWSHOT_SPLIT) if split in hf_dataset
        }

    def _loaded(self, subject: Any) -> Mapping[str, Sequence[Row]]:
        self._load_dataset(subject)
        return self.dataset


def _of_config(found: Rows, config: str | None) -> Iterator[Row]:
    """Return the rows of a configuration; for a package's sample rows, those whose subject column matches."""
    has_subjects = found.source is None and config is not None and all(SUBJECT_KEY in row for row in found.rows)
    return (row for row in found.rows if not has_subjects or row[SUBJECT_KEY] == config)


def _read_when_asked(read: Any, splits: Sequence[str]) -> "DatasetDict":
    """Return splits that are read at once; others are read on first use."""
    from datasets import DatasetDict  # noqa: PLC0415 - likewise

    class Splits(DatasetDict):  # type: ignore[misc]
        def __missing__(self, split: str) -> "Dataset":
            self[split] = read(split)
            return self[split]

    return Splits({split: read(split) for split in splits})
