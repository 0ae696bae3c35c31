"""Questions whose options are ranked by log-probability after a context, in the prompts of lm-evaluation-harness."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample

from openbench_ranking.request import ranking_sample


def cloze_sample(context: str, options: Sequence[str], correct: int, **more: Any) -> Sample:
    """Create the sample of a question; each option follows the context after a space.

    Args:
        context: The context, exactly as it is scored.
        options: The options' texts, likewise.
        correct: The index of the correct one.
        more: Further arguments of `ranking_sample`.
    """
    return ranking_sample(input=context, continuations=[f" {option}" for option in options], gold=[correct], **more)


def question_and_cue(question: str) -> str:
    """Return a question and the cue that options follow, without examples."""
    return f"Question: {question}\nAnswer:"
