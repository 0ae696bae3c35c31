"""Samples whose options are ranked by log-probability, with the prompts of lm-evaluation-harness."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample

from openbench_ranking.request import ranking_sample


def cloze_sample(context: str, options: Sequence[str], correct: int, **more: Any) -> Sample:
    """Create the sample of a question; each option follows the context after a space.

    Args:
        context: The context, unchanged in the request.
        options: The texts of the options, likewise unchanged.
        correct: The index of the correct option.
        more: Further arguments of `ranking_sample`.
    """
    return ranking_sample(input=context, continuations=[f" {option}" for option in options], gold=[correct], **more)


def question_and_cue(question: str) -> str:
    """Return a question and the cue before the options, without few-shot examples."""
    return f"Question: {question}\nAnswer:"
