"""What `openbench.scorers.mcq` has besides the kernel's: its scorer under further names."""

from inspect_ai.scorer import Scorer

from openbench.scorers.mcq import create_mcq_scorer

__all__ = ["grouped_mcq_scorer", "robust_mcq_scorer", "simple_mcq_scorer"]


def robust_mcq_scorer() -> Scorer:
    """Score the letter that a completion answers with; see `openbench.scorers.mcq.create_mcq_scorer`."""
    return create_mcq_scorer()()


simple_mcq_scorer = robust_mcq_scorer


def grouped_mcq_scorer(group_key: str) -> Scorer:
    """Score the letter that a completion answers with, and report accuracy for each value of a key of the metadata."""
    return create_mcq_scorer(group_keys=[group_key])()
