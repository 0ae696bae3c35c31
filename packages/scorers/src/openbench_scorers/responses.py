"""Reads completions, for all scorers of this package."""

from collections.abc import Sequence

from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench_scorers.fallback import Extraction

MARKUP = " \t\r\n.,:;!*_`'\"()[]{}<>#"
"""Characters to strip from a single word of an answer or a verdict."""


def response(completion: str) -> str:
    """Return the response: the completion without its reasoning and surrounding white space."""
    return strip_reasoning(completion).strip()


def read_answer(completion: str, chain: Sequence[Extraction]) -> str:
    """Return the answer that the first successful extraction of a chain finds in a response, else "".

    Without a chain, the response is the answer. With one, further questions that a base model generates are not
    searched.
    """
    if not chain:
        return response(completion)
    text = cut_run_on(response(completion))
    return next((found for extraction in chain if (found := extraction(text))), "")
