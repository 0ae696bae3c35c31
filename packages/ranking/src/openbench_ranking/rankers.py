"""The ranker of a model: its provider, a baseline, or one that a distribution registers for the provider.

A distribution adds log-probabilities to one of Inspect's own providers through an entry point in the group
`openbench.rankers`. Its name is the provider, as before the first slash of `--model`, and its object a function from a
`Model` to a `Ranker`.
"""

from collections.abc import Sequence
from functools import lru_cache

from inspect_ai.model import Model
from inspect_ai.util import collect

from openbench.baselines.models import BaselineAPI
from openbench.registry.discovery import by_name
from openbench.registry.plugin_loader import load_function
from openbench_ranking.baselines import BaselineRanker
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.request import Ranker, RankingRequest

RANKERS = "openbench.rankers"


def ranker_of(model: Model) -> Ranker | None:
    """Return the ranker of a model; None if it has none.

    Raises:
        UsageError: The ranker registered for its provider cannot be loaded.
    """
    if isinstance(model.api, Ranker):
        return model.api
    if isinstance(model.api, BaselineAPI):
        return BaselineRanker(model.api)
    return _registered(model)


async def ranked(ranker: Ranker, request: RankingRequest) -> Sequence[float | ContinuationScore]:
    """Return a ranker's score of each continuation; those with contexts of their own are requested separately."""
    if not request.contexts or isinstance(ranker, BaselineRanker):
        return await ranker.loglikelihoods(request)
    found = await collect(*(ranker.loglikelihoods(each) for each in request.separate()))
    return [value for (value,) in found]


@lru_cache(maxsize=64)  # a ranker probes its server's abilities only once
def _registered(model: Model) -> Ranker | None:
    provider = str(model).partition("/")[0]
    found = by_name(RANKERS).get(provider)
    return load_function(f"log-probabilities of {provider}", found)(model) if found else None
