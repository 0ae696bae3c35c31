"""IFBench: prompts of users with instructions of 58 kinds that no training set has.

Pyatkin et al. (2025), https://arxiv.org/abs/2507.02833
"""

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench_instruct.dataset import load_prompts, wrong
from openbench_instruct.instructions import Variant
from openbench_instruct.metadata import IFBENCH
from openbench_instruct.scorer import instruction_following

__all__ = ["ifbench", "wrong"]


@task
def ifbench(checkers: Variant = "faithful") -> Task:
    """Ask the bare prompt, and check every instruction, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with its defects repaired.
    """
    return Task(
        dataset=load_prompts("ifbench", IFBENCH),
        solver=[generate()],
        scorer=instruction_following("ifbench", checkers),
        config=GenerateConfig(temperature=0.0),
        name="ifbench",
    )
