"""IFEval: prompts with instructions that a program can check, such as a number of words or no commas.

Zhou et al. (2023), https://arxiv.org/abs/2311.07911
"""

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench_instruct.dataset import load_prompts, wrong
from openbench_instruct.instructions import Variant
from openbench_instruct.metadata import IFEVAL
from openbench_instruct.scorer import instruction_following

__all__ = ["ifeval", "wrong"]


@task
def ifeval(checkers: Variant = "faithful") -> Task:
    """Ask the bare prompt, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with its defects repaired.
    """
    return Task(
        dataset=load_prompts("ifeval", IFEVAL),
        solver=[generate()],
        scorer=instruction_following("ifeval", checkers),
        config=GenerateConfig(temperature=0.0),
        name="ifeval",
    )
