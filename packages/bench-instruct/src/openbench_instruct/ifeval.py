"""IFEval: prompts with instructions that a program can check, such as a number of words or no commas.

Zhou et al. (2023), https://arxiv.org/abs/2311.07911
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench_instruct.instructions import Variant, read_instructions
from openbench_instruct.metadata import IFEVAL
from openbench_instruct.scorer import INSTRUCTIONS_KEY, checkers_of, instruction_following


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row: the bare prompt, and its instructions with their arguments; ours have a response that follows them."""
    checkers = checkers_of("ifeval", "faithful")
    return Sample(
        input=record["prompt"],
        target=record.get("reference", ""),
        id=record["key"],
        metadata={INSTRUCTIONS_KEY: read_instructions(record["instruction_id_list"], record["kwargs"], checkers)},
    )


def wrong(_: Sample) -> str:
    """Return what follows too few instructions of every sample row."""
    return "No, nothing."


@task
def ifeval(checkers: Variant = "faithful") -> Task:
    """Ask the bare prompt, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with its defects repaired.
    """
    return Task(
        dataset=load_samples(read_rows(IFEVAL), record_to_sample, name="ifeval"),
        solver=[generate()],
        scorer=instruction_following("ifeval", checkers),
        config=GenerateConfig(temperature=0.0),
        name="ifeval",
    )
