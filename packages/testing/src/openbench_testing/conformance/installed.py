"""Lists the benchmarks that can be checked."""

from openbench.errors import UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import canonical


def installed(catalog: Catalog, distribution: str | None = None) -> tuple[str, ...]:
    """Return all installed benchmarks, or those of one distribution, as `name@distribution`.

    Raises:
        UsageError: No benchmark is installed.
    """
    found = tuple(
        f"{candidate.key}@{candidate.distribution}"
        for resolution in catalog.resolutions.values()
        for candidate in resolution.candidates
        if distribution is None or canonical(candidate.distribution) == canonical(distribution)
    )
    if not found:
        nothing = f"{distribution} provides no benchmarks" if distribution else "no benchmark is installed"
        raise UsageError(f"{nothing}. See 'bench list'.")
    return found
