"""Benchmarks by the name that people read, where no key is meant."""

from collections.abc import Iterable, Iterator

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.resolution import Resolution


def key_shown_as(catalog: Catalog, name: str, unknown: UnknownNameError) -> str:
    """Return the key of the benchmark that has a display name (`BenchmarkMetadata.name`), for a name that is no key.

    The display name as it is written goes before one in another letter case.

    Args:
        catalog: Where to look.
        name: The name.
        unknown: What was said when it was looked for as a key.

    Raises:
        UnknownNameError: None has it, or a group has it as its key.
        UsageError: Several have it.
    """
    shown = [] if catalog.group(name) else list(_shown(catalog))
    found = {resolution.key for said, resolution in shown if said == name}
    found = found or {resolution.key for said, resolution in shown if said.casefold() == name.casefold()}
    if len(found) > 1:
        keys = ", ".join(sorted(found))
        raise UsageError(f"{name}: several benchmarks have this name: {keys}. Name one by its key.") from unknown
    if not found:
        first, line_break, rest = str(unknown).partition("\n")
        hint = "" if "Did you mean" in first else _hint(name, {said for said, _ in shown})
        raise UnknownNameError(f"{first}{hint}{line_break}{rest}") from unknown
    return found.pop()


def _hint(name: str, shown: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only an unknown name pays for it

    close = get_close_matches(name, shown, n=3, cutoff=0.6)
    return f" Display names like it: {', '.join(close)}." if close else ""


def _shown(catalog: Catalog) -> Iterator[tuple[str, Resolution]]:
    """Yield each display name and who has it; one whose place is taken is not shown, each one in a conflict is."""
    for resolution in catalog.resolutions.values():
        winner = resolution.winner
        for name in sorted({each.value.name for each in ([winner] if winner else resolution.candidates)}):
            yield name, resolution
