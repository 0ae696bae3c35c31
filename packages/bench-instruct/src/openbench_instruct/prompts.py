"""IFEval, IFEval-Ko and IFBench: prompts with instructions that a program can check, such as a number of words.

Zhou et al. (2023), https://arxiv.org/abs/2311.07911, with 25 kinds of instructions, and in Korean by Allganize,
https://huggingface.co/datasets/allganize/IFEval-Ko; Pyatkin et al. (2025),
https://arxiv.org/abs/2507.02833, with 58 new kinds.
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench.metadata import DatasetSource
from openbench_instruct.instructions import Variant, read_instructions
from openbench_instruct.metadata import IFBENCH, IFEVAL, IFEVAL_KO
from openbench_instruct.scorer import INSTRUCTIONS_KEY, checkers_of, instruction_following


@task
def ifeval(checkers: Variant = "faithful") -> Task:
    """IFEval: ask the prompt unchanged, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.
    """
    return _task("ifeval", IFEVAL, checkers)


@task
def ifeval_ko(checkers: Variant = "faithful") -> Task:
    """IFEval-Ko: ask the Korean prompt unchanged, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.
    """
    return _task("ifeval_ko", IFEVAL_KO, checkers)


@task
def ifbench(checkers: Variant = "faithful") -> Task:
    """IFBench: ask the prompt unchanged, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.
    """
    return _task("ifbench", IFBENCH, checkers)


def record_to_sample(record: dict[str, Any], family: str) -> Sample:
    """Map a row. The package's sample rows also contain a response that follows all instructions."""
    checkers = checkers_of(family, "faithful")
    return Sample(
        input=record["prompt"],
        target=record.get("reference", ""),
        id=record["key"],
        metadata={INSTRUCTIONS_KEY: read_instructions(record["instruction_id_list"], record["kwargs"], checkers)},
    )


def wrong(_: Sample) -> str:
    """Return a response that breaks at least one instruction of every sample row."""
    return "No, nothing."


def _task(family: str, source: DatasetSource, checkers: Variant) -> Task:
    return Task(
        dataset=load_samples(read_rows(source), lambda record: record_to_sample(record, family), name=family),
        solver=[generate()],
        scorer=instruction_following(family, checkers),
        config=GenerateConfig(temperature=0.0),
        name=family,
    )
