"""Makes models and graders by name, and reports a wrong provider, key or address before anything runs."""

import socket
from difflib import get_close_matches
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from inspect_ai.model import GenerateConfig, Model, get_model

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted, redacted_name, redacted_text
from openbench.run.messages import plain_message
from openbench.run.plan import ModelSpec, Plan

RESOLVED_ARGS = "resolved_args"
"""An attribute of model providers: what their arguments stand for, such as the commit of a branch, for the log."""

BATCH_PROVIDERS = ("anthropic", "google", "grok", "openai", "together")
"""The providers with a batch API that Inspect speaks."""
_CLOUDS = {"bedrock", "vertex"}  # openai/azure has batches

_CONNECT_SECONDS = 5.0
# Inspect has no public list of its providers. These are for hints only.
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
        spec: Its name, address and arguments.
        config: How it generates.
        connect: Check that a server listens at the address, if one is given.
        fresh: Make a new one even if there is one of this name, whose connections belong to an event loop.

    Raises:
        UsageError: The name is malformed, the provider unknown, its key or package is missing, or it has no batches.
        OpenbenchError: No server listens at the given address.
    """
    if spec.base_url and "://" not in spec.base_url:
        raise UsageError(
            f"{spec.name}: the address {redacted_text(spec.base_url)} needs http:// or https:// before it, as in "
            f"--model-base-url http://{redacted_text(spec.base_url)}"
        )
    if config and config.batch:
        check_batches(spec.name)
    shown, address = redacted(dict(spec.args)), redacted_name(spec.base_url or "")
    config = config or GenerateConfig()
    try:
        model = get_model(spec.name, config=config, base_url=spec.base_url, memoize=not fresh, **spec.args)
    except OpenbenchError:
        raise
    except TypeError as error:
        raise UsageError(f"{spec.name}: the provider refuses its arguments (-M): {error}") from error
    except Exception as error:
        unknown = isinstance(error, ValueError) and "not recognized" in str(error)
        problem = unknown_provider(spec.provider) if unknown else plain_message(error)
        raise UsageError(f"{spec.name}: {problem}") from error
    if connect:
        _check_address(spec.name, spec.base_url or getattr(model.api, "base_url", None))
    # Only logs read them from now on.
    model.model_args = shown | redacted(dict(getattr(model.api, RESOLVED_ARGS, {})))
    return model if address == (spec.base_url or "") else _DiscreetModel(model, address)


def make_roles(plan: Plan, *, connect: bool = True, fresh: bool = False) -> dict[str, Model]:
    """Make the models of a plan's roles; see `make_model`."""
    return {role: make_model(spec, connect=connect, fresh=fresh) for role, spec in plan.model_roles.items()}


def check_batches(model: str) -> None:
    """Check that a model can be asked in batches."""
    provider, service, *_ = [*model.split("/"), ""]
    if provider not in BATCH_PROVIDERS or service in _CLOUDS:
        raise UsageError(
            f"{model}: --batch needs a provider with a batch API that Inspect speaks: {', '.join(BATCH_PROVIDERS)} "
            "(not through Bedrock or Vertex). Leave out --batch."
        )


class _DiscreetModel(Model):
    """A model whose address contains a password, which must not be logged."""

    def __init__(self, model: Model, address: str) -> None:
        super().__init__(model.api, model.config, model.model_args)
        self._address = address

    @property
    def explicit_base_url(self) -> str | None:
        """The address to log."""
        return self._address


def unknown_provider(provider: str) -> str:
    """Return the error message for a provider that is not installed or misspelled."""
    if provider in OF_OPENBENCH_PROVIDERS.split():
        return f"the provider {provider!r} comes with openbench-providers: pip install openbench-providers"
    close = get_close_matches(provider, f"{OF_INSPECT} {OF_OPENBENCH_PROVIDERS}".split(), n=1, cutoff=0.7)
    return (
        f"the provider {provider!r} is unknown.{f' Did you mean {close[0]}?' if close else ''} Models are named "
        "provider/model; for any OpenAI-compatible server use openai-api/<name>/<model> with --model-base-url."
    )


def _check_address(name: str, base_url: str | None) -> None:
    """Connect once to a given address: requests to a wrong one would be retried for hours."""
    if not base_url or {"http", "https", "all"} & getproxies_environment().keys():
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
