"""Builds the task of a declaration."""

from collections.abc import Hashable, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from openbench.datasets import Rows, load_samples
from openbench.errors import DataError
from openbench.tasks.provenance import METADATA_KEY
from openbench_authoring.cue import CUE_KEY, answer_after_cue
from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.inherited import changed_task, inherited
from openbench_authoring.declarative.lettered import asks_for_letters, show_options
from openbench_authoring.declarative.mapping import category_of, row_mapping
from openbench_authoring.declarative.parts import Parts, generate_config, has_cue, own_metadata, parts_of, solver_chain
from openbench_authoring.declarative.sampling import shaped
from openbench_authoring.declarative.shots import shots_of
from openbench_authoring.declarative.sources import rows_of


def build_declared(name: str, config: BenchmarkConfig) -> Task:
    """Build the task of a declaration whose bases, if they are declarations, are resolved.

    Raises:
        UsageError: The declaration is invalid.
        DataError: The rows cannot be loaded, or one does not fit.
    """
    base = inherited(name, config) if config.base is not None else None
    if base and base.task:
        return changed_task(name, config, base)
    if base and base.config:
        config = base.config
    parts = parts_of(name, config)
    entry: dict[str, Any] = {"components": [dict(each) for each in parts.components]}
    return Task(
        name=name,
        dataset=_dataset(name, config, parts),
        solver=solver_chain(config, parts.solver),
        scorer=parts.scorer,
        epochs=config.epochs,
        config=generate_config(name, config.generate),
        metadata={**own_metadata(config), METADATA_KEY: {**entry, **({"base": base.provenance} if base else {})}},
    )


def _dataset(name: str, config: BenchmarkConfig, parts: Parts) -> Dataset:
    rows = rows_of(config)
    lettered = parts.lettered or config.show_choices is True
    every = load_samples(rows, row_mapping(config, lettered=lettered), name=name)
    row_of = {str(sample.id): row for sample, row in zip(every, rows.rows, strict=True)}
    shows = not parts.offers_choices and config.show_choices is not False and asks_for_letters(every)
    shots = shots_of(config, rows, offers_choices=parts.offers_choices, shows_choices=shows, lettered=lettered or shows)
    samples = shaped(list(every), _categories(rows, config) if config.sampling else None, config)
    for sample in samples:
        if shows:
            show_options(sample)
        if shots:
            shots.put_before(sample, row_of[str(sample.id)])
        if has_cue(config):
            _give_cue(sample, config)
    return MemoryDataset(samples, name=name, location=every.location)


def _categories(rows: Rows, config: BenchmarkConfig) -> Sequence[Hashable]:
    categories = []
    for number, row in enumerate(rows.rows, start=1):
        try:
            categories.append(category_of(row, config, config.sampling_by or ""))
        except ValueError as error:
            raise DataError(f"row {number} of {rows.label}: {error}") from error
    return categories


def _give_cue(sample: Sample, config: BenchmarkConfig) -> None:
    """Give a sample the cue, and take it off its targets: the answer is what comes after it."""
    sample.metadata = {CUE_KEY: config.cue, **(sample.metadata or {})}
    cue = sample.metadata[CUE_KEY]
    if isinstance(cue, str):
        targets = [sample.target] if isinstance(sample.target, str) else sample.target
        after = [answer_after_cue(target, cue) for target in targets]
        sample.target = after if isinstance(sample.target, list) else after[0]
