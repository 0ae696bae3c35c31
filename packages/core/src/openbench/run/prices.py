"""Limits of samples, such as `--token-limit`, and the prices of models' tokens that a limit of cost needs.

A sample that reaches a limit ends there, and is scored as it is; its log names the limit. Prices are parsed before
Inspect is imported.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError
from openbench.registry.settings import read_table

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model, ModelCost, ModelUsage

    from openbench.run.plan import Plan

BATCH_DISCOUNTS: Mapping[str, float] = dict.fromkeys(("anthropic", "google", "grok", "openai", "together"), 0.5)
"""What the providers with a batch API that Inspect speaks take off their prices in batches, as their pages said in
November 2026; Together does so for most models."""
_CLOUDS = {"bedrock", "vertex"}  # openai/azure has batches

LIMITS = ("cost_limit", "message_limit", "time_limit", "token_limit", "turn_limit", "working_limit")
PRICES = "model_cost_config"
_PRICES = "prices"
_of_inspect: "dict[str, ModelCost]" = {}
"""Prices that Inspect knows, as they were before those of batches took their place."""


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


def limits_of(task: "Task", plan: "Plan") -> dict[str, Any]:
    """Return the limits of each sample of a task by Inspect's names: the plan's, else the task's own."""
    given: Mapping[str, Any] = {**plan.options}
    found = {name: given.get(name) or getattr(task, name, None) for name in LIMITS}
    return {name: value if isinstance(value, int | float) else str(value) for name, value in found.items() if value}


def limits_with_prices(task: "Task", plan: "Plan", model: "Model") -> dict[str, Any]:
    """Return the limits of each sample of a task, and under a limit of cost the prices that decide who reaches it."""
    found = limits_of(task, plan)
    if "cost_limit" not in found:
        return found
    from inspect_ai.model import get_model_info  # noqa: PLC0415 - prices are parsed before it

    infos = {name: get_model_info(name) for name in sorted(set(_models(task, plan, model)))}
    return {**found, _PRICES: {name: info.cost.model_dump() for name, info in infos.items() if info and info.cost}}


def are_looser(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether a sample that reached none of some limits reaches none of others, whatever it does."""
    if "cost_limit" in after and before.get(_PRICES) != after.get(_PRICES):
        return False
    return all(_at_least(value, before.get(name)) for name, value in after.items() if name != _PRICES)


def know_prices(task: "Task", plan: "Plan", model: "Model") -> None:
    """Set the prices of all models of a task with a limit of cost, for which Inspect needs each of them.

    They are those of the plan, else the project's, else those that Inspect knows.

    Raises:
        UsageError: A model has no price.
    """
    if "cost_limit" not in limits_of(task, plan):
        return
    from inspect_ai.model import (  # noqa: PLC0415 - prices are parsed before it
        ModelCost,
        ModelInfo,
        get_model_info,
        set_model_cost,
        set_model_info,
    )

    prices: dict[str, Mapping[str, float]] = {
        name: {"input": price.input, "output": price.output} for name, price in read_prices(Path.cwd()).items()
    }
    prices |= plan.options.get("model_cost_config", {})
    evaluated, *others = _models(task, plan, model)
    for name in dict.fromkeys((evaluated, *others)):
        info, price = get_model_info(name), prices.get(name)
        if price:
            # What is read from a cache, or written to one, costs as much as other input by default.
            cost = ModelCost(**{"input_cache_write": price["input"], "input_cache_read": price["input"], **price})
        elif info and info.cost:
            cost = _of_inspect.setdefault(name, info.cost)
        else:
            raise UsageError(
                f"a limit of cost needs the price of {name}, which is not known. Give it with --price IN,OUT, or in "
                f'[tool.openbench.prices], as in "{name}" = {{ input = 2, output = 8 }}.'
            )
        if plan.generate.get("batch") and name == evaluated and name not in others:
            cost = ModelCost(**{kind: left_in_batches(name) * each for kind, each in cost.model_dump().items()})
        set_model_cost(name, cost) if info else set_model_info(name, ModelInfo(cost=cost))


def _models(task: "Task", plan: "Plan", model: "Model") -> Iterator[str]:
    yield str(model)
    yield from (spec.name for spec in plan.model_roles.values())
    for role, models in (task.model_roles or {}).items():
        if role not in plan.model_roles:
            yield from map(str, models if isinstance(models, list) else [models])


def _at_least(value: Any, before: Any) -> bool:
    return isinstance(value, int | float) and isinstance(before, int | float) and value >= before
