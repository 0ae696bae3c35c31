"""Limits of samples, such as `--token-limit`, and the prices of models that a limit of cost needs.

A sample that reaches a limit ends there, and is scored as it is; its log names the limit.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.model import Model, ModelCost, ModelInfo, get_model_info, set_model_cost, set_model_info

from openbench.errors import UsageError
from openbench.run.plan import Plan
from openbench.run.prices import left_in_batches, read_prices

LIMITS = ("cost_limit", "message_limit", "time_limit", "token_limit", "turn_limit", "working_limit")
PRICES = "model_cost_config"
_PRICES = "prices"
_of_inspect: dict[str, ModelCost] = {}
"""Prices that Inspect knows, as they were before those of batches took their place."""


def limits_of(task: Task, plan: Plan) -> dict[str, Any]:
    """Return the limits of each sample of a task by Inspect's names: the plan's, else the task's own."""
    given: Mapping[str, Any] = {**plan.options}
    found = {name: given.get(name) or getattr(task, name, None) for name in LIMITS}
    return {name: value if isinstance(value, int | float) else str(value) for name, value in found.items() if value}


def limits_with_prices(task: Task, plan: Plan, model: Model) -> dict[str, Any]:
    """Return the limits of each sample of a task, and under a limit of cost the prices that decide who reaches it."""
    found = limits_of(task, plan)
    if "cost_limit" not in found:
        return found
    infos = {name: get_model_info(name) for name in sorted(set(_models(task, plan, model)))}
    return {**found, _PRICES: {name: info.cost.model_dump() for name, info in infos.items() if info and info.cost}}


def are_looser(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether a sample that reached none of some limits reaches none of others, whatever it does."""
    if "cost_limit" in after and before.get(_PRICES) != after.get(_PRICES):
        return False
    return all(_at_least(value, before.get(name)) for name, value in after.items() if name != _PRICES)


def know_prices(task: Task, plan: Plan, model: Model) -> None:
    """Set the prices of all models of a task with a limit of cost, for which Inspect needs each of them.

    They are those of the plan, else the project's, else those that Inspect knows.

    Raises:
        UsageError: A model has no price.
    """
    if "cost_limit" not in limits_of(task, plan):
        return
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


def _models(task: Task, plan: Plan, model: Model) -> Iterator[str]:
    yield str(model)
    yield from (spec.name for spec in plan.model_roles.values())
    for role, models in (task.model_roles or {}).items():
        if role not in plan.model_roles:
            yield from map(str, models if isinstance(models, list) else [models])


def _at_least(value: Any, before: Any) -> bool:
    return isinstance(value, int | float) and isinstance(before, int | float) and value >= before
