"""Checks placeholders such as `[name]`: a required number, or none left over."""

import re

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered
from openbench_scorers.options import at_least
from openbench_scorers.responses import response

_PLACEHOLDER = re.compile(r"\[([^\[\]\n]{1,200})\](?!\()")
_CHECKBOX = frozenset("xX")


def find_placeholders(text: str) -> list[str]:
    """Return the texts in square brackets that contain a letter, except Markdown's links and checkboxes."""
    inside = _PLACEHOLDER.findall(text)
    return [name for name in inside if any(map(str.isalpha, name)) and name not in _CHECKBOX]


def score_placeholders(completion: str, minimum: int = 1, maximum: int | None = None) -> Score:
    """Check the number of a completion's placeholders.

    Source: the instruction `number_placeholders` of Zhou et al. 2023, IFEval, arXiv 2311.07911, which counts all square
    brackets.

    Args:
        completion: The model's completion.
        minimum: The minimum number.
        maximum: The maximum number, if limited; 0 means that none may be left over from a template.

    Returns:
        Correct or incorrect, incorrect without a response; the metadata's `placeholders` is their number.
    """
    text = response(completion)
    found = find_placeholders(text)
    right = bool(text) and minimum <= len(found) and (maximum is None or len(found) <= maximum)
    return Score(
        value=CORRECT if right else INCORRECT,
        answer=", ".join(found),
        reason=None if text else unanswered(completion),
        metadata={"placeholders": len(found)},
    )


@scorer(metrics=[accuracy(), stderr()])
def placeholders(minimum: int = 1, maximum: int | None = None) -> Scorer:
    """Score with `score_placeholders`.

    Args:
        minimum: The minimum number; 0 together with a maximum.
        maximum: The maximum number, if limited.

    Raises:
        UsageError: The limits are invalid.
    """
    at_least("minimum", minimum, 0)
    if maximum is not None:
        at_least("maximum", maximum, minimum)
    elif minimum == 0:
        raise UsageError("minimum=0: every completion passes. Set a maximum as well.")

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        return score_placeholders(state.output.completion, minimum, maximum)

    return score
