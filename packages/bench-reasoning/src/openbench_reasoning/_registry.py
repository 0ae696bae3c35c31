"""What inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_reasoning.arc_agi import arc_agi_1, arc_agi_2

__all__ = ["arc_agi_1", "arc_agi_2"]
