"""The command `bench providers`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click

from openbench.cli.table import columns
from openbench_providers.inspects import DOCUMENTATION, INSTEAD, KEYS, inspect_names
from openbench_providers.provider import set_variable
from openbench_providers.table import PROVIDERS


@dataclass(frozen=True)
class Row:
    """What is told of a provider.

    Attributes:
        name: What stands before the slash of a model's name.
        distribution: Who brings it.
        keys: The variables of which one must hold a key.
        key_set: Whether one does; None where a key is no such matter.
        base_url: Its address if no variable overrides it; None where inspect knows it.
        models: Where the names of its models are documented.
        note: What else is to be known.
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
        """What the table says of the key."""
        if self.key_set is None:
            return "-"
        return "set" if self.key_set else "not set"


@click.command("providers")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(as_json: bool) -> None:
    """List the model providers, and which of their keys are set.

    A model is named provider/model. No key is ever shown.
    """
    rows = provider_rows()
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2))
        return
    cells = [(row.name, row.distribution, " or ".join(row.keys) or row.note, row.state, _models(row)) for row in rows]
    click.echo("\n".join(columns(cells)))


def provider_rows() -> list[Row]:
    """Return a row for each provider of the table and of inspect, sorted by name."""
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
