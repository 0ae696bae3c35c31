"""The retry policy: which failed requests are retried, and when: after the server's Retry-After, else with backoff.

By default there are two retry loops: the client of a provider's SDK retries twice without reporting it, and around it
Inspect's loop counts to `max_retries` and calls hooks, but ignores Retry-After. Here Inspect's is the only loop, and it
respects Retry-After: `--max-retries 2` means three requests, and every pause is shown.

A response of status 200 without a complete answer (invalid JSON, no choices, an error instead, a truncated stream) also
counts as a failure. It is retried only a few times, since some prompts may always cause it.
"""

import functools
import random
from collections.abc import Callable
from contextvars import ContextVar
from json import JSONDecodeError
from typing import Any

from inspect_ai.model import GenerateConfig, Model, ModelAPI, ModelOutput, RetryDecision

from openbench.errors import OpenbenchError

FIRST_PAUSE = 0.5
MAX_PAUSE = 60.0
MAX_RETRY_AFTER = 600.0
"""Maximum pause, in seconds, that a server may request."""
MAX_INCOMPLETE = 3
"""Maximum retries of a request whose response has no complete answer."""
MAX_INVENTED_CALLS = 3
"""Maximum error messages to a model that calls tools although it has none; later calls are dropped, to end the loop."""

_incomplete: ContextVar[int] = ContextVar("openbench_incomplete", default=0)
_timeout: ContextVar[float | None] = ContextVar("openbench_timeout", default=None)


class FaultyResponseError(OpenbenchError):
    """A response of status 200 without a complete answer."""


def apply_policy(api: ModelAPI) -> None:
    """Make Inspect's loop the only one that retries a provider's requests, with the pauses of this module.

    Args:
        api: The provider. If it decides on its own pauses, it keeps them; if its client was given a number of retries
            (`-M max_retries=N`), it keeps that.
    """
    # The SDKs of OpenAI, Anthropic, Groq and others come from one generator: their clients take this argument.
    own, client = getattr(api, "model_args", None), getattr(api, "client", None)
    if client is not None and isinstance(own, dict) and isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = own.setdefault("max_retries", 0)
    if "generate" in vars(api):
        return  # Inspect caches models, and this one already has the policy
    changed: dict[str, Any] = {"generate": _checked(api), "should_retry": _retried(api)}
    if type(api).retry_wait is ModelAPI.retry_wait:
        wait = pauses(api)
        changed["retry_wait"] = lambda: wait
    if (on_response := getattr(api, "on_response", None)) is not None:
        changed["on_response"] = lambda response: on_response(_complete(response))
    vars(api).update(changed)  # mypy forbids assigning to a method


def apply_policy_to_all() -> None:
    """Apply the policy to every model created from now on, since benchmarks create graders and others by name."""
    generate = Model.generate

    @functools.wraps(generate)
    async def generated(model: Model, *args: Any, **kwargs: Any) -> ModelOutput:
        apply_policy(model.api)
        return await generate(model, *args, **kwargs)

    setattr(Model, "generate", generated)  # noqa: B010 - mypy allows no method to be assigned


def pauses(
    api: ModelAPI, timeout: float | None = None, *, chance: Callable[[], float] = random.random
) -> Callable[[Any], float]:
    """Return a function from tenacity's retry state to the seconds until the next retry.

    The pause starts at half a second and doubles up to a minute, minus a random amount of up to a quarter. If the
    server sends Retry-After, it is that plus a random amount of up to a tenth, so that retries do not coincide.

    Args:
        api: The provider, which parses Retry-After.
        timeout: No pause extends beyond this many seconds after the first request; by default the request's timeout.
        chance: Returns a random number from 0 to 1.
    """

    def pause(attempts: Any) -> float:
        error = attempts.outcome.exception() if attempts.outcome else None
        decision = api.should_retry(error) if isinstance(error, Exception) else None
        retry_after = decision.retry_after if isinstance(decision, RetryDecision) else None
        if retry_after is None:
            doubled: float = FIRST_PAUSE * 2.0 ** min(attempts.attempt_number - 1, 10)
            seconds = min(MAX_PAUSE, doubled) * (1 - chance() / 4)
        else:
            seconds = min(MAX_RETRY_AFTER, retry_after) * (1 + chance() / 10)
        limit = _timeout.get() if timeout is None else timeout
        since: float = attempts.seconds_since_start or 0.0
        return seconds if limit is None else min(seconds, max(0.0, limit - since))

    return pause


def _checked(api: ModelAPI) -> Callable[..., Any]:
    """Wrap a provider's `generate`: raise `FaultyResponseError`, and end loops of tool calls without tools."""
    generate = api.generate

    async def checked(input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> Any:  # noqa: A002 - Inspect's
        _timeout.set(config.timeout)
        try:
            result = await generate(input=input, tools=tools, tool_choice=tool_choice, config=config)
            output, call = result if isinstance(result, tuple) else (result, None)
            if isinstance(output, ModelOutput):
                response = call.response if call and isinstance(call.response, dict) else {}
                _complete({"choices": output.choices, **response}, streamed=bool(call and call.request.get("stream")))
        except (FaultyResponseError, JSONDecodeError) as error:
            _incomplete.set(_incomplete.get() % (MAX_INCOMPLETE + 1) + 1)  # restarts after the last retry
            if isinstance(error, JSONDecodeError):
                raise FaultyResponseError(f"the server's response is not valid JSON: {error}") from error
            raise
        except Exception as error:
            if api.is_auth_failure(error):
                # Inspect shows the last line of a traceback.
                variables = " or ".join(api.api_key_vars) or "the provider"
                error.add_note(f"the server refused the key of {variables} (401): {' '.join(str(error).split())}")
            raise
        _incomplete.set(0)
        if isinstance(output, ModelOutput) and not tools and output.message.tool_calls:
            called = sum(bool(getattr(message, "tool_calls", None)) for message in input)
            output.message.tool_calls = None if called >= MAX_INVENTED_CALLS else output.message.tool_calls
        return result

    return checked


def _complete(response: dict[str, Any], *, streamed: bool = False) -> dict[str, Any]:
    """Check that a response has a complete answer, if it is in the format of OpenAI's chat completions."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if error := response.get("error") or first.get("error") or (first.get("finish_reason") == "error" and "no reason"):
        raise FaultyResponseError(f"the server's response contains an error: {error}")
    if "choices" in response and not choices:
        raise FaultyResponseError("the server's response has no choices")
    if streamed and first and first.get("finish_reason") is None:
        # A proxy that loses its server may end a stream regularly; then only the finish reason is missing.
        raise FaultyResponseError("the server ended its stream in the middle of an answer")
    return response


def _retried(api: ModelAPI) -> Callable[[Exception], bool | RetryDecision]:
    should_retry = api.should_retry

    def retried(error: Exception) -> bool | RetryDecision:
        if isinstance(error, FaultyResponseError):
            return RetryDecision.transient() if _incomplete.get() <= MAX_INCOMPLETE else RetryDecision.no()
        return should_retry(error)

    return retried
