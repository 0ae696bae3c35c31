"""Writes results to a folder and reads them: `results/<model>/<benchmark>@<version>.json`."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.registry.names import printable
from openbench_analysis.rendering.files import write_text
from openbench_analysis.results.create import result_of
from openbench_analysis.results.schema import FORMAT, Result
from openbench_analysis.runs import find_logs, read_run
from openbench_analysis.systems import split_label
from openbench_dryrun.prices import Price

Outcome = Literal["added", "unchanged", "updated", "replaced"]

_UNSAFE = re.compile(r"[^\w.,=@+-]+")
_MOST = 120  # bytes of a name
_HEAD = re.compile(rb'"format":\s*"openbench-result/')
_BEGINNING = 4096  # bytes; a log may be large


@dataclass(frozen=True)
class Added:
    """The outcome of adding a result.

    Attributes:
        path: Its file.
        outcome: `added`; `unchanged`, if the file held the same; `updated`, if it held other figures of the same run;
            `replaced`, if it held another run.
    """

    path: Path
    outcome: Outcome


def result_path(folder: Path, result: Result) -> Path:
    """Return the file of a result: one for each model, benchmark, version and arguments of the task."""
    given = [f"{name}={value}" for name, value in sorted(result.settings.arguments.items())]
    name = _safe(",".join([result.name, *given]), _MOST)
    return folder / _safe(result.model.replace("/", "__"), _MOST) / f"{name}.json"


def add_result(folder: Path, result: Result, *, replace: bool = False) -> Added:
    """Write a result.

    Args:
        folder: The folder of results.
        result: The result.
        replace: Whether another run's result may be replaced.

    Raises:
        UsageError: The file holds another run, and is not to be replaced, or cannot be written.
        LogError: The file holds something else.
    """
    path, text = result_path(folder, result), result.text()
    outcome: Outcome = "added"
    if path.exists():
        old = read_result(path)
        if old.model != result.model:
            raise UsageError(f"{path} holds a result of {printable(old.model)}: give {result.model} a LABEL=.")
        if old.run != result.run and not replace:
            raise UsageError(
                f"{path} holds another run, of {old.date}: {old.score.metric} {old.score.value:.4g}; the new one, of "
                f"{result.date}, has {result.score.value:.4g}. Use --replace, or give one a name of its own: LABEL=LOG."
            )
        same = old.text() == text
        outcome = "unchanged" if same else "updated" if old.run == result.run else "replaced"
    if outcome != "unchanged":
        write_text(path, text)
    return Added(path, outcome)


def add_logs(
    places: Sequence[str], folder: Path, prices: Mapping[str, Price] | None = None, *, replace: bool = False
) -> tuple[list[Added], list[str]]:
    """Add the results of logs, and go on where one cannot be added.

    Args:
        places: Paths, directories, addresses or patterns; `LABEL=PLACE` names the model of a place's logs.
        folder: The folder of results.
        prices: The prices of models, for the cost.
        replace: Whether results of other runs may be replaced.

    Returns:
        What came of each result, and a message on each log that was not added.

    Raises:
        UsageError: A place does not exist or holds no logs.
    """
    added, problems = [], []
    labels = dict(split_label(place) for place in places)
    for place, paths in find_logs(list(labels)).items():
        for path in paths:
            try:
                result = result_of(read_run(path, prices), label=labels[place])
                added.append(add_result(folder, result, replace=replace))
            except OpenbenchError as error:
                problems.append(str(error))
    return added, problems


def read_result(path: Path) -> Result:
    """Read a result.

    Raises:
        LogError: The file cannot be read, is not a result, or has a later format.
    """
    return _parsed(path, _content(path))


def is_result(path: Path) -> bool:
    """Return whether a file says at its beginning that it is a result, readable or not."""
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return _HEAD.search(file.read(_BEGINNING)) is not None


def _content(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # of JSON and of UTF-8
        raise LogError(f"{path} cannot be read as a result: it is not valid JSON: {printable(str(error))}.") from error


def _parsed(path: Path, data: Any) -> Result:
    given = data.get("format") if isinstance(data, dict) else None
    if given != FORMAT:
        newer = isinstance(given, str) and given.startswith(FORMAT.rpartition("/")[0])
        reason = (
            f"its format is {printable(str(given))}, of another openbench-analysis"
            if newer
            else "it has no known format"
        )
        raise LogError(f"{path} cannot be read as a result: {reason}; expected {FORMAT}.")
    try:
        return Result.model_validate(data)
    except ValidationError as error:
        raise LogError(f"{path} cannot be read as a result: {'; '.join(_faults(error.errors()))}.") from error


def _faults(errors: Sequence[Any]) -> Iterator[str]:
    for error in errors:
        yield f"{printable('.'.join(map(str, error['loc'])))}: {printable(error['msg'])}"


def _safe(name: str, most: int) -> str:
    """Return a name that files can have everywhere; a digest ends what is cut or would be hidden."""
    safe = _UNSAFE.sub("-", name)
    if len(safe.encode()) <= most and not safe.startswith(".") and safe:
        return safe
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{safe.encode()[: most - len(digest) - 1].decode(errors='ignore').lstrip('.')}-{digest}"
