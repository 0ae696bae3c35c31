"""What every scorer here does with a completion."""

from collections.abc import Sequence

from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.fallback import Extraction


def response(completion: str) -> str:
    """Return what the model said: the completion without its reasoning and without space around it."""
    return strip_reasoning(completion).strip()


def read_answer(completion: str, chain: Sequence[Extraction]) -> str:
    """Return the answer that the first extraction of a chain finds in a response, else "".

    Without a chain the response is the answer. With one, a base model's run-on into further questions is not searched.
    """
    if not chain:
        return response(completion)
    text = cut_run_on(response(completion))
    return next((found for extraction in chain if (found := extraction(text))), "")
