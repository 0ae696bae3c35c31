"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package, and its scorers."""

from openbench_vision.chartqapro import chartqapro, relaxed_accuracy
from openbench_vision.docvqa import anls, docvqa
from openbench_vision.mathvista import mathvista, mathvista_scorer
from openbench_vision.mmmu import mmmu, mmmu_scorer
from openbench_vision.mmmu_pro import mmmu_pro, mmmu_pro_4, mmmu_pro_scorer, mmmu_pro_vision
from openbench_vision.mmstar import mmstar, mmstar_scorer

__all__ = [
    "anls",
    "chartqapro",
    "docvqa",
    "mathvista",
    "mathvista_scorer",
    "mmmu",
    "mmmu_pro",
    "mmmu_pro_4",
    "mmmu_pro_scorer",
    "mmmu_pro_vision",
    "mmmu_scorer",
    "mmstar",
    "mmstar_scorer",
    "relaxed_accuracy",
]
