"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_scorers.attempts import attempts
from openbench_scorers.boxed import boxed
from openbench_scorers.choice import choice
from openbench_scorers.comet import comet
from openbench_scorers.csv_format import csv_format
from openbench_scorers.cwe import cwe
from openbench_scorers.drop import drop
from openbench_scorers.fallback import fallback
from openbench_scorers.graded_panel import graded_panel
from openbench_scorers.grid import grid_difference, grid_match
from openbench_scorers.includes import includes
from openbench_scorers.json_format import json_format
from openbench_scorers.json_judge import json_judge
from openbench_scorers.json_judge_pair import json_judge_pair
from openbench_scorers.language import language
from openbench_scorers.length_control import length_control
from openbench_scorers.macro_f1 import macro_f1, mean_f1
from openbench_scorers.majority import maj_at_k
from openbench_scorers.means import by_group, clustered_stderr, macro_average, micro_average, wilson
from openbench_scorers.niah import niah
from openbench_scorers.numeric import numeric
from openbench_scorers.overlap import bleu, chrf, corpus_bleu, corpus_chrf, corpus_chrfpp, corpus_ter, ter
from openbench_scorers.passing import pass_at_k, pass_hat_k
from openbench_scorers.placeholders import placeholders
from openbench_scorers.postscript import postscript
from openbench_scorers.refusal import refusal, refusal_scorer
from openbench_scorers.repetition import repetition
from openbench_scorers.rouge import corpus_rouge, rouge
from openbench_scorers.symbolic import symbolic
from openbench_scorers.text_counts import length_ratio, text_counts
from openbench_scorers.token_f1 import token_f1

__all__ = [
    "attempts",
    "bleu",
    "boxed",
    "by_group",
    "choice",
    "chrf",
    "clustered_stderr",
    "comet",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_chrfpp",
    "corpus_rouge",
    "corpus_ter",
    "csv_format",
    "cwe",
    "drop",
    "fallback",
    "graded_panel",
    "grid_difference",
    "grid_match",
    "includes",
    "json_format",
    "json_judge",
    "json_judge_pair",
    "language",
    "length_control",
    "length_ratio",
    "macro_average",
    "macro_f1",
    "maj_at_k",
    "mean_f1",
    "micro_average",
    "niah",
    "numeric",
    "pass_at_k",
    "pass_hat_k",
    "placeholders",
    "postscript",
    "refusal",
    "refusal_scorer",
    "repetition",
    "rouge",
    "symbolic",
    "ter",
    "text_counts",
    "token_f1",
    "wilson",
]
