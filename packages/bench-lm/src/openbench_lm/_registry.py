"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_lm.blimp import blimp
from openbench_lm.lambada import lambada
from openbench_lm.wikitext import wikitext

__all__ = ["blimp", "lambada", "wikitext"]
