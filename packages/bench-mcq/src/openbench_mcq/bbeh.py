"""BIG-Bench Extra Hard: a harder replacement for each of BIG-Bench Hard's 23 tasks, and a mini set of 20 rows each.

Kazemi et al. (2025), https://arxiv.org/abs/2502.19187
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from statistics import harmonic_mean
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, accuracy, metric, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_parts, read_rows
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import fold, score_answer
from openbench.scorers.mcq import read_options, score_mcq
from openbench_mcq.metadata.reasoning import BBEH, BBEH_DIGESTS, BBEH_MINI, bbeh_file
from openbench_scorers.boxed import same_formula
from openbench_scorers.boxes import last_boxed
from openbench_scorers.fallback import announced, last_line
from openbench_scorers.means import by_group, macro_average
from openbench_scorers.selection import Selection, selected_names

INSTRUCTION = """

Think step by step. Put the final answer on the last line, alone and without markup: "The answer is: ANSWER". If the \
question offers lettered options, ANSWER is the letter of the right one."""

_LETTER = re.compile(r"\(?([A-Z])\)?")
_COMMAND = re.compile(r"\$?\\[a-z]+\s*\{(.*)\}\$?", re.DOTALL)
_ENCLOSED = re.compile(r"\[(.+)\]|\((.)\)")
_COMMA = re.compile(r"\s*,\s*")
_OFFSET = 0.01


@task
def bbeh(tasks: Selection = None) -> Task:
    """Answer the questions of 23 tasks; `harmonic` is the paper's figure, the harmonic mean over the tasks.

    Args:
        tasks: Tasks, as in `linguini,nycc`; all by default.

    Raises:
        UsageError: A task does not exist.
        DataError: The rows cannot be loaded, or do not match the pinned digests.
    """
    chosen = selected_names("bbeh: tasks", tasks, BBEH_DIGESTS)

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [bbeh_sample(row)] if row["task"] in chosen else []

    rows = read_parts(BBEH, lambda: [row for name in chosen for row in _read(name)])
    return Task(
        name="bbeh",
        dataset=load_samples(rows, to_samples, name="bbeh"),
        solver=generate(),
        scorer=bbeh_scorer(),
        metrics=[accuracy(), stderr(), harmonic_average("task"), macro_average("task"), by_group("task")],
    )


@task
def bbeh_mini() -> Task:
    """Answer the paper's mini set of 460 questions, twenty per task; its figure is accuracy."""
    rows = read_parts(BBEH_MINI, lambda: read_rows(BBEH_MINI).rows[0]["examples"])
    return Task(
        name="bbeh_mini",
        dataset=load_samples(rows, bbeh_sample, name="bbeh_mini"),
        solver=generate(),
        scorer=bbeh_scorer(),
        metrics=[accuracy(), stderr()],
    )


def bbeh_sample(row: dict[str, Any]) -> Sample:
    """Map a row with `input`, `target` and, except in the mini set, `task`."""
    question, target = row["input"], row["target"].strip()
    options = read_options(question)
    letter = _LETTER.fullmatch(target)
    lettered = letter is not None and letter[1] in options
    metadata = {"task": row["task"]} if "task" in row else {}
    return Sample(
        input=question.strip() + INSTRUCTION,
        target=letter[1] if letter and lettered else target,
        metadata={**metadata, "options": options if lettered else {}},
    )


def reference(sample: Sample) -> str:
    """Return the reference completion of a sample."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"The answer is: {target}"


def passage(sample: Sample) -> str:
    """Return the question of a sample, which in many tasks names the answer among other candidates."""
    return str(sample.input).removesuffix(INSTRUCTION)


@scorer(metrics=[accuracy(), stderr()])
def bbeh_scorer() -> Scorer:
    """Score answers by the paper's rules of equality: 1 for correct, 0 for wrong, higher is better."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_bbeh(state.output.completion, target.text, state.metadata["options"])

    return score


def score_bbeh(completion: str, target: str, options: Mapping[str, str]) -> Score:
    """Score one completion: its answer is a letter if there are options, else the announced or boxed text or last line.

    Args:
        completion: The model's completion.
        target: The correct answer.
        options: The texts of the options by letter, if the answer is a letter.
    """
    if options:
        return score_mcq(completion, target, dict(options))
    text = cut_run_on(strip_reasoning(completion))
    found = (place(text) for place in (announced, last_boxed, last_line))
    return score_answer(completion, next(filter(None, found), None), [target], same_answer)


def same_answer(answer: str, target: str) -> bool:
    """Return whether two answers are equal by the paper's rules, or are the same number.

    The rules ignore letter case, bold type, LaTeX commands around an answer, apostrophes, spaces after commas, the
    brackets of a list, the parentheses of a letter, and a question mark or full stop at the end.
    """
    return _bare(answer) == _bare(target) or same_formula(answer, target)


def _bare(text: str) -> str:
    text = fold(text).replace("**", "").rstrip(".")
    while command := _COMMAND.fullmatch(text):
        text = command[1].rstrip(".")
    text = _COMMA.sub(",", text.strip("$").replace("'", "")).rstrip("?.").strip()
    while enclosed := _ENCLOSED.fullmatch(text):
        text = (enclosed[1] or enclosed[2]).rstrip(".").strip()
    return text


@metric
def harmonic_average(key: str) -> Metric:
    """Report the harmonic mean of the groups' means as `harmonic`, between 0.01 and 1.01.

    0.01 is added to each mean, since a single mean of 0 would make the result 0.

    Source: the paper, which adds 1 to accuracies in percent.

    Args:
        key: The key of the samples' metadata that names their group.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        groups: defaultdict[str, list[float]] = defaultdict(list)
        for each in scores:
            groups[str((each.sample_metadata or {}).get(key))].append(each.score.as_float())
        return {"harmonic": harmonic_mean([sum(group) / len(group) + _OFFSET for group in groups.values()])}

    return calculate


def _read(name: str) -> list[dict[str, Any]]:
    return [{**row, "task": name} for row in read_rows(bbeh_file(name)).rows[0]["examples"]]
