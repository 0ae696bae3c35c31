"""Scores function calls: which functions were called, with which arguments, or that none was called."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Metric, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.means import by_group, macro_average
from openbench_tools.calls import Call, is_attempt, read_calls, write_calls
from openbench_tools.matching import (
    CATEGORY,
    GROUND_TRUTH,
    TOOLS,
    Accepted,
    Function,
    accepted_calls,
    check_types,
    mismatch,
)
from openbench_tools.solvers import NATIVE, native_names


def calls_of(state: TaskState) -> list[Call] | None:
    """Return the calls of an answer: an empty list if it is prose without a call, None if it cannot be read.

    Unreadable answers are empty answers, calls with malformed arguments, texts that look like an attempted call
    (`is_attempt`), and texts truncated before any call. If functions were offered as the provider's tools, calls in
    text are not parsed.
    """
    names = native_names(state.metadata[TOOLS])
    completion = state.output.completion
    made = (state.output.message.tool_calls or []) if state.output.choices else []
    if made:
        if any(call.parse_error for call in made):
            return None
        return [Call(names.get(call.function, call.function), call.arguments) for call in made]
    native = bool(state.metadata.get(NATIVE))
    if not native and (read := read_calls(completion)) is not None:
        return read
    cut_off = state.output.stop_reason in {"max_tokens", "model_length"}
    unread = not completion.strip() or cut_off or is_attempt(completion, [*names, *names.values()])
    return None if unread else []


def score_calls(
    calls: Sequence[Call] | None, category: str, functions: Sequence[Function], accepted: Sequence[Accepted]
) -> tuple[bool, str]:
    """Return whether an answer is right by the rule of its category, and why.

    `irrelevance` expects an answer without a call, `relevance` a call of any offered function, and all others the
    accepted calls, in any order. An unreadable answer is wrong.

    Args:
        calls: The calls of the answer; None if it cannot be read.
        category: The category, such as `live_parallel`.
        functions: The functions that were offered.
        accepted: The accepted calls.
    """
    if calls is None:
        return False, "The answer cannot be read."
    if "irrelevance" in category:
        return not calls, "A function is called." if calls else "No function is called."
    if "relevance" in category:
        offered = {function["name"] for function in functions}
        right = bool(calls) and all(call.name in offered for call in calls)
        return right, "An offered function is called." if right else "No offered function is called."
    why = mismatch(calls, functions, accepted)
    return why is None, f"Not as accepted: {why}." if why else "The calls are as accepted."


def _metrics() -> list[Metric]:
    return [accuracy(), stderr(), by_group(CATEGORY), macro_average(CATEGORY)]


@scorer(metrics=_metrics())
def bfcl_scorer() -> Scorer:
    """Score the calls of an answer; see `calls_of` and `score_calls`.

    A sample's metadata contain `tools` (the functions), `category`, and `ground_truth`: the accepted calls, in the
    format of BFCL's rows or written in Python. A sample with invalid data is unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        metadata: Mapping[str, Any] = state.metadata
        try:
            check_types(metadata[TOOLS])
            accepted = accepted_calls(metadata.get(GROUND_TRUTH) or [])
            calls = calls_of(state)
        except (ValueError, LookupError) as error:
            return unscored(f"{type(error).__name__}: {error}", state.output.completion)
        right, why = score_calls(calls, metadata[CATEGORY], metadata[TOOLS], accepted)
        return Score(
            value=CORRECT if right else INCORRECT,
            answer=state.output.completion if calls is None else write_calls(calls),
            explanation=why,
            reason=unanswered(state.output.completion or "a call") if calls is None else None,
        )

    return score
