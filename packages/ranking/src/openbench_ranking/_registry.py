"""The solvers, scorers and metrics that Inspect finds through the `inspect_ai` entry point."""

from openbench_ranking.calibration import calibration
from openbench_ranking.perplexity import (
    byte_perplexity,
    perplexity,
    read,
    read_reference,
    text_bits_per_byte,
    token_perplexity,
    word_perplexity,
)
from openbench_ranking.scorer import continuation_perplexity, first_token, grouped_mean, ranking
from openbench_ranking.solver import rank, ranked_reference

__all__ = [
    "byte_perplexity",
    "calibration",
    "continuation_perplexity",
    "first_token",
    "grouped_mean",
    "perplexity",
    "rank",
    "ranked_reference",
    "ranking",
    "read",
    "read_reference",
    "text_bits_per_byte",
    "token_perplexity",
    "word_perplexity",
]
