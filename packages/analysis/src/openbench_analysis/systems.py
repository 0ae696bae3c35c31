"""Groups runs into systems: what is compared, such as a model, or a setting of one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openbench.errors import LogError, UsageError
from openbench_analysis.runs import Run, find_logs, read_runs
from openbench_dryrun.prices import Price


@dataclass(frozen=True)
class System:
    """The unit of comparison: one model, with its settings, on some benchmarks.

    Attributes:
        label: Its name in tables: the model's, or the one that the user gave.
        runs: Its runs by benchmark; where several runs of a benchmark differ in arguments, these follow the name.
    """

    label: str
    runs: Mapping[str, Run]


@dataclass(frozen=True)
class Collection:
    """The systems that places name.

    Attributes:
        systems: The systems, in the order of the places.
        problems: What could not be read or was left out, a message each.
    """

    systems: Sequence[System]
    problems: Sequence[str]

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks that any system ran, in the order of first appearance."""
        return list(dict.fromkeys(name for system in self.systems for name in system.runs))


def read_systems(places: Sequence[str], prices: Mapping[str, Price] | None = None) -> Collection:
    """Read the logs at some places and group them.

    Runs of one model are one system, wherever they are. If a model ran a benchmark twice, each place is a system of its
    own, and within a place the newest run counts.

    Args:
        places: Paths, directories, addresses or patterns; `LABEL=PLACE` names the system of a place's runs.
        prices: The prices of models, for costs.

    Raises:
        UsageError: A place does not exist or holds no logs.
        LogError: None of the logs can be read.
    """
    labels = dict(split_label(place) for place in places)
    placed: list[tuple[str, Run]] = []
    problems: list[str] = []
    for place, paths in find_logs(list(labels)).items():
        runs, unread = read_runs(paths, prices)
        placed += [(place, run) for run in runs]
        problems += unread
    if not placed:
        raise LogError("\n".join(problems))
    systems, left_out = group(placed, {place: label for place, label in labels.items() if label})
    return Collection(systems, [*problems, *left_out])


def group(placed: Sequence[tuple[str, Run]], labels: Mapping[str, str]) -> tuple[list[System], list[str]]:
    """Group runs into systems.

    Args:
        placed: The runs, each with the place that it was found at, oldest first within a place.
        labels: The labels that the user gave to places.

    Returns:
        The systems, and a message on each run that a newer one stands for.
    """
    names = _benchmark_names(placed)
    counts = Counter((labels.get(place), run.model, name) for (place, run), name in zip(placed, names, strict=True))
    several = len({place for place, _ in placed}) > 1
    repeated = {model for (label, model, _), count in counts.items() if several and count > 1 and label is None}
    short = _short(dict.fromkeys(place for place, _ in placed))
    systems: defaultdict[str, dict[str, Run]] = defaultdict(dict)
    left_out = []
    for (place, run), name in zip(placed, names, strict=True):
        label = labels.get(place) or (f"{run.model} ({short[place]})" if run.model in repeated else run.model)
        if older := systems[label].get(name):
            left_out.append(f"{older.location} is left out: {run.location} is a newer run of {name} by {label}.")
        systems[label][name] = run
    return [System(label, runs) for label, runs in systems.items()], left_out


def split_label(place: str) -> tuple[str, str | None]:
    """Return a place and the label before it, if there is one: of `before=logs/old`, `logs/old` and `before`.

    Raises:
        UsageError: One of them is empty.
    """
    label, equals, rest = place.partition("=")
    if not equals or Path(place).exists() or "/" in label:
        return place, None
    if not label or not rest:
        raise UsageError(f"{place!r}: expected LABEL=PLACE, such as before=logs/old.")
    return rest, label


def _short(places: Iterable[str]) -> Mapping[str, str]:
    """Return the last part of each place, or the whole where two would be the same."""
    short = {
        place: Path(place).stem if Path(place).suffix in {".eval", ".json"} else Path(place).name for place in places
    }
    counts = Counter(short.values())
    return {place: name if name and counts[name] == 1 else place for place, name in short.items()}


def _benchmark_names(placed: Sequence[tuple[str, Run]]) -> list[str]:
    """Return the benchmark of each run, with those arguments that differ between runs of one model at one place."""
    variants: defaultdict[str, dict[tuple[str, str], list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for place, run in placed:
        variants[run.benchmark][place, run.model].append(run.log.eval.task_args)
    varying = {
        benchmark: [
            name
            for name in dict.fromkeys(name for args in of.values() for each in args for name in each)
            if any(len({str(each.get(name)) for each in args}) > 1 for args in of.values())
        ]
        for benchmark, of in variants.items()
    }
    return [_named(run, varying[run.benchmark]) for _, run in placed]


def _named(run: Run, names: Sequence[str]) -> str:
    given = ", ".join(f"{name}={run.log.eval.task_args[name]}" for name in names if name in run.log.eval.task_args)
    return f"{run.benchmark} ({given})" if given else run.benchmark
