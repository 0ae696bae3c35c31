"""Multi-IF: conversations of three turns in eight languages, with instructions that accumulate from turn to turn.

He et al. (2024), https://arxiv.org/abs/2410.15553
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.datasets import load_samples, read_rows
from openbench.scorers.reasons import unanswered
from openbench.tasks.solvers import static
from openbench_instruct.instructions import Variant, read_instructions
from openbench_instruct.metadata import MULTI_IF
from openbench_instruct.scorer import checkers_of, score_instructions

__all__ = ["multi_if", "wrong"]

_TURNS = "turns"
_REPLIES = "replies"
_MAX_TURNS = 3
_LONG = 60  # words, more than the sample rows allow

Followed = Mapping[str, Sequence[bool]]
"""For each instruction of a turn, whether the reply follows it; by `strict` and `loose`."""


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row, whose turn columns contain JSON. The package's sample rows also have a reply for all turns."""
    checkers = checkers_of("multi_if", "faithful")
    turns = []
    for number in range(1, _MAX_TURNS + 1):
        prompt = record[f"turn_{number}_prompt"]
        if not prompt or prompt == "None":
            continue  # the conversation is shorter
        ids = json.loads(record[f"turn_{number}_instruction_id_list"])
        arguments = [json.loads(each) for each in json.loads(record[f"turn_{number}_kwargs"])]
        instructions = read_instructions(ids, arguments, checkers)
        turns.append({"prompt": json.loads(prompt)["content"], "instructions": instructions, "number": number})
    return Sample(
        input=turns[0]["prompt"],
        target=record.get("reference", ""),
        metadata={"key": record["key"], "language": record["language"], _TURNS: turns},
    )


def wrong(_: Sample) -> str:
    """Return a reply that follows no instruction of the sample rows: one long sentence with commas."""
    return ", ".join(["mar"] * _LONG)


@static
@solver
def turn_by_turn() -> Solver:
    """Ask each turn's prompt after the previous turns and their replies."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        replies: list[str] = []
        for turn in state.metadata[_TURNS]:
            if replies:
                state.messages.append(ChatMessageUser(content=turn["prompt"]))
            state = await generate(state)
            replies = [*replies, state.output.completion]
            state.metadata = {**state.metadata, _REPLIES: replies}
            if state.completed:
                break
        return state

    return solve


@metric
def turn_accuracy() -> Metric:
    """Return the mean over turns of the mean of the four metrics: prompt and instruction level, strict and loose.

    Source: He et al. 2024, section 4.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        return fmean(_by_turn(scores).values())

    return calculate


@metric
def by_turn() -> Metric:
    """Return the mean of the four metrics of each turn, as `turn_1`, …; only the first epoch counts."""

    def calculate(scores: list[SampleScore]) -> Value:
        return dict(_by_turn(scores))

    return calculate


@metric
def by_language() -> Metric:
    """Return `turn_accuracy` of each language and of each of its turns, as `French` and `French_turn_1`."""

    def calculate(scores: list[SampleScore]) -> Value:
        languages: defaultdict[str, list[SampleScore]] = defaultdict(list)
        for score in scores:
            languages[(score.sample_metadata or {})["language"]].append(score)
        values: dict[str, float] = {}
        for language, own in sorted(languages.items()):
            turns = _by_turn(own)
            values |= {language: fmean(turns.values()), **{f"{language}_{turn}": of for turn, of in turns.items()}}
        return dict(values)

    return calculate


@scorer(metrics=[turn_accuracy(), stderr(), by_turn(), by_language()])
def turns_followed(checkers: Variant = "faithful") -> Scorer:
    """Score each reply by the instructions of its turn with `score_instructions`; a turn without a reply fails.

    If a solver answers only once, as a reference does, its answer is used for every turn. The value, from 0 to 1,
    higher is better, is the mean over the sample's turns of the mean of the four metrics.

    Args:
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.

    Raises:
        UsageError: `checkers` is not one of these.
    """
    chosen = checkers_of("multi_if", checkers)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        turns = state.metadata[_TURNS]
        replies = state.metadata.get(_REPLIES, [state.output.completion] * len(turns))
        replies = [*replies, *[""] * (len(turns) - len(replies))]
        scored = [score_instructions(*pair, chosen) for pair in zip(replies, _instructions(turns), strict=True)]
        followed = {str(turn["number"]): each.metadata for turn, each in zip(turns, scored, strict=True)}
        return Score(
            value=fmean(_overall([each.metadata or {}]) for each in scored),
            explanation="\n".join(f"{turn}. {each.explanation}" for turn, each in zip(followed, scored, strict=True)),
            reason=None if any(map(str.strip, replies)) else unanswered(replies[-1]),
            metadata={_TURNS: followed},
        )

    return score


@task
def multi_if(checkers: Variant = "faithful") -> Task:
    """Multi-IF: ask turn by turn, and check every instruction of each turn, strictly and loosely.

    Args:
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.
    """
    return Task(
        dataset=load_samples(read_rows(MULTI_IF), record_to_sample, name="multi_if"),
        solver=[turn_by_turn()],
        scorer=turns_followed(checkers),
        config=GenerateConfig(temperature=0.0),
        name="multi_if",
    )


def _instructions(turns: Iterable[Mapping[str, Any]]) -> list[list[dict[str, object]]]:
    return [turn["instructions"] for turn in turns]


def _by_turn(scores: Sequence[SampleScore]) -> dict[str, float]:
    turns: defaultdict[str, list[Followed]] = defaultdict(list)
    for score in scores:
        for number, followed in (score.score.metadata or {})[_TURNS].items():
            turns[number].append(followed)
    return {f"turn_{number}": _overall(followed) for number, followed in sorted(turns.items())}


def _overall(replies: Sequence[Followed]) -> float:
    """Return the mean of the four metrics: prompt and instruction level, strict and loose."""
    values: list[float] = []
    for strictness in ("strict", "loose"):
        verdicts = [reply[strictness] for reply in replies]
        values += [fmean(map(all, verdicts)), sum(map(sum, verdicts)) / sum(map(len, verdicts))]
    return fmean(values)
