"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package, and its scorer."""

from openbench_math.contests import (
    aime_2024,
    aime_2025,
    aime_2026,
    brumo_2025,
    hmmt_feb_2025,
    math,
    math_500,
)
from openbench_math.gsm import gsm8k, gsm_plus
from openbench_math.mgsm import mgsm, mgsm_scorer

__all__ = [
    "aime_2024",
    "aime_2025",
    "aime_2026",
    "brumo_2025",
    "gsm8k",
    "gsm_plus",
    "hmmt_feb_2025",
    "math",
    "math_500",
    "mgsm",
    "mgsm_scorer",
]
