"""The command `bench providers`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from openbench.cli.layout import columns, display_width, terminal_width
from openbench_providers.inspects import DOCUMENTATION, INSTEAD, KEYS, inspect_names
from openbench_providers.provider import set_variable
from openbench_providers.table import PROVIDERS

_HEAD = ("provider", "package", "any of", "key", "models")
_OMITTED = (_HEAD.index("models"), _HEAD.index("package"))
"""The columns that are omitted on a narrow terminal, in this order."""


@dataclass(frozen=True)
class Row:
    """A row of the output: one provider.

    Attributes:
        name: The part of a model's name before the slash.
        distribution: The distribution that provides it.
        keys: The variables, one of which must contain a key.
        key_set: Whether one of them does; None if the provider does not use such a key.
        base_url: The address if no variable overrides it; None for Inspect's own providers.
        models: The page that documents the names of its models.
        note: Further information.
    """

    name: str
    distribution: str
    keys: Sequence[str]
    key_set: bool | None
    base_url: str | None
    models: str
    note: str

    @property
    def state(self) -> str:
        """The cell of the column `key`."""
        if self.key_set is None:
            return "-"
        if self.note:
            return "closed"
        return "set" if self.key_set else "not set"

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row, in the order of `_HEAD`."""
        return (self.name, self.distribution, ", ".join(self.keys) or self.note, self.state, _models(self))


def command(
    only_set: Annotated[bool, typer.Option("--set", help="Only providers whose API key is set.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, which includes the base URLs.")] = False,
) -> None:
    """List model providers and whether their API keys are set.

    Models are named provider/model. Keys are never shown. A narrow terminal shows fewer columns; --json has all.
    """
    rows = [row for row in provider_rows() if row.key_set or not only_set]
    if as_json:
        typer.echo(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        typer.echo("\n".join(_fitting([_HEAD, *(row.cells for row in rows)])))


def provider_rows() -> list[Row]:
    """Return a row for each provider of the table and of Inspect, sorted by name."""
    of_inspect = inspect_names()
    rows = [
        Row(
            each.name,
            "openbench-providers",
            each.keys,
            each.key_variable() is not None,
            each.base_url,
            each.models,
            each.closed,
        )
        for each in PROVIDERS
        if each.name not in of_inspect
    ]
    return sorted([*rows, *map(_inspects_row, of_inspect)], key=lambda row: row.name)


def _inspects_row(name: str) -> Row:
    keys = KEYS.get(name, ())
    note = "" if keys else INSTEAD.get(name, "see its documentation")
    is_set = set_variable(keys) is not None if keys else None
    return Row(name, "inspect-ai", keys, is_set, None, DOCUMENTATION, note)


def _models(row: Row) -> str:
    return f"{row.models} ({row.note})" if row.keys and row.note else row.models


def _fitting(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows in columns, without the columns that do not fit the terminal."""
    lines = columns(rows)
    for index in _OMITTED:
        if max(map(display_width, lines)) <= terminal_width():
            break
        rows = [[*row[:index], *row[index + 1 :]] for row in rows]
        lines = columns(rows)
    return lines
