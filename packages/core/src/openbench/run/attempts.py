"""What it took to answer a sample besides its last attempt: requests that were sent again, and attempts that failed.

It is in the sample's store under `KEY`, with either engine, and only if there was any of it:

    {"retries": 3, "waited": 4.1, "model_usage": {"openai/gpt-4.1": {…}}, "role_usage": {}}

How many attempts failed, and why, is in the log's `error_retries`, and the time of the last in `total_time`.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

from openbench.run.usage import Usage, total

KEY = "openbench:attempts"

current: ContextVar["Attempts | None"] = ContextVar("openbench_attempts", default=None)
"""What the direct engine keeps of the sample that runs in a context; inspect's has samples' ids in its hooks."""


@dataclass
class Attempts:
    """What a sample took besides its last attempt.

    Attributes:
        retries: How often a request was sent again, the last attempt's included.
        waited: Seconds for which these requests waited before that.
        model_usage: By model, the tokens of attempts that failed and were followed by another.
        role_usage: The same by role.
    """

    retries: int = 0
    waited: float = 0.0
    model_usage: Usage = field(default_factory=dict)
    role_usage: Usage = field(default_factory=dict)

    def sent_again(self, seconds: float) -> None:
        """Count a request that is sent again after so many seconds."""
        self.retries += 1
        self.waited += seconds

    def failed(self, model_usage: Usage, role_usage: Usage) -> None:
        """Add what an attempt used that is followed by another."""
        self.model_usage = total([self.model_usage, model_usage])
        self.role_usage = total([self.role_usage, role_usage])

    def stored(self) -> dict[str, Any]:
        """Return what a sample's store gets of it: nothing, or an entry."""
        if not (self.retries or self.model_usage):
            return {}
        usages = {"model_usage": self.model_usage, "role_usage": self.role_usage}
        plain = {
            name: {of: used.model_dump(exclude_none=True) for of, used in usage.items()}
            for name, usage in usages.items()
        }
        return {KEY: {"retries": self.retries, "waited": round(self.waited, 3), **plain}}


def attempts_of(sample: EvalSample) -> Attempts:
    """Read what is in the store of a logged sample."""
    said: Mapping[str, Any] = sample.store.get(KEY) or {}
    usages = {
        name: {of: ModelUsage.model_validate(used) for of, used in said.get(name, {}).items()}
        for name in ("model_usage", "role_usage")
    }
    return Attempts(retries=said.get("retries", 0), waited=said.get("waited", 0.0), **usages)


def used_by(samples: Iterable[EvalSample]) -> tuple[Usage, Usage]:
    """Sum up by model, and by role, what samples used in all their attempts."""
    models: Usage = {}
    roles: Usage = {}
    for sample in samples:
        before = attempts_of(sample)
        models = total([models, sample.model_usage, before.model_usage])
        roles = total([roles, sample.role_usage, before.role_usage])
    return models, roles
