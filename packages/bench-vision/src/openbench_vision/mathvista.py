"""MathVista: mathematical questions about charts, diagrams, geometry and photographs.

Lu et al. (2024), https://arxiv.org/abs/2310.02255
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows, read_text
from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import fold, given, without_target
from openbench.scorers.mcq import group_metrics, offered_options
from openbench.scorers.reasons import GRADER_FAILED, is_missing, unanswered
from openbench.tasks.prompts import option_letters
from openbench_scorers.grading import DEFAULT_GRADER_KEY
from openbench_scorers.model_graded import resolve_grader
from openbench_scorers.numeric import number_reader
from openbench_scorers.templates import DEFAULT_GRADER
from openbench_vision.answers import read_letter
from openbench_vision.images import Images
from openbench_vision.metadata import MATHVISTA, MATHVISTA_EXTRACTION

Extraction = Literal["rules", "grader"]

_METRICS = [accuracy(), stderr(), *group_metrics(accuracy(), ["task", "question_type"])]
_LIST = re.compile(r"\[[^\[\]]*\]")
_ENCLOSED_LETTER = re.compile(r"\(([A-Za-z])\)")
_read_number = number_reader(("boxed", "announced", "last_number"))


@task
def mathvista(extraction: Extraction = "rules", grader_model: str | None = None, max_side: int | None = None) -> Task:
    """Answer the 1,000 questions of testmini, with accuracy by task and type of question.

    The prompt is the column `query`, with the authors' hint and the options.

    Args:
        extraction: How answers are extracted: by `rules`, or by a `grader` with the authors' prompt, which is
            downloaded and pinned.
        grader_model: The grader; by default the model with the role `grader`, else `openai/gpt-4.1-2025-04-14`.
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.

    Raises:
        UsageError: The extraction is unknown.
    """
    if extraction not in get_args(Extraction):
        raise UsageError(f"mathvista: extraction={extraction!r}: expected one of {', '.join(get_args(Extraction))}.")
    images = Images(max_side)
    return Task(
        name="mathvista",
        dataset=load_samples(read_rows(MATHVISTA), lambda row: record_to_sample(row, images), name="mathvista"),
        solver=generate(),
        scorer=mathvista_scorer() if extraction == "rules" else mathvista_grader(grader_model),
    )


def record_to_sample(row: Mapping[str, Any], images: Images) -> Sample:
    """Map a row, whose answer is the text of an option, a number or a list."""
    options = list(row["choices"] or ())
    target = row["answer"]
    if options:
        target = option_letters(len(options))[options.index(target)]
    return Sample(
        id=row["pid"],
        input=[images.before([row["decoded_image"]], row["query"])],
        choices=options or None,
        target=target,
        metadata={
            "question_type": row["question_type"],
            "answer_type": row["answer_type"],
            "precision": None if row["precision"] is None else int(row["precision"]),
            "task": row["metadata"]["task"],
        },
    )


@scorer(metrics=_METRICS)
def mathvista_scorer() -> Scorer:
    """Score the answer that rules extract from a response; see `score_mathvista`."""

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        found = _found(completion, state.metadata["answer_type"], offered_options(state))
        return score_mathvista(completion, found, target.text, **_rule(state))

    return score


@scorer(metrics=_METRICS, **{DEFAULT_GRADER_KEY: DEFAULT_GRADER})
def mathvista_grader(grader_model: str | Model | None = None) -> Scorer:
    """Score the answer that a grader extracts from a response; a response that is only an answer is not graded.

    Args:
        grader_model: The grader; by default the model with the role `grader`, else `openai/gpt-4.1-2025-04-14`.
    """
    examples = read_text(MATHVISTA_EXTRACTION, variable="demo_prompt").strip()

    async def score(state: TaskState, target: Target) -> Score:
        completion, options = state.output.completion, offered_options(state)
        response = strip_reasoning(completion).strip()
        found: str | None = response
        if response and not _is_bare(response, state.metadata["answer_type"], options):
            grader = resolve_grader(grader_model, DEFAULT_GRADER)
            output = await grader.generate(f"{examples}\n\n{state.input_text}\n\n{response}\n\nExtracted answer: ")
            if is_missing(output):
                return Score.unscored(reason=GRADER_FAILED, answer=completion, explanation=output.completion)
            found = output.completion.strip()
        if options:
            found = _option(found, options)
        elif state.metadata["answer_type"] != "list":
            found = _number(found)
        return score_mathvista(completion, found, target.text, **_rule(state))

    return score


def score_mathvista(
    completion: str,
    found: str | None,
    target: str,
    *,
    answer_type: str,
    precision: int | None = None,
    options: Mapping[str, str] | None = None,
) -> Score:
    """Score the answer extracted from a response.

    Options are equal if their texts are. For integers, the decimal places of a number are cut off, as in the published
    scoring. Other numbers are rounded to the precision. Lists must have the same items.

    Source: https://github.com/lupantech/MathVista, evaluation/calculate_score.py; the README lists differences.

    Args:
        completion: The response, which becomes the explanation.
        found: The letter of an option, or the text of a number or list; None if no answer was found.
        target: The correct answer.
        answer_type: `text`, `integer`, `float` or `list`.
        precision: The number of decimal places of a `float`.
        options: The options' texts by letter.
    """
    if not given([target]):
        return without_target(completion)
    value = _value(found, answer_type, precision, options)
    if value is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    is_right = value == _value(target, answer_type, precision, options)
    return Score(value=CORRECT if is_right else INCORRECT, answer=found, explanation=completion)


def _rule(state: TaskState) -> dict[str, Any]:
    metadata = state.metadata
    return {
        "answer_type": metadata["answer_type"],
        "precision": metadata["precision"],
        "options": offered_options(state),
    }


def _found(completion: str, answer_type: str, options: Mapping[str, str]) -> str | None:
    """Return the letter, number or list that a response gives as its answer."""
    if options:
        return read_letter(completion, options)
    text = strip_reasoning(completion)
    if answer_type == "list":
        lists = _LIST.findall(text)
        return str(lists[-1]) if lists else None
    return _number(text)


def _number(text: str | None) -> str | None:
    """Return the number of an answer as a plain decimal."""
    number = _read_number(text) if text else None
    return str(float(number.value)) if number else None


def _value(
    found: str | None, answer_type: str, precision: int | None, options: Mapping[str, str] | None
) -> str | float | Sequence[Any] | None:
    """Return the value to compare; None if an answer does not have its type."""
    if found is None:
        return None
    if options:
        return options.get(found, found)
    try:
        if answer_type == "list":
            items = ast.literal_eval(found)
            return items if isinstance(items, list) else None
        return int(float(found)) if answer_type == "integer" else round(float(found), precision or 0)
    except (SyntaxError, ValueError, OverflowError):
        return None


def _is_bare(response: str, answer_type: str, options: Mapping[str, str]) -> bool:
    """Return whether a response is only an answer, so that no grader is needed."""
    if options:
        return response in options or response in options.values()
    try:
        float(response)
    except ValueError:
        return False
    return answer_type in {"integer", "float"}


def _option(found: str | None, options: Mapping[str, str]) -> str | None:
    """Return the letter of an extracted answer, which is a letter, a letter in parentheses, or an option's text."""
    text = found or ""
    letter = _ENCLOSED_LETTER.search(text)
    named = letter[1].upper() if letter else text.strip(" .")
    if named in options:
        return named
    return next((letter for letter, option in options.items() if fold(option) == fold(text)), None)
