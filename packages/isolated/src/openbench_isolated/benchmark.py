"""A benchmark that is installed in another environment; its code is not imported here."""

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
    """A benchmark, as described by its environment.

    Attributes:
        environment: The environment in which it is installed.
        read: The parameters of its task function.
    """

    environment: Environment
    read: Signature

    @property
    def there(self) -> str:
        """Its name in its environment: `name@distribution`."""
        return f"{self.key}@{self.distribution}"

    @property
    def reference(self) -> str:
        """Its name with its version: `name@distribution==version`."""
        return f"{self.there}=={self.version}"

    def signature(self) -> Signature:
        """Return the task function's signature, read in the environment."""
        return self.read

    def task_function(self) -> Callable[..., Any]:
        """Raise an error: the task function is in another environment.

        Raises:
            OpenbenchError: Always.
        """
        raise OpenbenchError(f"{self.reference} is installed in {self.environment.folder} and cannot be imported here.")

    def _folder(self) -> Path | None:
        return None


def isolated_benchmark(
    environment: Environment, found: Description, here: Resolution | None, why: str
) -> IsolatedBenchmark:
    """Return a benchmark from an environment's description.

    Args:
        environment: The environment.
        found: Its description.
        here: How the name was resolved here; None if it is unknown here.
        why: The user's choice, if it is unknown here.
    """
    winner = Provided(found.key, found.metadata, found.distribution, found.version)
    if here:
        candidates = [winner if each is here.winner else each for each in here.candidates]
        resolution = here._replace(candidates=candidates, winner=winner)
    else:
        resolution = Resolution(found.key, [winner], winner, "chosen", why)
    return IsolatedBenchmark(found.key, found.metadata, resolution, environment=environment, read=found.signature)
