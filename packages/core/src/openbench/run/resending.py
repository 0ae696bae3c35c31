"""When a request that failed is sent again: after as long as the server asks for, else after pauses that grow.

Left to themselves, two loops send a request again: the client of a provider's SDK, twice and unseen, and around it
inspect's, which counts to `max_retries` and tells hooks, but does not heed Retry-After. Here inspect's is the only one,
and heeds what the server asks for: so `--max-retries 2` means three requests, and every pause is seen.
"""

import random
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from inspect_ai.model import ModelAPI, RetryDecision

from openbench.errors import OpenbenchError

FIRST_PAUSE = 0.5
MOST_PAUSE = 60.0
MOST_ASKED = 600.0
"""Seconds of what a server may ask for; one that asks for more is asked again by then."""


class Attempts(Protocol):
    """What tenacity tells of a request: how often it was sent, what came of it, and how long that took."""

    @property
    def attempt_number(self) -> int: ...  # noqa: D102 - tenacity's

    @property
    def seconds_since_start(self) -> float | None: ...  # noqa: D102 - tenacity's

    @property
    def outcome(self) -> "_Outcome | None": ...  # noqa: D102 - tenacity's


class _Outcome(Protocol):
    def exception(self) -> BaseException | None: ...


def send_again(api: ModelAPI, timeout: float | None = None) -> None:
    """Let inspect alone send a provider's failed requests again, after pauses as they are here.

    A stream that was cut off is no answer, either; its sample ends in an error.

    Args:
        api: The provider. One that decides on its own pauses keeps them, and one whose client was told how often to
            retry (`-M max_retries=N`) keeps that.
        timeout: Seconds after which no pause lasts longer.
    """
    # The SDKs of OpenAI, Anthropic, Groq and others are made by one generator: their clients take this argument.
    own, client = getattr(api, "model_args", None), getattr(api, "client", None)
    if client is not None and isinstance(own, dict) and isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = own.setdefault("max_retries", 0)
    if (completed := getattr(api, "stream_completion", None)) is not None:
        setattr(api, "stream_completion", _whole(completed))  # noqa: B010 - as below
    if type(api).retry_wait is ModelAPI.retry_wait:
        wait = pauses(api, timeout)
        setattr(api, "retry_wait", lambda: wait)  # noqa: B010 - mypy allows no method to be assigned


def pauses(
    api: ModelAPI, timeout: float | None = None, *, chance: Callable[[], float] = random.random
) -> Callable[[Attempts], float]:
    """Return the function from what came of a request to the seconds until it is sent again.

    Half a second at first, then twice as long each time up to a minute, less a quarter by chance; where the server asks
    for a pause, that long, and a tenth more by chance, so that not all requests come back at once.

    Args:
        api: The provider, which reads what a server asks for.
        timeout: Seconds since the request was first sent that a pause does not go beyond.
        chance: Returns a number from 0 to 1.
    """

    def pause(attempts: Attempts) -> float:
        asked = _asked(api, attempts.outcome.exception() if attempts.outcome else None)
        if asked is None:
            seconds = min(MOST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempts.attempt_number - 1, 10)) * (1 - chance() / 4)
        else:
            seconds = min(MOST_ASKED, asked) * (1 + chance() / 10)
        if timeout is None:
            return seconds
        return min(seconds, max(0.0, timeout - (attempts.seconds_since_start or 0.0)))

    return pause


def _whole(completed: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """Return what reads a stream of OpenAI's chunks to its end, and takes none for an answer that was cut off.

    A proxy that loses its server may end a stream in good order; only the reason for the end is missing then.
    """

    async def complete(stream: Any) -> Any:
        completion = await completed(stream)
        if any(choice.finish_reason is None for choice in completion.choices):
            raise OpenbenchError("the server ended its stream in the middle of an answer")
        return completion

    return complete


def _asked(api: ModelAPI, error: BaseException | None) -> float | None:
    decision = api.should_retry(error) if isinstance(error, Exception) else None
    return decision.retry_after if isinstance(decision, RetryDecision) else None
