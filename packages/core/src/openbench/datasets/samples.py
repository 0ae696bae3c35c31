"""Turns rows into samples: errors name the row, ids are stable, order is seeded."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from pydantic import ValidationError

from openbench.datasets.checks import is_whole
from openbench.datasets.digests import content_digest
from openbench.datasets.rows import Row, Rows
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
        record_to_sample: Gives the sample, or samples, of a row.
        name: The dataset's name.
        auto_id: Give samples without an id a digest of their row as id; an identical row's gets a suffix.
        shuffle: Shuffle the samples.
        seed: The shuffle's seed; 0 if none is given, since an unseeded order could not be had again.
        shuffle_choices: Shuffle each sample's choices: True, or a seed.
        limit: Keep the first samples only.

    Raises:
        UsageError: The limit is no whole number of 1 or more.
        DataError: A row does not fit the mapping, or two samples were given the same id.
    """
    _check_limit(name, limit)
    samples: list[Sample] = []
    seen: Counter[str] = Counter()
    explicit: dict[str, int] = {}  # by text, since 1 and "1" have one name in a log
    for number, row in enumerate(rows.rows, start=1):
        for part, sample in enumerate(_mapped(row, record_to_sample, number, rows.label)):
            if sample.id is not None:
                first = explicit.get(str(sample.id))
                if first == number:
                    raise DataError(f"row {number} of {rows.label} gives two samples the same id {sample.id!r}")
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
    except LookupError as error:
        raise DataError(f"row {number} of {label}: {type(error).__name__}: {error}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(f"row {number} of {label}: {error}") from error
    samples: object = [mapped] if isinstance(mapped, Sample) else mapped
    if not isinstance(samples, Sequence) or not all(isinstance(sample, Sample) for sample in samples):
        raise DataError(
            f"row {number} of {label}: the mapping gives a {type(mapped).__name__}, "
            "where a Sample or a list of them is expected"
        )
    return samples


class _MissingColumnError(KeyError):
    """A mapping asked for a column that its row does not have."""


class _Record(dict[str, Any]):
    """A row that tells a missing column from any other key that a mapping looks up in vain."""

    def __missing__(self, key: str) -> Any:
        raise _MissingColumnError(key)


def validation_message(error: ValidationError) -> str:
    """Return the first complaint of pydantic in one line: where, the rule, what was received."""
    details: Mapping[str, Any] = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in details["loc"])
    message = str(details["msg"]).removeprefix("Value error, ")
    return f"{where}: {message} (received {details['input']!r:.80})" if where else message
