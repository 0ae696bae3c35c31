"""Checks for a postscript: a line that starts with P.S. or P.P.S."""

import re

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unanswered
from openbench_scorers.options import one_of
from openbench_scorers.responses import response

_START = r"^[ \t>*_#]*"
MARKERS = {
    "P.S.": re.compile(_START + r"p\.[ ]?s\b", re.IGNORECASE | re.MULTILINE),
    "P.P.S.": re.compile(_START + r"p\.[ ]?p\.[ ]?s\b", re.IGNORECASE | re.MULTILINE),
}


def score_postscript(completion: str, marker: str = "P.S.") -> Score:
    """Check that a line of a completion starts with a postscript marker, ignoring Markdown and case.

    Source: the instruction `postscript` of Zhou et al. 2023, IFEval, arXiv 2311.07911, which also accepts a marker
    within a line.

    Args:
        completion: The model's completion.
        marker: `P.S.` or `P.P.S.`; they are not interchangeable.

    Returns:
        Correct or incorrect; the answer is the postscript.
    """
    text = response(completion)
    found = MARKERS[marker].search(text)
    if not found:
        return Score(value=INCORRECT, reason=None if text else unanswered(completion))
    return Score(value=CORRECT, answer=text[found.start() :].strip())


@scorer(metrics=[accuracy(), stderr()])
def postscript(marker: str = "P.S.") -> Scorer:
    """Score with `score_postscript`.

    Args:
        marker: `P.S.` or `P.P.S.`.

    Raises:
        UsageError: `marker` has another value.
    """
    one_of("marker", marker, MARKERS)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        return score_postscript(state.output.completion, marker)

    return score
