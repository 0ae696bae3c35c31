"""The options of `bench eval` about ranking: they choose the provider, or its arguments."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from openbench.errors import UsageError
from openbench.run.plan import ModelSpec, Plan

_LOCAL = "openbench-hf"
_FIRST_TOKEN = "first-token"  # noqa: S105 - a provider
_NO_CHATS = frozenset({"baseline", _LOCAL, "vllm-completions", "openai-api-completions"})


def prepare(
    plan: Plan,
    *,
    loglikelihood: str | None,
    chat_template: bool | None,
    few_shot_as: str | None,
    system_message: str | None,
) -> Plan:
    """Return a plan whose models rank as options of `bench eval` say.

    Args:
        plan: What would run without them.
        loglikelihood: The value of `--loglikelihood`: `first-token` puts the provider of this name before the model's.
        chat_template: That of `--chat-template`, an argument of `openbench-hf`.
        few_shot_as: That of `--few-shot-as`, an argument of both providers.
        system_message: That of `--system-message`, likewise.

    Raises:
        UsageError: An option does not suit a model, or needs another one.
    """
    given = {"few_shot_as": few_shot_as, "system_message": system_message}
    arguments: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    first = loglikelihood == _FIRST_TOKEN
    if first and chat_template:
        raise UsageError("--chat-template is for openbench-hf: a chat server has its own. Leave it out.")
    if arguments and not (first or chat_template):
        option = min(arguments).replace("_", "-")
        raise UsageError(f"--{option} needs --chat-template, or --loglikelihood first-token.")
    if chat_template:
        arguments["chat_template"] = True
    change = _by_first_token if first else _by_template if chat_template else _unchanged
    jobs = [replace(job, model=change(job.model, arguments)) for job in plan.jobs]
    return replace(plan, jobs=jobs)


def _by_first_token(model: ModelSpec, arguments: Mapping[str, Any]) -> ModelSpec:
    if model.provider in _NO_CHATS:
        raise UsageError(
            f"--loglikelihood first-token asks chat servers, and {model.name} is none. Leave it out: options are "
            "ranked by their whole log-probability."
        )
    name = model.name if model.provider == _FIRST_TOKEN else f"{_FIRST_TOKEN}/{model.name}"
    return replace(model, name=name, args={**model.args, **arguments})


def _by_template(model: ModelSpec, arguments: Mapping[str, Any]) -> ModelSpec:
    if model.provider != _LOCAL:
        raise UsageError(
            f"--chat-template is for openbench-hf, which has the tokenizer of its model; {model.name} is another "
            "provider's. Use --model openbench-hf/PATH_OR_ID, or --loglikelihood first-token for a chat server."
        )
    return replace(model, args={**model.args, **arguments})


def _unchanged(model: ModelSpec, arguments: Mapping[str, Any]) -> ModelSpec:  # noqa: ARG001 - there are none
    return model
