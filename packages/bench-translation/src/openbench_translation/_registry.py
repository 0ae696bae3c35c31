"""The objects that Inspect finds through the `inspect_ai` entry point: every task and scorer of the package."""

from openbench_translation.flores import flores200
from openbench_translation.scorer import translation, translation_comet
from openbench_translation.wmt import wmt14, wmt15, wmt16, wmt17, wmt18, wmt19, wmt20, wmt21, wmt22, wmt23, wmt24

__all__ = [
    "flores200",
    "translation",
    "translation_comet",
    "wmt14",
    "wmt15",
    "wmt16",
    "wmt17",
    "wmt18",
    "wmt19",
    "wmt20",
    "wmt21",
    "wmt22",
    "wmt23",
    "wmt24",
]
