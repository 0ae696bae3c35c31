"""Further modules of `openbench.scorers`, beyond the kernel's."""

from openbench.scorers.mcq import extract_mcq_answer
from openbench_compat.scorers.fallback_scorer import fallback_scorer
from openbench_compat.scorers.mcq import robust_mcq_scorer
from openbench_compat.scorers.open_answer import create_open_answer_scorer, simple_open_answer_scorer
from openbench_compat.scorers.robust_boxed import aime_scorer, extract_boxed_answer, robust_boxed_scorer
from openbench_compat.scorers.score_boxed import score_boxed
from openbench_compat.scorers.score_last_number import score_last_integer, score_last_number

__all__ = [
    "aime_scorer",
    "create_open_answer_scorer",
    "extract_boxed_answer",
    "extract_mcq_answer",
    "fallback_scorer",
    "robust_boxed_scorer",
    "robust_mcq_scorer",
    "score_boxed",
    "score_last_integer",
    "score_last_number",
    "simple_open_answer_scorer",
]
