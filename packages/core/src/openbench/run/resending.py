"""When a request that failed is sent again: after as long as the server asks for, else after pauses that grow.

Left to themselves, two loops send a request again: the client of a provider's SDK, twice and unseen, and around it
inspect's, which counts to `max_retries` and tells hooks, but does not heed Retry-After. Here inspect's is the only one,
and heeds what the server asks for: so `--max-retries 2` means three requests, and every pause is seen.

A response of status 200 that holds no whole answer (no JSON, no choice, an error in place of one, a stream that was cut
off) is one that failed, too. It is requested again a few times: one prompt may meet it for ever.
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
MOST_PAUSE = 60.0
MOST_ASKED = 600.0
"""Seconds of what a server may ask for; one that asks for more is asked again by then."""
MOST_FAULTY = 3
"""How often a request is sent again whose response holds no whole answer."""
MOST_UNASKED = 3
"""How often a model that has no tools is told so, before its tool calls are left out."""

_faulty: ContextVar[int] = ContextVar("openbench_faulty", default=0)
_timeout: ContextVar[float | None] = ContextVar("openbench_timeout", default=None)


class FaultyResponseError(OpenbenchError):
    """A response that holds no whole answer, though its status is 200."""


def send_again(api: ModelAPI) -> None:
    """Let inspect alone send a provider's failed requests again, after pauses as they are here.

    Args:
        api: The provider. One that decides on its own pauses keeps them, and one whose client was told how often to
            retry (`-M max_retries=N`) keeps that.
    """
    # The SDKs of OpenAI, Anthropic, Groq and others are made by one generator: their clients take this argument.
    own, client = getattr(api, "model_args", None), getattr(api, "client", None)
    if client is not None and isinstance(own, dict) and isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = own.setdefault("max_retries", 0)
    if "generate" in vars(api):
        return  # inspect keeps models, and this one was made before
    checked: dict[str, Any] = {"generate": _checked(api), "should_retry": _retried(api)}
    if type(api).retry_wait is ModelAPI.retry_wait:
        wait = pauses(api)
        checked["retry_wait"] = lambda: wait
    if (on_response := getattr(api, "on_response", None)) is not None:
        checked["on_response"] = lambda response: on_response(_whole(response))
    vars(api).update(checked)  # mypy allows no method to be assigned


def send_again_always() -> None:
    """Let `send_again` hold for every model from now on: benchmarks' own code makes graders and others by name."""
    generate = Model.generate

    @functools.wraps(generate)
    async def generated(model: Model, *args: Any, **kwargs: Any) -> ModelOutput:
        send_again(model.api)
        return await generate(model, *args, **kwargs)

    setattr(Model, "generate", generated)  # noqa: B010 - mypy allows no method to be assigned


def pauses(
    api: ModelAPI, timeout: float | None = None, *, chance: Callable[[], float] = random.random
) -> Callable[[Any], float]:
    """Return the function from tenacity's state of a request to the seconds until it is sent again.

    Half a second at first, then twice as long each time up to a minute, less a quarter by chance; where the server asks
    for a pause, that long, and a tenth more by chance, so that not all requests come back at once.

    Args:
        api: The provider, which reads what a server asks for.
        timeout: Seconds since the request was first sent that a pause does not go beyond; by default those of the
            request that failed.
        chance: Returns a number from 0 to 1.
    """

    def pause(attempts: Any) -> float:
        asked = _asked(api, attempts.outcome.exception() if attempts.outcome else None)
        if asked is None:
            doubled: float = FIRST_PAUSE * 2.0 ** min(attempts.attempt_number - 1, 10)
            seconds = min(MOST_PAUSE, doubled) * (1 - chance() / 4)
        else:
            seconds = min(MOST_ASKED, asked) * (1 + chance() / 10)
        most = _timeout.get() if timeout is None else timeout
        since: float = attempts.seconds_since_start or 0.0
        return seconds if most is None else min(seconds, max(0.0, most - since))

    return pause


def _checked(api: ModelAPI) -> Callable[..., Any]:
    """Return a provider's `generate` that raises `FaultyResponseError`, and ends loops of tool calls without tools."""
    generate = api.generate

    async def checked(input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> Any:  # noqa: A002 - inspect's
        _timeout.set(config.timeout)
        try:
            result = await generate(input=input, tools=tools, tool_choice=tool_choice, config=config)
            output, call = result if isinstance(result, tuple) else (result, None)
            if isinstance(output, ModelOutput):
                response = call.response if call and isinstance(call.response, dict) else {}
                _whole({"choices": output.choices, **response}, streamed=bool(call and call.request.get("stream")))
        except (FaultyResponseError, JSONDecodeError) as error:
            _faulty.set(_faulty.get() % (MOST_FAULTY + 1) + 1)  # begins anew after the last
            if isinstance(error, JSONDecodeError):
                raise FaultyResponseError(f"the server's response is not valid JSON: {error}") from error
            raise
        except Exception as error:
            if api.is_auth_failure(error):
                # The last line of a traceback is what is shown of it.
                variables = " or ".join(api.api_key_vars) or "the provider"
                error.add_note(f"the server refused the key of {variables} (401): {' '.join(str(error).split())}")
            raise
        _faulty.set(0)
        if isinstance(output, ModelOutput) and not tools and output.message.tool_calls:
            unasked = sum(bool(getattr(message, "tool_calls", None)) for message in input)
            output.message.tool_calls = None if unasked >= MOST_UNASKED else output.message.tool_calls
        return result

    return checked


def _whole(response: dict[str, Any], *, streamed: bool = False) -> dict[str, Any]:
    """Return a response, in the format of OpenAI's chat completions if it has choices, that holds a whole answer.

    Raises:
        FaultyResponseError: It holds none.
    """
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if error := response.get("error") or first.get("error") or (first.get("finish_reason") == "error" and "no reason"):
        raise FaultyResponseError(f"the server's response holds an error: {error}")
    if "choices" in response and not choices:
        raise FaultyResponseError("the server's response has no choices")
    if streamed and first and first.get("finish_reason") is None:
        # A proxy that loses its server may end a stream in good order; only the reason for the end is missing then.
        raise FaultyResponseError("the server ended its stream in the middle of an answer")
    return response


def _retried(api: ModelAPI) -> Callable[[Exception], bool | RetryDecision]:
    should_retry = api.should_retry

    def retried(error: Exception) -> bool | RetryDecision:
        if isinstance(error, FaultyResponseError):
            return RetryDecision.transient() if _faulty.get() <= MOST_FAULTY else RetryDecision.no()
        return should_retry(error)

    return retried


def _asked(api: ModelAPI, error: BaseException | None) -> float | None:
    decision = api.should_retry(error) if isinstance(error, Exception) else None
    return decision.retry_after if isinstance(decision, RetryDecision) else None
