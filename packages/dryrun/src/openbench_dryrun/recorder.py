"""Records every request to a model, and stops it before it is made.

It is a hook of inspect-ai, which sees the requests to all models, including those that solvers and tools choose, before
the cache and the provider. It is imported late, since inspect-ai announces every hook.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate, Hooks, SampleStart, hooks
from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError

from openbench.baselines.models import BaselineAPI
from openbench_dryrun.request import Request

_first: dict[str, Request] | None = None
_running: dict[str, str] = {}


@contextmanager
def recording(models: Sequence[Model]) -> Iterator[dict[str, Request]]:
    """Record and stop all requests within the context, in which each task runs one sample at a time.

    Args:
        models: The models that may be asked to rank, which does not trigger the hook.

    Yields:
        The first request of each sample that would have generated text, by the sample's uuid.
    """
    global _first  # noqa: PLW0603 - inspect creates one instance of a hook per process
    # openbench-ranking calls this method of a provider or a baseline.
    apis = {id(model.api): model.api for model in models}.values()
    rankers: list[Any] = [api for api in apis if isinstance(api, BaselineAPI) or hasattr(api, "loglikelihoods")]
    for api in rankers:
        api.loglikelihoods = _refuse
    _first = {}
    try:
        yield _first
    finally:
        _first = None
        _running.clear()
        for api in rankers:
            del api.loglikelihoods


@hooks(name="openbench_dry_run", description="Stops requests in a dry run.")
class RecorderHooks(Hooks):
    """Records the first request of each sample."""

    def enabled(self) -> bool:
        """Return whether requests are being recorded."""
        return _first is not None

    async def on_sample_start(self, data: SampleStart) -> None:
        """Note the current sample of a task, which runs one at a time."""
        _running[data.eval_id] = data.sample_id

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Record a request and end the sample; this is the only exception of a hook that inspect propagates."""
        if _first is not None:
            request = Request(data.model_name, [*data.input], data.config, [*data.tools])
            _first.setdefault(_running.get(data.eval_id or "", ""), request)
            raise _stop()


async def _refuse(request: object) -> Sequence[float]:  # noqa: ARG001 - the signature of a `Ranker`
    raise _stop()


def _stop() -> LimitExceededError:
    return LimitExceededError("custom", value=1, limit=0, message="a dry run makes no requests")
