"""Further names of the kernel's scorer in `openbench.scorers.mcq`."""

from inspect_ai.scorer import Scorer

from openbench.scorers.mcq import create_mcq_scorer

__all__ = ["grouped_mcq_scorer", "robust_mcq_scorer", "simple_mcq_scorer"]


def robust_mcq_scorer() -> Scorer:
    """Score the letter answered in a completion; see `openbench.scorers.mcq.create_mcq_scorer`."""
    return create_mcq_scorer()()


simple_mcq_scorer = robust_mcq_scorer


def grouped_mcq_scorer(group_key: str) -> Scorer:
    """Score the letter answered in a completion, and report accuracy for each value of a metadata key."""
    return create_mcq_scorer(group_keys=[group_key])()
