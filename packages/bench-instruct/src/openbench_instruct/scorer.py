"""Scores responses by the instructions that they follow, strictly and loosely."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_instruct import ifbench_checkers, ifeval_checkers, ifeval_ko_checkers, multi_if_checkers
from openbench_instruct.instructions import Checkers, Variant, followed

INSTRUCTIONS_KEY = "instructions"
"""The key of a sample's instructions in its metadata."""

_FAMILIES: dict[str, dict[Variant, Checkers]] = {
    "ifeval": {"faithful": ifeval_checkers.FAITHFUL, "fixed": ifeval_checkers.FIXED},
    "ifeval_ko": {"faithful": ifeval_ko_checkers.FAITHFUL, "fixed": ifeval_ko_checkers.FIXED},
    "ifbench": {"faithful": ifbench_checkers.FAITHFUL, "fixed": ifbench_checkers.FIXED},
    "multi_if": {"faithful": multi_if_checkers.FAITHFUL, "fixed": multi_if_checkers.FIXED},
}


def checkers_of(family: str, variant: Variant) -> Checkers:
    """Return a benchmark's checkers.

    Raises:
        UsageError: The variant is unknown.
    """
    if variant not in get_args(Variant):
        raise UsageError(f"checkers={variant!r}: expected one of {', '.join(get_args(Variant))}.")
    return _FAMILIES[family][variant]


def score_instructions(response: str, instructions: Sequence[dict[str, object]], checkers: Checkers) -> Score:
    """Score a response by the instructions that it follows.

    Values, from 0 to 1, higher is better: `prompt_level_strict` (1 if all are followed), `inst_level_strict` (the share
    that is followed), and `prompt_level_loose` and `inst_level_loose`, which accept any of eight variants of the
    response: unchanged, without the first line, without the last, without both, and each of these without asterisks.
    Reasoning between tags is not part of the response.

    Source: Zhou et al. 2023, Instruction-following evaluation for large language models, arXiv 2311.07911.

    Args:
        response: The model's response.
        instructions: The sample's instructions, each with `id` and `arguments`.
        checkers: A checker for each id.
    """
    text = strip_reasoning(response)
    strict = followed(text, instructions, checkers)
    loose = followed(text, instructions, checkers, loose=True)
    missed = [str(instruction["id"]) for instruction, done in zip(instructions, strict, strict=True) if not done]
    return Score(
        value={
            "prompt_level_strict": float(all(strict)),
            "inst_level_strict": sum(strict) / len(strict),
            "prompt_level_loose": float(all(loose)),
            "inst_level_loose": sum(loose) / len(loose),
        },
        explanation=f"Not followed: {', '.join(missed)}." if missed else "All instructions are followed.",
        reason=None if text.strip() else unanswered(text),
        metadata={"strict": strict, "loose": loose},
    )


@metric
def instruction_accuracy() -> Metric:
    """Return the share of all instructions that are followed; samples are weighted by their number of instructions."""

    def calculate(scores: list[SampleScore]) -> Value:
        return _ratio(_weighted(scores))

    return calculate


@metric
def instruction_stderr() -> Metric:
    """Return the standard error of `instruction_accuracy`, clustered by sample.

    With n_i instructions in sample i of m, of which the share p_i is followed, and the share p of all instructions:
    sqrt(m / (m - 1) * sum of (n_i (p_i - p))^2) / sum of n_i. NaN for fewer than two samples.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        weighted = _weighted(scores)
        if len(weighted) <= 1:
            return math.nan
        overall = _ratio(weighted)
        squares = math.fsum((count * (share - overall)) ** 2 for count, share in weighted)
        return math.sqrt(len(weighted) / (len(weighted) - 1) * squares) / sum(count for count, _ in weighted)

    return calculate


@metric
def by_instruction() -> Metric:
    """Return the share of responses that strictly follow each instruction, by id; only the first epoch counts."""

    def calculate(scores: list[SampleScore]) -> Value:
        asked: Counter[str] = Counter()
        done: Counter[str] = Counter()
        for score in scores:
            for instruction, follows in zip(_instructions(score), (score.score.metadata or {})["strict"], strict=True):
                asked[instruction["id"]] += 1
                done[instruction["id"]] += follows
        return {id_: done[id_] / count for id_, count in sorted(asked.items())}

    return calculate


_PROMPTS = [mean(), stderr()]
_EACH = [instruction_accuracy(), instruction_stderr()]


@scorer(
    metrics={
        "prompt_level_strict": _PROMPTS,
        "inst_level_strict": [*_EACH, by_instruction()],
        "prompt_level_loose": _PROMPTS,
        "inst_level_loose": _EACH,
    }
)
def instruction_following(family: str = "ifeval", checkers: Variant = "faithful") -> Scorer:
    """Score with `score_instructions`.

    Args:
        family: The benchmark whose checkers apply.
        checkers: `faithful`, as published, or `fixed`, with known defects repaired.

    Raises:
        UsageError: `checkers` is not one of these.
    """
    chosen = checkers_of(family, checkers)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        return score_instructions(state.output.completion, state.metadata[INSTRUCTIONS_KEY], chosen)

    return score


def _instructions(score: SampleScore) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (score.sample_metadata or {})[INSTRUCTIONS_KEY]
    return found


def _weighted(scores: Sequence[SampleScore]) -> list[tuple[int, float]]:
    return [(len(_instructions(score)), score.score.as_float()) for score in scores]


def _ratio(weighted: Sequence[tuple[int, float]]) -> float:
    total = sum(count for count, _ in weighted)
    return math.fsum(count * share for count, share in weighted) / total if total else math.nan
