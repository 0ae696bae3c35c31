"""The objects that Inspect finds through the `inspect_ai` entry point: every task and scorer of the package."""

from openbench_reasoning.arc_agi import arc_agi_1, arc_agi_2
from openbench_reasoning.grid_puzzle import grid_puzzle, table_match

__all__ = ["arc_agi_1", "arc_agi_2", "grid_puzzle", "table_match"]
