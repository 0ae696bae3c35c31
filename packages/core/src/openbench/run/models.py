"""Makes models of their names, so that a wrong provider, key or address is known before anything runs."""

import os
import socket
from urllib.parse import urlsplit

from inspect_ai.model import GenerateConfig, Model, get_model

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted, redacted_name, redacted_text
from openbench.run.messages import plain_message
from openbench.run.plan import ModelSpec, Plan
from openbench.run.resending import send_again

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_CONNECT_SECONDS = 5.0


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
    shown, address = redacted(dict(spec.args)), redacted_name(spec.base_url or "")
    try:
        model = get_model(
            spec.name, config=config or GenerateConfig(), base_url=spec.base_url, memoize=not fresh, **spec.args
        )
    except ValueError as error:
        if "not recognized" in str(error):
            raise UsageError(
                f"{spec.name}: the provider {provider!r} is unknown. Models are named provider/model; for any "
                "OpenAI-compatible server use openai-api/<name>/<model> with --model-base-url."
            ) from error
        raise UsageError(f"{spec.name}: {error}") from error
    except TypeError as error:
        raise UsageError(f"{spec.name}: the provider refuses its arguments (-M): {error}") from error
    except OpenbenchError:
        raise
    except Exception as error:
        raise UsageError(f"{spec.name}: {plain_message(error)}") from error
    if connect:
        _check_address(spec.name, spec.base_url)
    send_again(model.api, config.timeout if config else None)
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


def _check_address(name: str, base_url: str | None) -> None:
    """Connect once to an address that the user gave: a request to a dead one would be retried for hours."""
    if base_url is None or any(os.environ.get(variable) for variable in _PROXIES):
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
