"""From a row to a sample, by its columns."""

import json
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from inspect_ai.dataset import Sample

from openbench.datasets import RowMapping
from openbench_authoring.declarative.answers import target_of
from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.fields import shown
from openbench_authoring.declarative.horangi import TARGETLESS
from openbench_authoring.declarative.lettered import wrong_letters

Row = Mapping[str, Any]

_REQUIRED = ("input", "target")
_OF_SAMPLES = ("id", *_REQUIRED, "choices")
_MISSING = object()


def row_mapping(config: BenchmarkConfig, *, lettered: bool) -> RowMapping:
    """Return the function that makes a sample from a row.

    Args:
        config: The declaration.
        lettered: Whether the target must be the letter of a choice, as the solver and scorer of choices need it.
    """

    def to_sample(row: dict[str, Any]) -> Sample:
        sample = sample_of(row, config)
        if lettered:
            _check_letters(sample, config)
        return sample

    return to_sample


def sample_of(row: Row, config: BenchmarkConfig) -> Sample:
    """Make a sample from a row.

    Raises:
        ValueError: A column is missing, or its value does not fit.
    """
    row = with_defaults(row, config)
    columns = {name: [name] for name in _OF_SAMPLES} | {
        name: [of] if isinstance(of, str) else list(of) for name, of in config.field_mapping.items()
    }
    found = {name: _found(row, names) for name, names in columns.items()}
    targetless = config.scorer in TARGETLESS and "target" not in config.field_mapping
    needed = {*_REQUIRED, *config.field_mapping} - ({"target"} if targetless else set())
    for name, (_, value) in found.items():
        if value is _MISSING and name in needed:
            raise ValueError(_lacking(name, columns[name], row))
    used = {_column(row, path) for path, value in found.values() if value is not _MISSING}
    values = {name: value for name, (_, value) in found.items() if value is not _MISSING}
    choices = _choices(values["choices"], found["choices"][0]) if "choices" in values else None
    return Sample(
        id=_id(values.get("id"), found["id"][0]),
        input=_input(values["input"], found["input"][0]),
        target=_target(values, found["target"][0], config, choices),
        choices=choices,
        metadata={
            **{column: value for column, value in row.items() if column not in used},
            **{name: value for name, value in values.items() if name not in _OF_SAMPLES},
        },
    )


def _target(values: Row, column: str, config: BenchmarkConfig, choices: list[str] | None) -> str | list[str]:
    if "target" not in values:  # the scorer needs none
        return ""
    return target_of(values["target"], config.answer_format, choices, name=column)


def category_of(row: Row, config: BenchmarkConfig, name: str) -> Any:
    """Return a row's value in a column, or under a name of the mapping.

    Raises:
        ValueError: It has neither.
    """
    row = with_defaults(row, config)
    of = config.field_mapping.get(name, name)
    names = [of] if isinstance(of, str) else list(of)
    value = _found(row, [name, *names])[1]
    if value is _MISSING:
        raise ValueError(_lacking("sampling_by", [name], row))
    if isinstance(value, list | dict):
        raise ValueError(  # noqa: TRY004 - it is a row's content
            f"{name!r} is {shown(value)}, where a category is expected. Check sampling_by."
        )
    return value


def with_defaults(row: Row, config: BenchmarkConfig) -> Row:
    """Return a row with the default fields for missing or null columns."""
    lacking = {name: value for name, value in config.default_fields.items() if row.get(name) is None}
    return {**row, **lacking}


def _look_up(row: Row, path: str) -> Any:
    """Return what a row has under a column's name, else along a path with dots; a sentinel if both are missing."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isascii() and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _MISSING
    return value


def _found(row: Row, names: Sequence[str]) -> tuple[str, Any]:
    """Return the first of several columns that a row has, and its value; null counts as missing."""
    for name in names:
        value = _look_up(row, name)
        if value is not _MISSING and value is not None:
            return name, value
    return names[0], _MISSING


def _column(row: Row, path: str) -> str:
    return path if path in row else path.partition(".")[0]


def _lacking(name: str, columns: Sequence[str], row: Row) -> str:
    of = name if name == "sampling_by" else f"the field_mapping of {name}"
    way_out = f"Check {of}, or give it in default_fields."
    if null := [column for column in columns if _look_up(row, column) is None]:
        return f"{' and '.join(map(repr, null))} {'is' if len(null) == 1 else 'are'} null. {way_out}"
    wanted = " or ".join(map(repr, columns))
    return f"no column {wanted} (columns: {', '.join(map(str, row))}). {way_out}"


def _id(value: Any, name: str) -> str | int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise ValueError(f"{name!r} is {shown(value)}, where an id is expected: a text or a whole number.")
    return value


def _input(value: Any, name: str) -> Any:
    conversation = isinstance(value, list) and value and all(isinstance(turn, dict) for turn in value)
    if conversation or (isinstance(value, str) and value.strip()):
        return value
    raise ValueError(f"{name!r} is {shown(value)}, where a text or a conversation is expected. Check field_mapping.")


def _choices(value: Any, name: str) -> list[str]:
    """Read choices: a list of texts or numbers, or JSON of one, since a CSV file holds no lists."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ValueError(f"{name!r} is {shown(value)}, which is not valid JSON: {error}.") from error
    fits = isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value)
    if not fits or not value:
        hint = " A path such as choices.text looks into a table." if isinstance(value, Mapping) else ""
        raise ValueError(f"{name!r} is {shown(value)}, where a list of choices is expected.{hint}")
    if len(value) > len(ascii_uppercase):
        raise ValueError(f"{name!r} has {len(value)} choices, but there are letters for {len(ascii_uppercase)}.")
    texts = [str(each) for each in value]
    if not all(map(str.strip, texts)):
        raise ValueError(f"{name!r} is {shown(value)}, in which a choice is empty.")
    return texts


def _check_letters(sample: Sample, config: BenchmarkConfig) -> None:
    if not sample.choices:
        raise ValueError(
            "it has no choices, which the solver multiple_choice, the scorer choice and show_choices need. Map "
            "choices in field_mapping, or give them in default_fields."
        )
    letters = ascii_uppercase[: len(sample.choices)]
    if wrong := wrong_letters(sample):
        raise ValueError(
            f"the target is {shown(wrong[0])}, where a letter of the choices is expected: {letters[0]} to "
            f"{letters[-1]}. Check answer_format, which is {config.answer_format}."
        )
