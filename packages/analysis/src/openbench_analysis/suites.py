"""The benchmarks of installed suites."""

from collections.abc import Mapping, Sequence

from openbench.errors import UnknownNameError
from openbench.registry.catalog import Catalog


def members_of(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the keys of each suite's benchmarks.

    Raises:
        UnknownNameError: No installed distribution provides a suite of that name.
    """
    catalog = Catalog.installed()
    members = {}
    for name in names:
        group = catalog.group(name)
        if group is None:
            known = ", ".join(sorted(each.key for each in catalog.groups.values())) or "none is installed"
            raise UnknownNameError(f"--suite {name!r}: no such suite. Suites: {known}.")
        members[group.key] = list(group.value.benchmarks)
    return members
