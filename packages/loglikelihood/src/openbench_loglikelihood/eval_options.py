"""The options of `bench eval` for ranking, which select the provider or its arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from typer import Option

from openbench.cli.plugin_options import OptionPanel
from openbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openbench.cli.eval_options import Options
    from openbench.run.plan import ModelSpec, Plan

_LOCAL = "openbench-hf"
_FIRST_TOKEN = "first-token"  # noqa: S105 - a provider
_NO_CHATS = frozenset({"baseline", _LOCAL, "vllm-completions", "openai-api-completions"})


@dataclass(frozen=True)
class LogProbabilities(OptionPanel):
    """Decides how options are ranked, and how their prompts are written."""

    panel: ClassVar = "Log-probabilities"
    loglikelihood: Annotated[
        Literal["full", "first-token"] | None,
        Option(
            case_sensitive=False,
            metavar="HOW",
            help="Rank options by their whole log-probability (full), or by that of their first token, which chat "
            "servers list (first-token).",
        ),
    ] = None
    chat_template: Annotated[
        bool | None,
        Option("--chat-template", help="Write ranked prompts with the tokenizer's chat template (openbench-hf)."),
    ] = None
    few_shot_as: Annotated[
        Literal["turns", "message"] | None,
        Option(
            case_sensitive=False,
            metavar="HOW",
            help="Show a chat's examples as turns, or in one message with the question; turns by default.",
        ),
    ] = None
    system_message: Annotated[str | None, Option(metavar="TEXT", help="System message of the chat.")] = None

    def prepare(self, plan: Plan, given: Options) -> Plan:  # noqa: ARG002 - the signature of all panels
        """Return the plan with models that rank as the options say.

        `--loglikelihood first-token` puts the provider of this name before the model's; the others are arguments of
        the providers.

        Raises:
            UsageError: An option does not suit a model, or needs another one.
        """
        chat = {"few_shot_as": self.few_shot_as, "system_message": self.system_message}
        arguments: dict[str, Any] = {name: value for name, value in chat.items() if value is not None}
        first = self.loglikelihood == _FIRST_TOKEN
        if first and self.chat_template:
            raise UsageError("--chat-template is for openbench-hf: a chat server has its own. Leave it out.")
        if arguments and not (first or self.chat_template):
            option = min(arguments).replace("_", "-")
            raise UsageError(f"--{option} needs --chat-template, or --loglikelihood first-token.")
        if not (first or self.chat_template):
            return plan
        if self.chat_template:
            arguments["chat_template"] = True
        change = _by_first_token if first else _by_template
        return replace(plan, jobs=[replace(job, model=change(job.model, arguments)) for job in plan.jobs])


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
