"""Symbolic equivalence of the answer and the target, checked by Math-Verify (extra `math`)."""

import importlib.util
import math
from collections.abc import Sequence
from functools import partial

from anyio import to_thread
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import given, without_target
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.boxed import same_formula
from openbench_scorers.boxes import last_boxed
from openbench_scorers.languages import ANY
from openbench_scorers.workers import Workers

_LIBRARY = "math_verify"
_MOST_CHARACTERS = 20_000

_workers = Workers("openbench_scorers.symbolic_worker")


def score_symbolic(completion: str, targets: Sequence[str], *, seconds: float = 5.0) -> Score:
    r"""Score a completion whose answer should be mathematically equal to a target.

    Math-Verify extracts the answer (an announced final answer, else `\boxed{...}`, else the last formula, else the last
    number) and compares numbers, expressions, equations, sets, intervals and matrices. A boxed answer or completion
    that differs from the target only in notation is correct without it. Reasoning between tags, further questions that
    the model generates, and all but the last 20,000 characters are ignored.

    It runs in a separate process, which is killed on timeout, and can be called from any thread.

    Source: Math-Verify (Kydlíček et al., https://github.com/huggingface/Math-Verify).

    Args:
        completion: The model's completion.
        targets: The correct answers in LaTeX, with or without dollar signs; any one suffices.
        seconds: The timeout of the comparison.

    Returns:
        Correct or incorrect. A completion without an answer is incorrect and unanswered. A sample is unscored if it has
        no readable target, or if the comparison times out or fails.

    Raises:
        OpenbenchError: The process does not start, for example without the extra `math`.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    text = cut_run_on(strip_reasoning(completion), ANY)
    answer = last_boxed(text) or text.strip()
    if not answer:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    if any(same_formula(answer, target) for target in right):
        return Score(value=CORRECT, answer=answer, explanation=completion)
    return _compared(completion, text[-_MOST_CHARACTERS:], right, seconds)


@scorer(metrics=[accuracy(), stderr()])
def symbolic(seconds: float = 5.0) -> Scorer:
    """Score answers that should equal a target mathematically: 1 for correct, 0 for wrong, higher is better.

    Args:
        seconds: The timeout of a sample's comparison; a sample that takes longer is unscored and counted.

    Raises:
        UsageError: Math-Verify is not installed, or `seconds` is not a number above 0.
    """
    if not 0 < seconds < math.inf:
        raise UsageError(f"symbolic: seconds={seconds!r}: expected a number above 0.")
    if importlib.util.find_spec(_LIBRARY) is None:
        raise UsageError("symbolic needs Math-Verify, which is not installed: pip install 'openbench-scorers[math]'")

    async def score(state: TaskState, target: Target) -> Score:
        return await to_thread.run_sync(partial(score_symbolic, state.output.completion, list(target), seconds=seconds))

    return score


def _compared(completion: str, text: str, targets: list[str], seconds: float) -> Score:
    reply = _workers.ask({"completion": text, "targets": targets}, seconds)
    if reply is None:
        return unscored(f"Math-Verify timed out after {seconds:g} s.", completion)
    if "error" in reply:
        return unscored(f"Math-Verify failed: {reply['error']}.", completion)
    if reply["right"] is None:
        return without_target(completion, f"Math-Verify finds no formula in the target: {targets!r}")
    if reply["right"]:
        return Score(value=CORRECT, answer=reply["answer"], explanation=completion)
    reason = unanswered(completion) if reply["answer"] is None else None
    return Score(value=INCORRECT, answer=reply["answer"], reason=reason, explanation=completion)
