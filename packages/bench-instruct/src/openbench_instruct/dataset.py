"""From the rows of IFEval and IFBench, which have the same columns, to samples."""

from typing import Any

from inspect_ai.dataset import Dataset, Sample

from openbench.datasets import load_samples, read_rows
from openbench.metadata import DatasetSource
from openbench_instruct.instructions import read_instructions
from openbench_instruct.scorer import INSTRUCTIONS_KEY, checkers_of


def load_prompts(family: str, source: DatasetSource) -> Dataset:
    """Load the bare prompts, with their instructions."""
    return load_samples(read_rows(source), lambda record: record_to_sample(record, family), name=family)


def record_to_sample(record: dict[str, Any], family: str) -> Sample:
    """Map a row; the sample rows of this package also have a response that follows all instructions."""
    checkers = checkers_of(family, "faithful")
    return Sample(
        input=record["prompt"],
        target=record.get("reference", ""),
        id=record["key"],
        metadata={INSTRUCTIONS_KEY: read_instructions(record["instruction_id_list"], record["kwargs"], checkers)},
    )


def wrong(_: Sample) -> str:
    """Return what follows too few instructions of every sample row."""
    return "No, nothing."
