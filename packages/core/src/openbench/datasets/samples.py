"""Maps rows to samples: errors name the row, ids are stable, order is seeded."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from pydantic import ValidationError

from openbench.datasets.formats import Row
from openbench.datasets.rows import Rows
from openbench.datasets.values import content_digest, is_whole, validation_message
from openbench.errors import DataError, UsageError
from openbench.redaction import redacted_text

RowMapping = Callable[[dict[str, Any]], Sample | Sequence[Sample]]

SHUFFLE_SEED = 0


def load_samples(
    rows: Rows,
    record_to_sample: RowMapping,
    *,
    name: str,
    auto_id: bool = True,
    shuffle: bool = False,
    seed: int | None = None,
    shuffle_choices: bool | int | None = None,
    limit: int | None = None,
) -> Dataset:
    """Map rows to samples.

    Args:
        rows: The rows.
        record_to_sample: Returns the sample, or samples, of a row.
        name: The dataset's name.
        auto_id: Use a digest of its row as the id of a sample without one, with a suffix for identical rows.
        shuffle: Shuffle the samples.
        seed: The seed of the shuffle, by default 0: an unseeded order would not be reproducible.
        shuffle_choices: Shuffle each sample's choices: True, or a seed.
        limit: The number of samples to keep, from the first.

    Raises:
        UsageError: The limit is not a positive integer.
        DataError: A row does not fit the mapping, or two samples have the same id.
    """
    _check_limit(name, limit)
    samples: list[Sample] = []
    seen: Counter[str] = Counter()
    explicit: dict[str, int] = {}  # ids as text: logs do not distinguish 1 and "1"
    for number, row in enumerate(rows.rows, start=1):
        for part, sample in enumerate(_mapped(row, record_to_sample, number, rows.label)):
            if sample.id is not None:
                first = explicit.get(str(sample.id))
                if first == number:
                    raise DataError(f"row {number} of {rows.label} has two samples with the same id {sample.id!r}")
                if first:
                    raise DataError(f"rows {first} and {number} of {rows.label} have the same id {sample.id!r}")
                explicit[str(sample.id)] = number
            elif auto_id:
                sample.id = _digest_id(row, part, seen)
            samples.append(sample)
    if not samples:
        raise DataError(f"{rows.label} has no rows")
    dataset = MemoryDataset(samples, name=name, location=redacted_text(rows.label))
    if shuffle:
        dataset.shuffle(SHUFFLE_SEED if seed is None else seed)
    if shuffle_choices is not None and shuffle_choices is not False:
        dataset.shuffle_choices(SHUFFLE_SEED if shuffle_choices is True else shuffle_choices)
    return dataset[:limit] if limit else dataset


def _check_limit(name: str, limit: object) -> None:
    if limit is not None and (not is_whole(limit) or limit < 1):
        raise UsageError(f"{name}: limit={limit!r}: expected a whole number of 1 or more, or none for all samples.")


def _digest_id(row: Row, part: int, seen: Counter[str]) -> str:
    digest = content_digest(row)[:16] + (f".{part + 1}" if part else "")
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _mapped(row: Row, record_to_sample: RowMapping, number: int, label: str) -> Sequence[Sample]:
    try:
        mapped = record_to_sample(_Record(row))
    except _MissingColumnError as error:
        raise DataError(
            f"row {number} of {label} has no {error.args[0]!r} (columns: {', '.join(map(str, row))}). "
            "Check the mapping of its columns, or pin the revision."
        ) from error
    except ValidationError as error:
        raise DataError(f"row {number} of {label}: {validation_message(error)}") from error
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        kind = f"{type(error).__name__}: " if isinstance(error, LookupError) else ""
        raise DataError(f"row {number} of {label}: {kind}{error}") from error
    samples: object = [mapped] if isinstance(mapped, Sample) else mapped
    if not isinstance(samples, Sequence) or not all(isinstance(sample, Sample) for sample in samples):
        raise DataError(
            f"row {number} of {label}: the mapping returned a {type(mapped).__name__}, "
            "expected a Sample or a list of them"
        )
    return samples


class _MissingColumnError(KeyError):
    """A mapping read a column that its row does not have."""


class _Record(dict[str, Any]):
    """A row whose missing columns differ from other failed lookups in a mapping."""

    def __missing__(self, key: str) -> Any:
        raise _MissingColumnError(key)
