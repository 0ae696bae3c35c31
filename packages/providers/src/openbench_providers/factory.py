"""Turns a row of the table into an Inspect provider."""

from typing import Any, cast

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelCall, ModelOutput, get_model, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.errors import UsageError
from openbench_providers.provider import Provider


def register(provider: Provider) -> None:
    """Register a provider with Inspect, for `get_model("name/model")`."""

    def create(
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's signature
        **model_args: Any,
    ) -> ModelAPI:
        return connect(provider, model_name, base_url, api_key, config, model_args)

    # Inspect's type annotation requires a class, but Inspect only calls it.
    modelapi(name=provider.name)(lambda: cast("type[ModelAPI]", create))


def connect(
    provider: Provider,
    model_name: str,
    base_url: str | None,
    api_key: str | None,
    config: GenerateConfig,
    model_args: dict[str, Any],
) -> ModelAPI:
    """Create Inspect's client for OpenAI-compatible servers, for a provider's model.

    Args:
        provider: The provider.
        model_name: The provider's name for the model.
        base_url: An address that replaces the provider's.
        api_key: A key that replaces the variables'.
        config: The generation settings.
        model_args: Further arguments of the client, such as `stream` or `default_headers`.

    Raises:
        UsageError: There is no key, the provider does not support a setting, or it is closed.
    """
    model = f"{provider.name}/{model_name}"
    address = provider.address(base_url)
    if provider.closed and not address:
        raise UsageError(
            f"{model}: {provider.closed} ({provider.source}). To use another server with this API, "
            f"set {provider.address_variable}."
        )
    _refuse(model, provider, config)
    key_variable = provider.key_variable()
    try:
        # Headers given with -M take precedence over the table's.
        headers = {**provider.sent_headers(), **model_args.pop("default_headers", {})}
        api = get_model(
            f"openai-api/{model_name}",
            config=config,
            base_url=address or provider.base_url,
            api_key=api_key,
            memoize=False,
            # In capitals, since Inspect removes "service/" from a model's name, which may contain it.
            service=provider.name.upper(),
            api_key_var=key_variable or provider.keys[0],
            default_headers=headers,
            **model_args,
        ).api
    except Exception as error:
        if api_key or key_variable:
            raise
        # Reported only now, since one of Inspect's hooks may have provided a key.
        raise UsageError(f"{model}: no API key is set. Set {' or '.join(provider.keys)}.") from error
    if provider.unsupported:
        _watch(api, model, provider)
    return api


def _watch(api: ModelAPI, model: str, provider: Provider) -> None:
    """Refuse unsupported settings of a task, which are known only at its first request."""
    ask = api.generate

    async def generate(
        input: list[ChatMessage],  # noqa: A002 - Inspect's signature
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        _refuse(model, provider, config)
        return await ask(input, tools, tool_choice, config)

    api.generate = generate  # type: ignore[method-assign]


def _refuse(model: str, provider: Provider, config: GenerateConfig) -> None:
    """Refuse unsupported settings: some servers ignore them, and the log would then be wrong.

    Raises:
        UsageError: The provider does not support a setting.
    """
    for name in provider.unsupported:
        if getattr(config, name) is not None:
            raise UsageError(f"{model}: {provider.name} does not support {name} ({provider.source}). Omit it.")
