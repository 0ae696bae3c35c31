"""The checks as pytest tests."""

from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from openbench.errors import UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench_testing.conformance.checks import BY_NAME, CHECKS
from openbench_testing.conformance.gather import conformance
from openbench_testing.conformance.installed import installed

if TYPE_CHECKING:
    import pytest

_installed = cache(Catalog.installed)  # every test uses it


class BenchmarkConformance:
    """Runs every check on benchmarks, one test per check; subclass it in a package's tests and name the benchmark.

    A check that is waived or does not apply is skipped with its reason.

    Attributes:
        benchmark: A benchmark's name, or `name@distribution`.
        distribution: Alternatively, a distribution whose benchmarks are all tested.
        only: The keys of the distribution's benchmarks to test; by default all.
        without: The keys of the distribution's benchmarks not to test.
    """

    benchmark: ClassVar[str | None] = None
    distribution: ClassVar[str | None] = None
    only: ClassVar[Collection[str] | None] = None
    without: ClassVar[Collection[str]] = ()

    def pytest_generate_tests(self, metafunc: "pytest.Metafunc") -> None:
        """Create a test for every check of every benchmark."""
        cases = [(reference, check.name) for reference in self.references() for check in CHECKS]
        names = [f"{reference.partition('@')[0]}-{check}" for reference, check in cases]
        metafunc.parametrize(("reference", "check"), cases, ids=names)

    def test_conformance(self, reference: str, check: str) -> None:
        """Test that a benchmark meets one requirement."""
        import pytest  # noqa: PLC0415 - `bench check` does not need pytest

        outcomes = {(outcome.benchmark, outcome.check): outcome for outcome in conformance(self.references())}
        outcome = outcomes[reference, check]
        if outcome.status == "failed":
            pytest.fail(f"{reference}: {outcome.message}\n({check}: {BY_NAME[check].requires})", pytrace=False)
        if outcome.status != "passed":
            pytest.skip(f"{outcome.status}: {outcome.message}")

    @classmethod
    def references(cls) -> tuple[str, ...]:
        """Return the tested benchmarks, as `name@distribution`.

        Raises:
            UsageError: The class names neither a benchmark nor a distribution, or it is not installed.
        """
        catalog = _installed()
        if cls.benchmark:
            return (find_benchmark(catalog, cls.benchmark).reference,)
        if not cls.distribution:
            raise UsageError(f"{cls.__name__} tests nothing. Set its benchmark or distribution to a name.")
        keys = {reference: reference.partition("@")[0] for reference in installed(catalog, cls.distribution)}
        chosen = keys.values() if cls.only is None else cls.only
        return tuple(reference for reference, key in keys.items() if key in chosen and key not in cls.without)
