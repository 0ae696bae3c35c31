"""A model provider: the columns of the table."""

import os
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

# Inspect's own variable, the fallback for any provider's address.
ANY_ADDRESS = "INSPECT_EVAL_MODEL_BASE_URL"


@dataclass(frozen=True)
class Provider:
    """A provider of models with OpenAI's chat completions API.

    Attributes:
        name: The part of a model's name before the slash.
        base_url: The address to which `/chat/completions` is appended.
        keys: The variables that may contain the key, which is sent as a bearer token; the first one set is used.
        models: The page that documents the names of its models.
        source: The page that documents the address and the other columns.
        headers: Headers of every request, as templates of variables; a header is sent if all its variables are set.
        unsupported: Fields of Inspect's `GenerateConfig` that the provider documents as ignored or not supported.
        closed: The reason why its address no longer works; empty if it works.
    """

    name: str
    base_url: str
    keys: tuple[str, ...]
    models: str
    source: str
    headers: Mapping[str, str] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    closed: str = ""

    @property
    def address_variable(self) -> str:
        """The variable that overrides the address, named as in Inspect."""
        return f"{self.name.upper()}_BASE_URL"

    def address(self, given: str | None) -> str | None:
        """Return the address set by an argument or by a variable; None for the default."""
        return given or os.environ.get(self.address_variable) or os.environ.get(ANY_ADDRESS) or None

    def key_variable(self) -> str | None:
        """Return the variable with the key; None if none is set."""
        return set_variable(self.keys)

    def sent_headers(self) -> dict[str, str]:
        """Return the headers whose variables are all set."""
        return {
            header: template.format_map(os.environ)
            for header, template in self.headers.items()
            if all(os.environ.get(name) for name in variables(template))
        }


def set_variable(names: tuple[str, ...]) -> str | None:
    """Return the first of these environment variables that is set and not empty; None if none is."""
    return next((name for name in names if os.environ.get(name)), None)


def variables(template: str) -> list[str]:
    """Return the names of the variables in a header template."""
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]
