"""What is known of a model provider: the columns of the table."""

import os
import string
from collections.abc import Mapping
from dataclasses import dataclass, field

# inspect's own variable, which stands in for any provider's address that is not given otherwise.
ANY_ADDRESS = "INSPECT_EVAL_MODEL_BASE_URL"


@dataclass(frozen=True)
class Provider:
    """A provider of models behind OpenAI's chat completions API, as environment variables complete it.

    Attributes:
        name: What stands before the slash of a model's name.
        base_url: The address to which `/chat/completions` is appended.
        keys: The variables that may hold the key, which is sent as a bearer token; the first that is set is taken.
        models: Where the names of its models are documented.
        source: Where the address and the other columns are documented.
        headers: Headers of every request, as templates of variables; one is sent if all of its variables are set.
        unsupported: Fields of inspect's `GenerateConfig` that it documents as ignored or not supported.
        closed: Why nothing answers at the address any more.
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
        """The variable that overrides the address, as inspect names it."""
        return f"{self.name.upper()}_BASE_URL"

    def address(self, given: str | None) -> str | None:
        """Return the address that the user gives, by an argument or by variables; None for the default."""
        return given or os.environ.get(self.address_variable) or os.environ.get(ANY_ADDRESS) or None

    def key_variable(self) -> str | None:
        """Return the variable that holds the key; None if none is set."""
        return set_variable(self.keys)

    def sent_headers(self) -> dict[str, str]:
        """Return the headers whose variables are all set."""
        return {
            header: template.format_map(os.environ)
            for header, template in self.headers.items()
            if all(os.environ.get(name) for name in variables(template))
        }


def set_variable(names: tuple[str, ...]) -> str | None:
    """Return the first of some environment variables that is set and not empty; None if none is."""
    return next((name for name in names if os.environ.get(name)), None)


def variables(template: str) -> list[str]:
    """Return the names that a template of a header needs."""
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]
