"""Prices of models' tokens, which the user gives. They are parsed before Inspect is imported."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError
from openbench.registry.settings import read_table

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage


BATCH_DISCOUNTS: Mapping[str, float] = dict.fromkeys(("anthropic", "google", "grok", "openai", "together"), 0.5)
"""What the providers with a batch API that Inspect speaks take off their prices in batches, as their pages said in
November 2026; Together does so for most models."""
_CLOUDS = {"bedrock", "vertex"}  # openai/azure has batches


@dataclass(frozen=True)
class Price:
    """What a model costs per million tokens of input and of output, in the user's currency."""

    input: float
    output: float

    def of(self, used: "ModelUsage") -> float:
        """Return what tokens cost; those that a provider read from its cache, or wrote to it, count as other input."""
        read = used.input_tokens + (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
        return (read * self.input + used.output_tokens * self.output) / 1e6


def check_batches(model: str) -> None:
    """Check that a model can be asked in batches."""
    provider, service, *_ = [*model.split("/"), ""]
    if provider not in BATCH_DISCOUNTS or service in _CLOUDS:
        raise UsageError(
            f"{model}: --batch needs a provider with a batch API that Inspect speaks: {', '.join(BATCH_DISCOUNTS)} "
            "(not through Bedrock or Vertex). Leave out --batch."
        )


def left_in_batches(model: str) -> float:
    """Return the share of its price that a model costs in batches."""
    return 1 - BATCH_DISCOUNTS.get(model.partition("/")[0], 0.0)


def in_batches(prices: Mapping[str, Price], model: str, others: Collection[str] = ()) -> Mapping[str, Price]:
    """Return prices in which a model is asked in batches, unless it has other roles as well, which are not."""
    if model not in prices or model in others:
        return prices
    left = left_in_batches(model)
    return {**prices, model: Price(prices[model].input * left, prices[model].output * left)}


def parse_price(text: str) -> Price:
    """Parse `--price`: two numbers, as in `2,8`."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 2 and all(map(_is_price, numbers)):  # noqa: PLR2004 - of input and output
        return Price(*numbers)
    raise UsageError(f"--price {text!r}: expected the prices of a million tokens read and written, such as 2,8.")


def read_prices(directory: Path) -> Mapping[str, Price]:
    """Read the prices by model in the nearest file, from a directory upward, that has a table of them.

    Raises:
        UsageError: The file is not valid TOML, or an entry is not a pair of prices.
    """
    path, table = read_table(directory, "prices")
    return {model: _price(path, model, value) for model, value in table.items()}


def _price(path: Path | None, model: str, value: Any) -> Price:
    if isinstance(value, dict) and {*value} == {"input", "output"} and all(map(_is_price, value.values())):
        return Price(float(value["input"]), float(value["output"]))
    raise UsageError(
        f"{path}: [tool.openbench.prices] has {value!r} for {model}, where the prices of a million tokens are "
        'expected: "openai/gpt-4.1" = { input = 2, output = 8 }.'
    )


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
