"""The prices of models' tokens: parses them, computes the cost of a run, and gives them to Inspect for `--cost-limit`.

Prices are parsed before Inspect is imported.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError
from openbench.registry.settings import read_table

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import ModelCost, ModelUsage

    from openbench.run.plan import Plan

BATCH_DISCOUNT = 0.5
"""The discount of providers with a batch API, as published in November 2026; at Together, for most models."""

_of_inspect: "dict[str, ModelCost]" = {}
"""Inspect's own prices, as they were before batch prices replaced them."""


@dataclass(frozen=True)
class Price:
    """The price of a million tokens of input and of output, in the user's currency."""

    input: float
    output: float

    def of(self, used: "ModelUsage") -> float:
        """Return the cost of tokens; those read from or written to the provider's cache count as other input."""
        read = used.input_tokens + (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
        return (read * self.input + used.output_tokens * self.output) / 1e6


def batch_price_share(model: str) -> float:
    """Return the price of a model in batches, as a share of its usual price."""
    from openbench.run.models import BATCH_PROVIDERS  # noqa: PLC0415 - prices are parsed before Inspect is imported

    return 1 - (BATCH_DISCOUNT if model.partition("/")[0] in BATCH_PROVIDERS else 0.0)


def in_batches(prices: Mapping[str, Price], model: str, others: Collection[str] = ()) -> Mapping[str, Price]:
    """Return prices with a model's batch price, unless it also has other roles, whose requests are not batched."""
    if model not in prices or model in others:
        return prices
    left = batch_price_share(model)
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
        f"{path}: [tool.openbench.prices] has {value!r} for {model}; expected the prices of a million tokens, "
        'such as "openai/gpt-4.1" = { input = 2, output = 8 }.'
    )


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0


def project_costs(directory: Path) -> "Callable[[EvalLog], float | None]":
    """Return a function that computes the cost of a log by a project's prices (`read_prices`, `cost_of_log`)."""
    return partial(cost_of_log, read_prices(directory))


def cost_of_log(prices: Mapping[str, Price], log: "EvalLog") -> float | None:
    """Return the cost of all tokens of a log; None if a model has no price."""
    used = log.stats.model_usage
    if log.eval.model_generate_config.batch or log.plan.config.batch:
        roles = (log.eval.model_roles or {}).values()
        others = [each.model for models in roles for each in (models if isinstance(models, list) else [models])]
        prices = in_batches(prices, log.eval.model, others)
    if not used or not used.keys() <= prices.keys():
        return None
    return sum(prices[model].of(each) for model, each in used.items())


def given_prices(price: str | None, models: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the prices of models for `--cost-limit`: those of `--price`, else the project's."""
    prices = dict.fromkeys(models, parse_price(price)) if price else read_prices(Path.cwd())
    return {name: asdict(each) for name, each in prices.items() if name in models}


def know_prices(benchmark: str, task: "Task", plan: "Plan") -> None:  # noqa: ARG001 - the signature of a check
    """Set the prices of all models of a task with a cost limit, as Inspect requires.

    They are those of the plan, else the project's, else Inspect's own.

    Raises:
        UsageError: A model has no price.
    """
    from inspect_ai.model import (  # noqa: PLC0415 - prices are parsed before Inspect is imported
        ModelCost,
        ModelInfo,
        get_model_info,
        set_model_cost,
        set_model_info,
    )

    from openbench.run.identity import limits_of, models_of  # noqa: PLC0415

    if "cost_limit" not in limits_of(task, plan):
        return
    prices: dict[str, Mapping[str, float]] = {
        name: {"input": price.input, "output": price.output} for name, price in read_prices(Path.cwd()).items()
    }
    prices |= plan.options.get("model_cost_config", {})
    evaluated, *others = models_of(task, plan)
    for name in dict.fromkeys((evaluated, *others)):
        info, price = get_model_info(name), prices.get(name)
        if price:
            # Tokens read from a cache, or written to one, cost as much as other input by default.
            cost = ModelCost(**{"input_cache_write": price["input"], "input_cache_read": price["input"], **price})
        elif info and info.cost:
            cost = _of_inspect.setdefault(name, info.cost)
        else:
            raise UsageError(
                f"a cost limit needs the price of {name}, which is unknown. Set it with --price IN,OUT, or in "
                f'[tool.openbench.prices]: "{name}" = {{ input = 2, output = 8 }}.'
            )
        if plan.generate.get("batch") and name == evaluated and name not in others:
            cost = ModelCost(**{kind: batch_price_share(name) * each for kind, each in cost.model_dump().items()})
        set_model_cost(name, cost) if info else set_model_info(name, ModelInfo(cost=cost))
