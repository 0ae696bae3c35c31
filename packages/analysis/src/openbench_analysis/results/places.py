"""Finds results in files and in logs alike."""

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.run.paths import is_remote
from openbench_analysis.results.create import result_of
from openbench_analysis.results.files import is_result, read_result
from openbench_analysis.results.schema import Result
from openbench_analysis.runs import Run, find_logs, read_run
from openbench_analysis.systems import split_label
from openbench_dryrun.prices import Price


@dataclass(frozen=True)
class Entry:
    """A result and where it was found.

    Attributes:
        result: The result.
        location: Its file, or the log that it was made from.
        run: The log's samples; None for a file.
    """

    result: Result
    location: str
    run: Run | None = field(default=None, repr=False)


def read_entries(
    places: Sequence[str], prices: Mapping[str, Price] | None = None, *, level: float = 0.95
) -> tuple[list[Entry], list[str]]:
    """Read results from files and logs, and go on where one cannot be read.

    Args:
        places: Paths, directories, addresses or patterns of results and logs; `LABEL=PLACE` names the model of a place.
        prices: The prices of models, for the cost of logs.
        level: The confidence level of the intervals of logs.

    Returns:
        The results, and a message on each file that cannot be read.

    Raises:
        UsageError: A place does not exist, or holds neither results nor logs.
        LogError: None of the files can be read.
    """
    entries: list[Entry] = []
    problems: list[str] = []
    for place, label in dict(split_label(place) for place in places).items():
        for location in _locations(place, problems):
            try:
                entries.append(_entry(location, label, prices, level))
            except OpenbenchError as error:
                problems.append(str(error))
    if not entries:
        raise LogError("\n".join(problems))
    return entries, problems


def _entry(location: str, label: str | None, prices: Mapping[str, Price] | None, level: float) -> Entry:
    if not is_remote(location) and is_result(Path(location)):
        result = read_result(Path(location))
        return Entry(result.model_copy(update={"model": label}) if label else result, location)
    run = read_run(location, prices)
    return Entry(result_of(run, label=label, level=level), location, run)


def _locations(place: str, problems: list[str]) -> Iterator[str]:
    """Yield the results and logs at a place, and note JSON among results that is neither."""
    path = Path(place)
    if is_remote(place):
        yield from find_logs([place])[place]
        return
    if not path.exists() and glob.has_magic(place):
        matches = sorted(glob.glob(place, recursive=True))  # noqa: PTH207 - a pattern may be absolute
        if not matches:
            raise UsageError(f"{place}: nothing matches the pattern.")
        for match in matches:
            yield from _locations(match, problems)
        return
    if not path.is_dir():
        yield from [place] if is_result(path) else find_logs([place])[place]
        return
    files = sorted(path.rglob("*.json"))
    results = [file for file in files if is_result(file)]
    logs = _logs(place, has_results=bool(results))
    yield from map(str, results)
    yield from logs
    known = {*results, *map(Path, logs)}
    problems += [f"{file} is neither a result nor a log." for file in files if results and file not in known]


def _logs(place: str, *, has_results: bool) -> Sequence[str]:
    try:
        return [log for log in find_logs([place])[place] if not is_result(Path(log))]
    except UsageError as error:
        if has_results:
            return []
        raise UsageError(f"{place}: the directory holds neither results nor logs.") from error
