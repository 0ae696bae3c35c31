"""BFCL v4, single turn: one call, one of several functions, several calls, and questions that need no function.

Patil et al. (2025), The Berkeley Function Calling Leaderboard, https://openreview.net/forum?id=2GmDdhBdDk
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.solver import Solver

from openbench.datasets import Rows, load_samples, read_parts, read_rows, read_text
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench_tools.calls import Call, write_calls
from openbench_tools.matching import CATEGORY, GROUND_TRUTH, TOOLS, check_types, reference_calls
from openbench_tools.metadata import ANSWERS, BFCL, BFCL_LIVE, PROMPT, QUESTIONS, answers_file, questions_file
from openbench_tools.scorer import bfcl_scorer
from openbench_tools.solvers import bfcl_solver, bfcl_text_solver, native_names

Ask = Literal["native", "text"]
Prompt = Literal["ours", "official"]

GOLDENS = {"text": {"ask": "text"}}

_LIVE = "live_"
_ROLES: dict[str, type[ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


@task
def bfcl(categories: str | list[str] | None = None, ask: Ask = "native", prompt: Prompt = "ours") -> Task:
    """BFCL's own questions: simple_python, multiple, parallel, parallel_multiple and irrelevance.

    Args:
        categories: The categories to run; by default all.
        ask: `native` offers the functions as the provider's tools; `text` describes them in the prompt and parses
            calls in Python.
        prompt: The prompt of `ask=text`: `ours`, or `official` for BFCL's, downloaded once and pinned.
    """
    known = [each for each in QUESTIONS if not each.startswith(_LIVE)]
    return _task("bfcl", BFCL, _chosen(categories, known), ask, prompt)


@task
def bfcl_live(categories: str | list[str] | None = None, ask: Ask = "native", prompt: Prompt = "ours") -> Task:
    """Questions and functions from users: live_simple, …, live_parallel_multiple, live_irrelevance and live_relevance.

    Args:
        categories: The categories to run; by default all.
        ask: See `bfcl`.
        prompt: See `bfcl`.
    """
    known = [each for each in QUESTIONS if each.startswith(_LIVE)]
    return _task("bfcl_live", BFCL_LIVE, _chosen(categories, known), ask, prompt)


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row: its single turn, the functions, and the accepted calls, an example of which is the target."""
    functions, accepted = record["function"], record.get("ground_truth") or []
    check_types(functions)
    native_names(functions)
    offered = [function["name"] for function in functions]
    if strange := [name for each in accepted for name in each if name not in offered]:
        raise ValueError(f"ground_truth: {strange[0]!r} is not one of the functions: {', '.join(offered)}")
    (turn,) = record["question"]
    return Sample(
        id=record["id"],
        input=[_ROLES[message["role"]](content=message["content"]) for message in turn],
        target=write_calls(reference_calls(record[CATEGORY], functions, accepted)),
        metadata={TOOLS: functions, GROUND_TRUTH: accepted, CATEGORY: record[CATEGORY]},
    )


def wrong(sample: Sample) -> str:
    """Return a call with an unknown parameter; if any call is right, no call."""
    metadata = sample.metadata or {}
    if metadata[CATEGORY].endswith("_relevance"):
        return "[]"
    return write_calls([Call(metadata[TOOLS][0]["name"], {"no_such_parameter": 0})])


def _task(name: str, source: DatasetSource, chosen: Sequence[str], ask: Ask, prompt: Prompt) -> Task:
    rows = read_parts(source, lambda: [row for category in chosen for row in _rows(category)])
    kept = [row for row in rows.rows if row[CATEGORY] in chosen]  # sample rows cover all categories
    return Task(
        dataset=load_samples(Rows(rows.label, kept, rows.source), record_to_sample, name=name),
        solver=_solver(ask, prompt),
        scorer=bfcl_scorer(),
        config=GenerateConfig(temperature=0.0),
        name=name,
    )


def _chosen(categories: str | list[str] | None, known: Sequence[str]) -> Sequence[str]:
    chosen = known if categories is None else [categories] if isinstance(categories, str) else categories
    if unknown := [each for each in chosen if each not in known]:
        raise UsageError(f"categories: unknown {unknown[0]!r}: expected some of {', '.join(known)}.")
    return chosen


def _solver(ask: Ask, prompt: Prompt) -> Solver:
    for name, given, known in (("ask", ask, get_args(Ask)), ("prompt", prompt, get_args(Prompt))):
        if given not in known:
            raise UsageError(f"{name}={given!r}: expected one of {', '.join(known)}.")
    if ask == "native":
        if prompt != "ours":
            raise UsageError("prompt=official needs ask=text: with the provider's tools there is no prompt.")
        return bfcl_solver()
    return bfcl_text_solver(read_text(PROMPT, variable="_DEFAULT_SYSTEM_PROMPT") if prompt == "official" else None)


def _rows(category: str) -> list[dict[str, Any]]:
    """Return the questions of a category, each with its accepted calls."""
    questions = read_rows(questions_file(category)).rows
    answers = read_rows(answers_file(category)).rows if category in ANSWERS else []
    accepted = {row["id"]: row["ground_truth"] for row in answers}
    shown = [{**row, CATEGORY: category} for row in questions]
    return [{**row, GROUND_TRUTH: accepted[row["id"]]} for row in shown] if answers else shown
