"""Scores recorded completions with the original's code and with a benchmark's scorer."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openbench.datasets import bundled_rows, content_digest
from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import secret_variables
from openbench.registry.benchmark import Benchmark
from openbench_testing.fidelity import child
from openbench_testing.fidelity.adapter import Adapter, Record, Verdict


@dataclass(frozen=True)
class Scored:
    """A recorded completion with both verdicts.

    Attributes:
        record: The completion.
        sample: The id of its sample.
        original: The original's verdict.
        ours: The benchmark's verdict.
        answer: The answer that the benchmark extracted from the completion.
        same: Whether the verdicts are the same.
    """

    record: Record
    sample: str
    original: Verdict
    ours: Verdict
    answer: str
    same: bool


def measure(benchmark: Benchmark, adapter: Adapter, completions: Path, code: Path, python: str) -> list[Scored]:
    """Score every recorded completion with both.

    Args:
        benchmark: The benchmark; its task is built with the default arguments on the rows of the records.
        adapter: Reads the completions, and runs the original.
        completions: The directory of the completions.
        code: The folder of the original's code.
        python: The interpreter that runs it.

    Raises:
        UsageError: There are no completions, or one is invalid.
        OpenbenchError: The original, or the benchmark's scorer, failed.
    """
    try:
        records = list(adapter.recorded(benchmark.key, completions))
    except (OSError, ValueError, LookupError) as error:
        raise UsageError(
            f"{adapter.path} cannot read the completions in {completions}: {type(error).__name__}: {error}"
        ) from error
    if not records:
        raise UsageError(f"{completions} contains no recorded completions of {benchmark.key}.")
    for number, record in enumerate(records, start=1):
        if not isinstance(record.get("row"), Mapping) or not isinstance(record.get("completion"), str):
            raise UsageError(f"{adapter.path}: record {number} needs a row and the text of a completion.")
    with tempfile.TemporaryDirectory(prefix="openbench-") as name:
        theirs = _original(benchmark.key, adapter, records, code, python, Path(name))
        ours = _ours(benchmark, records, Path(name))
    return [
        Scored(record, sample, original, own, answer, _same(original, own, adapter.TOLERANCE))
        for record, original, (sample, own, answer) in zip(records, theirs, ours, strict=True)
    ]


def _original(
    key: str, adapter: Adapter, records: Sequence[Record], code: Path, python: str, folder: Path
) -> list[Verdict]:
    given, verdicts = folder / "records.json", folder / "verdicts.json"
    given.write_text(json.dumps(records), "utf-8")
    script, module, place = (str(Path(each).resolve()) for each in (child.__file__, adapter.path, code))
    done = subprocess.run(  # noqa: S603 - the user names the code that runs
        [python, script, module, key, place, str(given), str(verdicts)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in secret_variables()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode or not verdicts.is_file():
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "it wrote no message")
        raise OpenbenchError(f"{key}: the original's code in {code} failed ({python}): {last.strip()}")
    found = [_verdict(value) for value in json.loads(verdicts.read_text("utf-8"))]
    if len(found) != len(records):
        raise OpenbenchError(
            f"{adapter.path}: original() returned {len(found)} verdicts for {len(records)} completions."
        )
    return found


def _verdict(value: Any) -> Verdict:
    if isinstance(value, Mapping):
        return {str(name): float(each) for name, each in value.items()}
    return None if value is None else float(value)


def _ours(benchmark: Benchmark, records: Sequence[Record], folder: Path) -> list[tuple[str, Verdict, str]]:
    """Return each record's sample, verdict and answer: a row is a sample, and its completions are its epochs."""
    from openbench_testing.fidelity.scoring import scored  # noqa: PLC0415 - imports inspect, which is slow

    rows: dict[str, Mapping[str, Any]] = {}
    completions: dict[str, list[str]] = defaultdict(list)
    places = []
    for record in records:
        digest = content_digest(dict(record["row"]))
        rows[digest] = record["row"]
        places.append((digest, len(completions[digest])))
        completions[digest].append(record["completion"])
    directory = folder / "rows"
    if own := benchmark.samples_directory():  # for the splits of few-shot examples
        shutil.copytree(own, directory)
    directory.mkdir(exist_ok=True)
    split = _split(benchmark, directory)
    lines = "".join(json.dumps(row) + "\n" for row in rows.values())
    (directory / f"{split}.jsonl").write_text(lines, "utf-8")
    with bundled_rows(directory):
        found = scored(benchmark, list(completions.values()), str(folder / "logs"))
    by_row = dict(zip(rows, found, strict=True))
    return [by_row[digest][epoch] for digest, epoch in places]


def _split(benchmark: Benchmark, directory: Path) -> str:
    source = benchmark.metadata.dataset
    if source and source.split:
        return source.split
    return next((file.stem for file in sorted(directory.glob("*.jsonl"))), "test")


def _same(original: Verdict, ours: Verdict, tolerance: float) -> bool:
    if isinstance(original, Mapping):
        return isinstance(ours, Mapping) and all(
            name in ours and _same(value, ours[name], tolerance) for name, value in original.items()
        )
    if original is None or ours is None or isinstance(ours, Mapping):
        return original is ours
    return math.isclose(original, ours, rel_tol=0, abs_tol=tolerance)


def interpreter(python: str | None) -> str:
    """Return the interpreter for an original's code: by default, the current one.

    Raises:
        UsageError: The program does not exist.
    """
    if python is None:
        return sys.executable
    found = shutil.which(python)
    if found is None:
        raise UsageError(f"--python {python}: the program does not exist.")
    return str(Path(found).absolute())
