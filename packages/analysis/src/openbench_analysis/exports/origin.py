"""The provenance of a result, common to all exports."""

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import PurePath
from typing import Any

from openbench.errors import LogError
from openbench.redaction import redacted, redacted_text
from openbench_analysis.runs import Run, read_runs
from openbench_dryrun.prices import Price

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+")


def origin_of(run: Run) -> dict[str, Any]:
    """Return which benchmark produced a run, in which version and by which rule, and which rows it read.

    Of a log without our provenance, all but the dataset's place is None.
    """
    provenance, dataset = run.provenance, dataset_of(run)
    return {
        "distribution": provenance.distribution,
        "version": provenance.version,
        "core": provenance.core or None,
        "rule": provenance.rule or None,
        "in_place_of": list(provenance.in_place_of),
        "sample_rows": provenance.sample,
        "dataset": _place(dataset.get("source")),
        "dataset_config": dataset.get("config"),
        "dataset_split": dataset.get("split"),
        "dataset_revision": dataset.get("revision"),
        "dataset_rows": dataset.get("rows"),
        "dataset_sha256": dataset.get("sha256") or dataset.get("file_sha256"),
        "prompt_sha256": provenance.prompt or None,
        "inspect_ai": run.log.eval.packages.get("inspect_ai"),
    }


def _place(source: str | None) -> str | None:
    """Return a dataset's place, of a file on this machine its name alone."""
    return PurePath(source).name if source and PurePath(source).is_absolute() else source


def dataset_of(run: Run) -> Mapping[str, Any]:
    """Return the rows that a run read, as `Provenance.dataset` has them; of another program's log, only their place."""
    if run.provenance:
        return run.provenance.dataset
    place = run.log.eval.dataset.location or run.log.eval.dataset.name
    return {"source": redacted_text(place), "rows": run.log.eval.dataset.samples} if place else {}


def hub_dataset(run: Run) -> str | None:
    """Return the Hub dataset that a run read, as `organisation/name`; None if it read something else."""
    dataset = dataset_of(run)
    source = str(dataset.get("source") or "")
    return source if _HUB_NAME.fullmatch(source) and not dataset.keys() & {"bundled", "file_sha256"} else None


def generation_of(run: Run) -> dict[str, Any]:
    """Return the settings by which a run's model generated, without secrets: the task's, and the model's over them."""
    configs = (run.log.plan.config, run.log.eval.model_generate_config)
    settings = [config.model_dump(mode="json", exclude_none=True) for config in configs]
    merged: dict[str, Any] = redacted({**settings[0], **settings[1]})
    return merged


def slug(*parts: str) -> str:
    """Return a file name without a suffix, made of parts that may hold any characters."""
    return "_".join(_UNSAFE.sub("-", part).strip("-.") or "-" for part in parts)


def finite(value: float | None) -> float | None:
    """Return a figure, or None if it is not finite: NaN and infinities are not valid JSON."""
    return value if value is not None and isfinite(value) else None


def require_runs(paths: Iterable[str], prices: Mapping[str, Price] | None = None) -> tuple[list[Run], list[str]]:
    """Read logs; those that cannot be read are left out.

    Returns:
        The runs, and a message on each log that is left out.

    Raises:
        LogError: None can be read.
    """
    runs, problems = read_runs([*paths], prices)
    if not runs:
        raise LogError("\n".join(problems))
    return runs, problems
