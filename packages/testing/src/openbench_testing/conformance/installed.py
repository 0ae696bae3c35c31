"""Which benchmarks can be checked."""

from openbench.errors import UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import canonical


def installed(catalog: Catalog, distribution: str | None = None) -> tuple[str, ...]:
    """Return every benchmark of every distribution, or of one, as `name@distribution`.

    Raises:
        UsageError: There is none.
    """
    found = tuple(
        f"{candidate.key}@{candidate.distribution}"
        for resolution in catalog.resolutions.values()
        for candidate in resolution.candidates
        if distribution is None or canonical(candidate.distribution) == canonical(distribution)
    )
    if not found:
        nothing = f"{distribution} provides no benchmarks" if distribution else "no benchmark is installed"
        raise UsageError(f"{nothing}. 'bench list' shows what is there.")
    return found
