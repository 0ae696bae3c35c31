"""Makes a provider of inspect's out of a row of the table."""

from typing import Any, cast

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelCall, ModelOutput, get_model, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.errors import UsageError
from openbench_providers.provider import Provider


def register(provider: Provider) -> None:
    """Register a provider under its name, so that `get_model("name/model")` finds it."""

    def create(
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - inspect's signature
        **model_args: Any,
    ) -> ModelAPI:
        return connect(provider, model_name, base_url, api_key, config, model_args)

    # inspect asks for a class, and does no more with it than call it
    modelapi(name=provider.name)(lambda: cast("type[ModelAPI]", create))


def connect(
    provider: Provider,
    model_name: str,
    base_url: str | None,
    api_key: str | None,
    config: GenerateConfig,
    model_args: dict[str, Any],
) -> ModelAPI:
    """Make inspect's client of OpenAI-compatible servers for a provider's model.

    Args:
        provider: The provider.
        model_name: The model, as the provider names it.
        base_url: An address in place of the provider's.
        api_key: A key in place of that of the variables.
        config: How to generate.
        model_args: What else the client takes, such as `stream` or `default_headers`.

    Raises:
        UsageError: There is no key, the provider takes no such configuration, or is closed.
    """
    model = f"{provider.name}/{model_name}"
    address = provider.address(base_url)
    if provider.closed and not address:
        raise UsageError(
            f"{model}: {provider.closed} ({provider.source}). For a server that speaks it, set "
            f"{provider.address_variable}."
        )
    _refuse(model, provider, config)
    key_variable = provider.key_variable()
    try:
        # Headers that the user gives with -M go before those of the table.
        headers = {**provider.sent_headers(), **model_args.pop("default_headers", {})}
        api = get_model(
            f"openai-api/{model_name}",
            config=config,
            base_url=address or provider.base_url,
            api_key=api_key,
            memoize=False,
            # In capitals, since inspect takes "service/" out of a model's name, where it may well be a part of it.
            service=provider.name.upper(),
            api_key_var=key_variable or provider.keys[0],
            default_headers=headers,
            **model_args,
        ).api
    except Exception as error:
        if api_key or key_variable:
            raise
        # Only now: a hook of inspect's may have brought a key.
        raise UsageError(f"{model}: there is no key. Set {' or '.join(provider.keys)}.") from error
    if provider.unsupported:
        _watch(api, model, provider)
    return api


def _watch(api: ModelAPI, model: str, provider: Provider) -> None:
    """Refuse what a task configures, which is not known before it asks."""
    ask = api.generate

    async def generate(
        input: list[ChatMessage],  # noqa: A002 - inspect's signature
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        _refuse(model, provider, config)
        return await ask(input, tools, tool_choice, config)

    api.generate = generate  # type: ignore[method-assign]


def _refuse(model: str, provider: Provider, config: GenerateConfig) -> None:
    """Some servers ignore what they do not know, and the log would then say what never was.

    Raises:
        UsageError: The provider does not support a setting.
    """
    for name in provider.unsupported:
        if getattr(config, name) is not None:
            raise UsageError(f"{model}: {provider.name} does not support {name} ({provider.source}). Leave it out.")
