"""MMMU: questions from university exams in 30 subjects, with images in the question and in the options.

Yue et al. (2024), https://arxiv.org/abs/2311.16502
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import yaml
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_configs, read_text
from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import given, without_target
from openbench.scorers.mcq import group_metrics, offered_options
from openbench.scorers.reasons import unanswered
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_lines
from openbench_scorers.labels import target_letter
from openbench_scorers.selection import Selection, labelled_split, selected_names
from openbench_vision.answers import announced_answer, score_letter
from openbench_vision.images import Images
from openbench_vision.metadata import MMMU, MMMU_PROMPT, SUBJECTS

Prompt = Literal["ours", "official"]
Write = Callable[[str, Sequence[str]], str]

DISCIPLINES = {subject: discipline for discipline, subjects in SUBJECTS.items() for subject in subjects}

_OPEN = (
    "Answer the following question. The last line of your response should be 'Answer: ' and the answer alone: a "
    "number, a word or a short phrase."
)
# The words before an answer, in the published scoring; the last line may give it after an equals sign.
_CUES = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_NUMBER = re.compile(
    r"-?\b\d{1,3}(?:,\d{3})+\b|-?\d+(?:\.\d+)?[eE][+-]?\d+|-?(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d)(?![,\d])"
)
_PLACES = 2


@task
def mmmu(
    subject: Selection = None, split: str = "validation", prompt: Prompt = "ours", max_side: int | None = None
) -> Task:
    """Answer the questions, with accuracy by discipline and subject.

    Args:
        subject: Subjects, for example `Art,Music`; all by default.
        split: The split to evaluate: validation or dev.
        prompt: `ours`, or `official`: that of the authors' configuration for LLaVA, downloaded and pinned.
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.

    Raises:
        UsageError: The subject or the prompt is unknown, or the split has no labels.
    """
    if prompt not in get_args(Prompt):
        raise UsageError(f"mmmu: prompt={prompt!r}: expected one of {', '.join(get_args(Prompt))}.")
    labelled_split("mmmu", split, labelled=("validation", "dev"), unlabelled=("test",))
    chosen = selected_names("mmmu: subject", subject, sorted(DISCIPLINES))
    rows = read_configs(replace(MMMU, split=split), chosen, column="subject")
    images = Images(max_side)
    writers = _official() if prompt == "official" else (create_dynamic_multiple_choice_prompt, write_open)

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [record_to_sample(row, images, *writers)] if row["subject"] in chosen else []

    return Task(
        name="mmmu", dataset=load_samples(rows, to_samples, name="mmmu"), solver=generate(), scorer=mmmu_scorer()
    )


def write_open(question: str, _: Sequence[str] = ()) -> str:
    """Write the prompt of an open question."""
    return f"{_OPEN}\n\n{question}"


def record_to_sample(
    row: Mapping[str, Any],
    images: Images,
    closed: Write = create_dynamic_multiple_choice_prompt,
    opened: Write = write_open,
) -> Sample:
    """Map a row, whose question is open or offers options."""
    metadata = {"discipline": DISCIPLINES[row["subject"]], "subject": row["subject"]}
    if row["question_type"] == "open":
        asked = opened(row["question"], [])
        return Sample(
            id=row["id"], input=[images.interleaved(asked, row)], target=_listed(row["answer"]), metadata=metadata
        )
    options = read_option_list(row["options"])
    return Sample(
        id=row["id"],
        input=[images.interleaved(closed(row["question"], options), row)],
        choices=options,
        target=target_letter(ord(row["answer"]) - ord("A"), options),
        metadata=metadata,
    )


def read_option_list(text: str | Sequence[str]) -> list[str]:
    """Parse the options of a row, which are the text of a Python list; one row has a nested list.

    Raises:
        ValueError: The text is not a Python literal.
    """
    options = ast.literal_eval(text) if isinstance(text, str) else text
    while len(options) == 1 and isinstance(options[0], list):
        (options,) = options
    return [str(option) for option in options]


def _listed(answer: str | Sequence[str]) -> list[str]:
    """Parse the answers to an open question: a single answer, or the text of a Python list."""
    if isinstance(answer, str) and answer.startswith("[") and answer.endswith("]"):
        try:
            answer = ast.literal_eval(answer)
        except (SyntaxError, ValueError):
            return [str(answer)]
    return [answer] if isinstance(answer, str) else [str(each) for each in answer]


def _official() -> tuple[Write, Write]:
    """Return the functions that write closed and open prompts as the authors' configuration does."""
    formats = yaml.safe_load(read_text(MMMU_PROMPT))
    (closed,), (opened,) = formats["multi_choice_example_format"], formats["short_ans_example_format"]

    def write_options(question: str, options: Sequence[str]) -> str:
        return str(closed.format(question, "".join(f"{line}\n" for line in option_lines(options, label="({}) "))))

    return write_options, lambda question, _: str(opened.format(question))


@scorer(metrics=[accuracy(), stderr(), *group_metrics(accuracy(), ["discipline", "subject"])])
def mmmu_scorer() -> Scorer:
    """Score the letter of an option, or the answer to an open question; see `score_open`."""

    async def score(state: TaskState, target: Target) -> Score:
        if state.choices:
            return score_letter(state.output.completion, target.text, offered_options(state))
        return score_open(state.output.completion, list(target))

    return score


def score_open(completion: str, targets: Sequence[str]) -> Score:
    """Score the answer to an open question.

    The answer is the text after the last `Answer:`; without one, it is the text after words such as `is` and
    `therefore` in each line. A numeric target must be among its numbers, to two decimal places. Any other target must
    be among its words, ignoring case unless it is a single letter.

    Source: the published scoring, https://github.com/MMMU-Benchmark/MMMU, mmmu/utils/eval_utils.py; the README lists
    differences.

    Args:
        completion: The model's answer.
        targets: The correct answers; matching one of them suffices.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    text = strip_reasoning(completion).strip()
    if not text:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    announced = announced_answer(text)
    parts = [announced] if announced else _key_parts(text)
    is_right = any(_holds(part, target) for part in parts for target in right)
    return Score(value=CORRECT if is_right else INCORRECT, answer=parts[-1], explanation=completion)


def _key_parts(text: str) -> list[str]:
    """Return the shortest text after a cue, for each line that has one; without any, the whole text."""
    lines = text.strip(".").split("\n")
    parts = []
    for number, line in enumerate(lines, start=1):
        cues = (*_CUES, "=") if number == len(lines) else _CUES
        lower = line.lower()
        after = [line[lower.rfind(cue) + len(cue) :].strip() for cue in cues if cue in lower]
        if after and (shortest := min(after, key=len)).strip(":,.!?;'"):
            parts.append(shortest)
    return parts or [text]


def _holds(part: str, target: str) -> bool:
    number = _value(target)
    if number is not None:
        return number in {_value(found) for found in [part, *_NUMBER.findall(part.replace("\u2212", "-"))]}
    flags = 0 if len(target) == 1 else re.IGNORECASE
    return re.search(rf"(?<!\w){re.escape(target.strip())}(?!\w)", part, flags) is not None


def _value(text: str) -> float | None:
    """Return a number to two decimal places; None if the text is not one."""
    try:
        return round(float(text.strip().strip(".").replace(",", "")), _PLACES)
    except ValueError:
        return None
