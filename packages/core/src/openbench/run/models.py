"""Makes models of their names, so that a wrong provider, key or address is known before anything runs."""

import os
import socket
from difflib import get_close_matches
from urllib.parse import urlsplit

from inspect_ai.model import GenerateConfig, Model, get_model

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted, redacted_name, redacted_text
from openbench.run.messages import plain_message
from openbench.run.plan import ModelSpec, Plan
from openbench.run.resending import send_again

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_CONNECT_SECONDS = 5.0
# inspect has no public list of its providers. These are for hints alone.
OF_INSPECT = (
    "anthropic azureai baseline bedrock cloudflare deepseek fireworks google grok groq hf mistral mockllm moonshot "
    "ollama openai openai-api openrouter perplexity sambanova sglang together vllm"
)
OF_OPENBENCH_PROVIDERS = (
    "ai21 baseten cerebras cohere crusoe deepinfra friendli helicone huggingface hyperbolic lambda minimax nebius nous "
    "novita parasail reka siliconflow vercel wandb"
)


def make_model(
    spec: ModelSpec, config: GenerateConfig | None = None, *, connect: bool = True, fresh: bool = False
) -> Model:
    """Make a model.

    Args:
        spec: Its name, and what else was said of it.
        config: How it generates.
        connect: Find out whether anything listens at an address that was given for it.
        fresh: Make another one if there is one of this name: the connections of that belong to an event loop.

    Raises:
        UsageError: The name is malformed, the provider unknown, or its key or package is missing.
        OpenbenchError: Nothing listens at the address that was given for it.
    """
    provider = spec.provider
    if spec.base_url and "://" not in spec.base_url:
        raise UsageError(
            f"{spec.name}: the address {redacted_text(spec.base_url)} needs http:// or https:// before it, as in "
            f"--model-base-url http://{redacted_text(spec.base_url)}"
        )
    shown, address = redacted(dict(spec.args)), redacted_name(spec.base_url or "")
    try:
        model = get_model(
            spec.name, config=config or GenerateConfig(), base_url=spec.base_url, memoize=not fresh, **spec.args
        )
    except ValueError as error:
        if "not recognized" in str(error):
            raise UsageError(f"{spec.name}: {unknown_provider(provider)}") from error
        raise UsageError(f"{spec.name}: {plain_message(error)}") from error
    except TypeError as error:
        raise UsageError(f"{spec.name}: the provider refuses its arguments (-M): {error}") from error
    except OpenbenchError:
        raise
    except Exception as error:
        raise UsageError(f"{spec.name}: {plain_message(error)}") from error
    if connect:
        _check_address(spec.name, spec.base_url or getattr(model.api, "base_url", None))
    send_again(model.api)
    model.model_args = shown  # for logs alone: the provider has its own by now
    return model if address == (spec.base_url or "") else _DiscreetModel(model, address)


def make_roles(plan: Plan, *, connect: bool = True, fresh: bool = False) -> dict[str, Model]:
    """Make the models of a plan's roles; see `make_model`."""
    return {role: make_model(spec, connect=connect, fresh=fresh) for role, spec in plan.model_roles.items()}


class _DiscreetModel(Model):
    """A model whose address holds a password, which a log must not."""

    def __init__(self, model: Model, address: str) -> None:
        super().__init__(model.api, model.config, model.model_args)
        self._address = address

    @property
    def explicit_base_url(self) -> str | None:
        """The address as a log has it."""
        return self._address


def unknown_provider(provider: str) -> str:
    """Return what to do about a provider that is not installed, or misspelled."""
    if provider in OF_OPENBENCH_PROVIDERS.split():
        return f"the provider {provider!r} comes with openbench-providers: pip install openbench-providers"
    close = get_close_matches(provider, f"{OF_INSPECT} {OF_OPENBENCH_PROVIDERS}".split(), n=1, cutoff=0.7)
    return (
        f"the provider {provider!r} is unknown.{f' Did you mean {close[0]}?' if close else ''} Models are named "
        "provider/model; for any OpenAI-compatible server use openai-api/<name>/<model> with --model-base-url."
    )


def _check_address(name: str, base_url: str | None) -> None:
    """Connect once to an address that is given or set: a request to a dead one would be retried for hours."""
    if not base_url or any(os.environ.get(variable) for variable in _PROXIES):
        return
    url = urlsplit(base_url)
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        socket.create_connection((url.hostname or "", port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or error
        raise OpenbenchError(
            f"{name}: {redacted_text(base_url)} cannot be reached: {reason}. Is the server up?"
        ) from error
