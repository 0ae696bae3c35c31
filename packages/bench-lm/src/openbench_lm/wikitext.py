"""WikiText-2: the log-probability of whole Wikipedia articles.

Merity et al. (2016), https://arxiv.org/abs/1609.07843
"""

import re
from dataclasses import replace
from functools import reduce
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench_lm.metadata import WIKITEXT
from openbench_ranking.perplexity import perplexity, read, text_sample
from openbench_scorers.selection import labelled_split

WAIVERS = {"empty": "the score is the log-probability of a text, so no sample is left unanswered"}

# The replacements of lm-evaluation-harness, in its order: strings, patterns, and strings again.
_NUMBERS = ((" @-@ ", "-"), (" @,@ ", ","), (" @.@ ", "."))
_PUNCTUATION = tuple((f" {mark} ", f"{mark} ") for mark in ":;.!?,")
_ENCLOSED = (
    (r"\(", r"[^\)]", r"\)"),
    (r"\[", r"[^\]]", r"\]"),
    ("{", "[^}]", "}"),
    ('"', '[^"]', '"'),
    ("'", "[^']", "'"),
)
_REST = (
    *(("= " * count + "=", "=" * (count + 1)) for count in (3, 2, 1)),
    (" \N{DEGREE SIGN} ", "\N{DEGREE SIGN}"),
    (" \n", "\n"),
    ("\n ", "\n"),
    (" N ", " 1 "),
    (" 's", "'s"),
)


def detokenized(page: str) -> str:
    """Remove the spaces and marks of tokenisation from an article, as lm-evaluation-harness does."""
    text = re.sub(r"/' [0-9]/", "/'[0-9]/", page.replace("s '", "s'"))
    text = _replaced(text, (*_NUMBERS, *_PUNCTUATION))
    for opening, inside, closing in _ENCLOSED:
        pattern = rf"({opening})\s*({inside}*?)\s*({closing})"
        text = re.sub(pattern, r"\1\2\3", text)
    return _replaced(text, _REST)


def _replaced(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    return reduce(lambda result, pair: result.replace(*pair), pairs, text)


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row. The scored text is detokenised; words and bytes are counted in the original text."""
    return text_sample(detokenized(row["page"]), counted=row["page"])


@task
def wikitext(split: str = "test") -> Task:
    """WikiText-2: bits per byte of whole articles, and perplexity per word and per byte.

    Args:
        split: The split to evaluate: test, validation or train.
    """
    labelled_split("wikitext", split, labelled=("test", "validation", "train"))
    source = replace(WIKITEXT, split=split)
    return Task(
        name="wikitext",
        dataset=load_samples(read_rows(source), record_to_sample, name="wikitext"),
        solver=read(),
        scorer=perplexity(),
    )
