"""Turns rows into samples: errors name the row, ids are stable, order is seeded."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from pydantic import ValidationError

from openbench.datasets.rows import Row, Rows
from openbench.errors import DataError

RowMapping = Callable[[dict[str, Any]], Sample | list[Sample]]

SHUFFLE_SEED = 0


def load_samples(
    rows: Rows,
    record_to_sample: Callable[[dict[str, Any]], Sample | Sequence[Sample]],
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
        DataError: A row does not fit the mapping, or two samples were given the same id.
    """
    samples: list[Sample] = []
    seen: Counter[str] = Counter()
    explicit: dict[int | str, int] = {}
    for number, row in enumerate(rows.rows, start=1):
        for part, sample in enumerate(_mapped(row, record_to_sample, number, rows.label)):
            if sample.id is not None:
                first = explicit.setdefault(sample.id, number)
                if first != number:
                    raise DataError(f"rows {first} and {number} of {rows.label} have the same id {sample.id!r}")
            elif auto_id:
                sample.id = _digest_id(row, part, seen)
            samples.append(sample)
    if not samples:
        raise DataError(f"{rows.label} has no rows")
    dataset = MemoryDataset(samples, name=name, location=rows.label)
    if shuffle:
        dataset.shuffle(SHUFFLE_SEED if seed is None else seed)
    if shuffle_choices is not None and shuffle_choices is not False:
        dataset.shuffle_choices(SHUFFLE_SEED if shuffle_choices is True else shuffle_choices)
    return dataset[:limit] if limit else dataset


def content_digest(content: object) -> str:
    """Return the SHA-256 of plain data in canonical JSON, 64 hex digits.

    Raises:
        TypeError: The data holds something that JSON and bytes cannot express.
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "tobytes"):  # images and arrays
        return hashlib.sha256(value.tobytes()).hexdigest()
    raise TypeError(f"a {type(value).__name__} has no stable content")


def _digest_id(row: Row, part: int, seen: Counter[str]) -> str:
    digest = content_digest(row)[:16] + (f".{part + 1}" if part else "")
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _mapped(
    row: Row, record_to_sample: Callable[[dict[str, Any]], Sample | Sequence[Sample]], number: int, label: str
) -> Sequence[Sample]:
    try:
        mapped = record_to_sample(dict(row))
    except KeyError as error:
        raise DataError(
            f"row {number} of {label} has no {error.args[0]!r} (columns: {', '.join(map(str, row))}). "
            "Check the mapping of its columns, or pin the revision."
        ) from error
    except ValidationError as error:
        raise DataError(f"row {number} of {label}: {validation_message(error)}") from error
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise DataError(f"row {number} of {label}: {error}") from error
    return [mapped] if isinstance(mapped, Sample) else list(mapped)


def validation_message(error: ValidationError) -> str:
    """Return the first complaint of pydantic in one line: where, the rule, what was received."""
    details: Mapping[str, Any] = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in details["loc"])
    message = str(details["msg"]).removeprefix("Value error, ")
    return f"{where}: {message} (received {details['input']!r:.80})"
