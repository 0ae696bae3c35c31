"""The fields of a declaration, their valid values, and the errors in given ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Literal, get_args

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench_authoring.declarative import kinds
from openbench_authoring.declarative.kinds import Kind, one_of, optional

DataType = Literal["jsonl", "json", "csv", "hf", "weave"]
AnswerFormat = Literal["identity", "index_0", "index_1", "text", "letter", "to_string", "boolean"]
Sampling = Literal["balanced", "stratified"]

_SHOWN = 60
_LIKE_A_NAME = 0.75

# The locations of the task and of its rows are set outside the table.
_SET_ELSEWHERE = frozenset({"module_path", "function_name", "dataset"})
_OF_METADATA = [each.name for each in fields(BenchmarkMetadata)]
_OF_METADATA = [name for name in _OF_METADATA if name not in _SET_ELSEWHERE]
_METADATA: Mapping[str, Kind] = {
    **dict.fromkeys(_OF_METADATA, kinds.any_text),
    **dict.fromkeys(("tags", "languages", "needs"), kinds.texts),
    **dict.fromkeys(("is_alpha", "subtask", "builtin", "higher_is_better"), kinds.flag),
    "samples": kinds.count,
    "licence": kinds.text,
}

_FEW_SHOT: Mapping[str, Kind] = {
    "count": kinds.count,
    "split": kinds.text,
    "source": kinds.path,
    "examples": kinds.rows,
    "by": kinds.text,
    "seed": kinds.number,
    "as": one_of(("turns", "message")),
}

METADATA_FIELDS = frozenset(_METADATA)
"""The keys of `metadata` that mean something to us; all others are the author's own."""

TABLES: Mapping[str, Mapping[str, Kind]] = {"few_shot": _FEW_SHOT, "metadata": _METADATA}
"""Tables with their own fields."""

FIELDS: Mapping[str, Kind] = {
    "data_type": one_of(get_args(DataType)),
    "data_source": kinds.path,
    "field_mapping": kinds.columns,
    "answer_format": one_of(get_args(AnswerFormat)),
    "solver": kinds.component,
    "solver_args": kinds.table,
    "scorer": kinds.component,
    "scorer_args": kinds.table,
    "system_message": optional(kinds.template),
    "show_choices": optional(kinds.flag),
    "base": optional(kinds.path),
    "split": optional(kinds.text),
    "config": optional(kinds.text),
    "revision": optional(kinds.text),
    "sha256": optional(kinds.digest),
    "sampling": optional(one_of(get_args(Sampling))),
    "sampling_by": optional(kinds.text),
    "limit": optional(kinds.count),
    "shuffle": kinds.flag,
    "seed": kinds.number,
    "default_fields": kinds.table,
    "few_shot": kinds.table,
    "cue": optional(kinds.any_text),
    "epochs": optional(kinds.count),
    "generate": kinds.table,
    "metadata": kinds.table,
}
"""The fields of a declaration."""


def raise_faults(where: str, faults: Sequence[str]) -> None:
    """Raise all errors at once.

    Raises:
        UsageError: There are any.
    """
    if len(faults) == 1:
        raise UsageError(f"{where}: {faults[0]}")
    if faults:
        raise UsageError("\n".join([f"{where} has {len(faults)} faults:", *(f"- {fault}" for fault in faults)]))


def field_faults(given: Mapping[str, object], known: Mapping[str, Kind] = FIELDS, prefix: str = "") -> list[str]:
    """Return the errors in each field."""
    faults: list[str] = []
    unknown: list[int] = []
    for name, value in given.items():
        kind = known.get(name)
        own = prefix == "metadata." and name not in _SET_ELSEWHERE
        if kind is None and own and not did_you_mean(name, known, cutoff=_LIKE_A_NAME):
            continue  # a key of the author's, which the log keeps
        if kind is None:
            unknown.append(len(faults))
            faults.append(f"unknown field {prefix}{name}.{did_you_mean(name, known)}")
        elif rule := kind(value):
            hint = did_you_mean(value, rule.removeprefix("one of ").split(", ")) if rule.startswith("one of ") else ""
            faults.append(f"{prefix}{name} is {shown(value)}, where {rule} is expected.{hint}")
        elif name in TABLES and not prefix and isinstance(value, Mapping):
            faults += field_faults(value, TABLES[name], f"{name}.")
    if unknown:  # a long list, shown once
        faults[unknown[-1]] += f" Fields: {', '.join(known)}."
    return faults


def did_you_mean(given: object, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a hint at a similar name, with a leading space; empty if none is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    close = get_close_matches(str(given).lower(), list(known), n=1, cutoff=cutoff)
    return f" Did you mean {close[0]!r}?" if close else ""


def shown(value: object) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
