"""What every scorer here does with a completion."""

from openbench.scorers.cleaning import strip_reasoning


def response(completion: str) -> str:
    """Return what the model said: the completion without its reasoning and without space around it."""
    return strip_reasoning(completion).strip()
