"""Reads the systems that a gate judges; it needs samples, which files of results lack."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from openbench.errors import UsageError
from openbench.run.paths import is_remote
from openbench_analysis.results.files import is_result
from openbench_analysis.systems import System, read_systems
from openbench_dryrun.prices import Price


def read_system(
    places: Sequence[str], what: str, prices: Mapping[str, Price] | None = None
) -> tuple[System, Sequence[str]]:
    """Read the one system that places name.

    Args:
        places: Paths, directories, addresses or patterns of logs; `LABEL=PLACE` names it.
        what: What messages call it.
        prices: The prices of models, for costs.

    Returns:
        The system, and a message on each log that cannot be read or is left out.

    Raises:
        UsageError: They name results, no logs or several systems.
        LogError: None of the logs can be read.
    """
    for place in places:
        _refuse_results(place.rpartition("=")[2], what)
    found = read_systems(places, prices)
    if len(found.systems) > 1:
        labels = ", ".join(system.label for system in found.systems)
        raise UsageError(f"the {what}'s logs are of several systems: {labels}. Name the logs of one.")
    return found.systems[0], found.problems


def _refuse_results(place: str, what: str) -> None:
    path = Path(place)
    if is_remote(place) or not path.exists():
        return
    files = path.rglob("*.json") if path.is_dir() else [path]
    if any(is_result(file) for file in files) and (path.is_file() or not any(path.rglob("*.eval"))):
        raise UsageError(
            f"{place} holds results, without samples: a gate compares sample by sample. Name the {what}'s logs."
        )
