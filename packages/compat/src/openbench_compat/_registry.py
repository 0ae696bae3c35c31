"""The module of the `inspect_ai` entry point: registers the scorers and metrics."""

from openbench_compat.metrics.grouped import grouped
from openbench_compat.scorers.fallback_scorer import fallback_scorer
from openbench_compat.scorers.grade_school_math import grade_school_math_scorer
from openbench_compat.scorers.open_answer import open_answer_scorer
from openbench_compat.scorers.qa import qa_scorer
from openbench_compat.scorers.robust_boxed import aime_scorer, robust_boxed_scorer
from openbench_compat.scorers.score_boxed import score_boxed
from openbench_compat.scorers.score_last_number import score_last_integer, score_last_number

__all__ = [
    "aime_scorer",
    "fallback_scorer",
    "grade_school_math_scorer",
    "grouped",
    "open_answer_scorer",
    "qa_scorer",
    "robust_boxed_scorer",
    "score_boxed",
    "score_last_integer",
    "score_last_number",
]
