"""Symbolic equivalence: the answer is a formula that equals the target, by Math-Verify (extra `math`)."""

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
    that differs from the target only in notation is right without it. Reasoning between tags, further questions that
    the model generates, and all but the last 20,000 characters are left out.

    It runs in a separate process, which is killed on timeout, so that this works in any thread.

    Source: Math-Verify (Kydlíček et al., https://github.com/huggingface/Math-Verify).

    Args:
        completion: The model's completion.
        targets: The right answers in LaTeX, with or without dollar signs; any one suffices.
        seconds: The comparison's timeout.

    Returns:
        Correct or incorrect; a completion without an answer is incorrect and unanswered. A sample without a readable
        target is unscored, and so is one whose comparison times out or fails.

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
    """Score completions whose answer should equal a target mathematically: 1 for right, 0 for wrong, higher is better.

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
        return unscored(f"no verdict within {seconds:g} s.", completion)
    if "error" in reply:
        return unscored(f"Math-Verify failed: {reply['error']}.", completion)
    if reply["right"] is None:
        return without_target(completion, f"Math-Verify reads no formula in the target: {targets!r}")
    if reply["right"]:
        return Score(value=CORRECT, answer=reply["answer"], explanation=completion)
    reason = unanswered(completion) if reply["answer"] is None else None
    return Score(value=INCORRECT, answer=reply["answer"], reason=reason, explanation=completion)
