"""A benchmark that is installed in another environment: nothing of its code is imported here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench.registry.resolution import Provided, Resolution
from openbench.registry.sources import Signature
from openbench_isolated.answers import Description
from openbench_isolated.environments import Environment


@dataclass(frozen=True, kw_only=True)
class IsolatedBenchmark(Benchmark):
    """A benchmark as its environment describes it.

    Attributes:
        environment: Where it is installed.
        read: What its task function takes.
    """

    environment: Environment
    read: Signature

    @property
    def there(self) -> str:
        """What finds it in its environment: `name@distribution`."""
        return f"{self.key}@{self.distribution}"

    @property
    def reference(self) -> str:
        """What tells it from other versions of the same benchmark: `name@distribution==version`."""
        return f"{self.there}=={self.version}"

    def signature(self) -> Signature:
        """Return the task function's signature, as it was read in the environment."""
        return self.read

    def task_function(self) -> Callable[..., Any]:
        """Refuse: the task function is not here.

        Raises:
            OpenbenchError: Always.
        """
        raise OpenbenchError(
            f"{self.reference} is installed in {self.environment.folder}, and cannot be imported here."
        )

    def _folder(self) -> Path | None:
        return None


def isolated_benchmark(
    environment: Environment, found: Description, here: Resolution | None, why: str
) -> IsolatedBenchmark:
    """Make a benchmark of an environment's description.

    Args:
        environment: The environment.
        found: Its description.
        here: How the name was won here; None if it is not known here.
        why: What the user said instead.
    """
    winner = Provided(found.key, found.metadata, found.distribution, found.version)
    if here:
        candidates = [winner if each is here.winner else each for each in here.candidates]
        resolution = here._replace(candidates=candidates, winner=winner)
    else:
        resolution = Resolution(found.key, [winner], winner, "chosen", why)
    return IsolatedBenchmark(found.key, found.metadata, resolution, environment=environment, read=found.signature)
