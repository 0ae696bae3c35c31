"""ChartQAPro: questions about charts, infographics and dashboards, scored by relaxed accuracy.

Masry et al. (2025), https://arxiv.org/abs/2504.05506
"""

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows
from openbench.scorers.matching import given, without_target
from openbench.scorers.mcq import group_metrics
from openbench.scorers.reasons import unanswered
from openbench_vision.answers import short_answer
from openbench_vision.docvqa import similarity_of
from openbench_vision.images import Images
from openbench_vision.metadata import CHARTQAPRO

TOLERANCE = 0.05
EXACT = ("Fact Checking", "Multi Choice")
"""The question types whose answers must be equal."""

_KINDS = {
    "Factoid": "Answer the question about the chart in the image with a number, a word or a short phrase.",
    "Hypothetical": "The question assumes a change of what the chart in the image shows. Answer it with a number, a "
    "word or a short phrase.",
    "Conversational": "Answer the last question of the conversation about the chart in the image with a number, a word "
    "or a short phrase.",
    "Fact Checking": "Decide whether the statement about the chart in the image is true. Answer true or false.",
    "Multi Choice": "Choose the right option of the question about the chart in the image. Answer with its letter.",
}
_FORM = (
    "Leave out units; but where the chart writes a number with million, billion, M, B or K, write it as the chart "
    "does. Write several answers as a list, as in ['first', 'second']. If the chart does not tell, answer "
    "unanswerable. The last line of your response should be 'Answer: ' and the answer alone."
)
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_SEPARATOR = re.compile(r",\s+|,(?!\d{3}(?!\d))")
_LETTER = re.compile(r"\(?([a-z])(?:[).:].*)?", re.DOTALL)


@task
def chartqapro(max_side: int | None = None) -> Task:
    """Answer all questions, with the score by question type.

    Args:
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.
    """
    images = Images(max_side)
    return Task(
        name="chartqapro",
        dataset=load_samples(read_rows(CHARTQAPRO), lambda row: record_to_sample(row, images), name="chartqapro"),
        solver=generate(),
        scorer=relaxed_accuracy(),
    )


def record_to_sample(row: Mapping[str, Any], images: Images) -> Sample:
    """Map a row. A conversation shows its earlier questions with their answers before the last question."""
    kind = row["Question Type"]
    *before, question = row["Question"]
    *answers, answer = row["Answer"]
    parts = [f"{_KINDS[kind]} {_FORM}", row.get("Paragraph") or ""]
    parts += [f"Question: {earlier}\nAnswer: {given}" for earlier, given in zip(before, answers, strict=True)]
    parts.append(f"{'Statement' if kind == 'Fact Checking' else 'Question'}: {question}")
    years = list(row["Year"])
    return Sample(
        input=[images.before([row["image"]], "\n\n".join(part for part in parts if part))],
        target=answer,
        metadata={"question_type": kind, "years": years[-1:] if kind == "Conversational" else years},
    )


@scorer(metrics=[mean(), stderr(), *group_metrics(mean(), ["question_type"])])
def relaxed_accuracy() -> Scorer:
    """Score answers by relaxed accuracy, 0 to 1; see `score_relaxed`."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        exact = metadata["question_type"] in EXACT
        return score_relaxed(state.output.completion, target.text, years=metadata["years"], exact=exact)

    return score


def score_relaxed(completion: str, target: str, *, years: Sequence[str] = (), exact: bool = False) -> Score:
    """Score an answer, or several in a list: the mean over the positions of the longer list.

    An answer is compared with the target at its position: years, and all answers if `exact`, must be equal but for
    letter case; numbers may differ by 5 % of the target; other texts score their ANLS, where 0.5 or less is 0.

    Source: the published scoring, https://github.com/vis-nlp/ChartQAPro, evaluate_predictions.py; the README lists
    differences.

    Args:
        completion: The model's answer.
        target: The correct answer, or several as a list, such as `[2010, 2015]`.
        years: `YES` or `NO` for each answer: whether it is a year. The last flag is repeated for missing ones.
        exact: Whether answers must be equal.
    """
    if not given([target]):
        return without_target(completion)
    answer = short_answer(completion)
    if not answer:
        return Score(value=0.0, reason=unanswered(completion), explanation=completion)
    rights, answers = read_list(target), read_list(answer)
    flags = [flag.upper() == "YES" for flag in years] or [False]
    flags += flags[-1:] * len(rights)
    values = [
        0.0 if one is None or right is None else _compared(one, right, exact=exact or flag)
        for one, right, flag in zip_longest(answers, rights, flags[: len(rights)])
    ]
    return Score(value=sum(values) / len(values), answer=answer, explanation=completion)


def read_list(text: str) -> list[str]:
    """Return the answers of a list such as `['a', 'b']` or `[a, b]`; any other text is one answer."""
    text = text.translate(_QUOTES).strip().strip(".").strip()
    if len(text) <= len("[]") or not (text.startswith("[") and text.endswith("]")):
        return [text]
    try:
        with warnings.catch_warnings():  # for numbers followed by letters, such as "12a"
            warnings.simplefilter("ignore", SyntaxWarning)
            found = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        found = _SEPARATOR.split(text[1:-1])
    return [str(each).strip(" '\"") for each in found] or [text]


def _compared(answer: str, target: str, *, exact: bool) -> float:
    answer, target = answer.strip().lower(), target.strip().lower()
    if exact:
        letter = _LETTER.fullmatch(answer) if len(target) == 1 else None
        return float((letter[1] if letter else answer) == target)
    answer, target = answer.strip("% "), target.strip("% ")
    value, right = _number(answer), _number(target)
    if value is None or right is None:
        similarity = similarity_of(answer, target)
        return similarity if similarity > 0.5 else 0.0  # noqa: PLR2004 - the threshold of ANLS
    return float(value == right if right == 0 else abs(value - right) / abs(right) <= TOLERANCE)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
