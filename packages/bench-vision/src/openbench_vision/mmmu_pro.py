"""MMMU-Pro: questions of MMMU that require the image, with more options, or as screenshots and photographs.

Yue et al. (2024), https://arxiv.org/abs/2409.02813
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import yaml
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows, read_text
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import group_metrics, offered_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters, option_lines
from openbench_scorers.labels import target_letter
from openbench_scorers.selection import Selection, selected_rows
from openbench_vision.answers import score_letter
from openbench_vision.images import Images
from openbench_vision.metadata import MMMU_PRO, MMMU_PRO_4, MMMU_PRO_PROMPTS, MMMU_PRO_VISION
from openbench_vision.mmmu import DISCIPLINES, read_option_list

Prompt = Literal["ours", "direct", "cot"]
Mapped = Callable[[Mapping[str, Any], Images, str | None], Sample]

_IN_THE_IMAGE = (
    "The image shows a multiple choice question with its options. Answer it. The last line of your response should be "
    "'Answer: ' and the letter of the right option, one of {letters}."
)


@task
def mmmu_pro(subject: Selection = None, prompt: Prompt = "ours", max_side: int | None = None) -> Task:
    """Answer the questions with up to ten options, with accuracy by discipline and subject.

    Args:
        subject: Subjects, for example `Art,Music`; all by default.
        prompt: `ours`, or one of the authors' prompts, downloaded and pinned: `direct` or `cot` (with reasoning).
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.

    Raises:
        UsageError: The subject or the prompt is unknown.
    """
    return _task("mmmu_pro", MMMU_PRO, standard_sample, subject, prompt, max_side)


@task
def mmmu_pro_4(subject: Selection = None, prompt: Prompt = "ours", max_side: int | None = None) -> Task:
    """Answer the questions with up to four options, with accuracy by discipline and subject.

    Args:
        subject: Subjects, for example `Art,Music`; all by default.
        prompt: As for `mmmu_pro`.
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.

    Raises:
        UsageError: The subject or the prompt is unknown.
    """
    return _task("mmmu_pro_4", MMMU_PRO_4, standard_sample, subject, prompt, max_side)


@task
def mmmu_pro_vision(subject: Selection = None, prompt: Prompt = "ours", max_side: int | None = None) -> Task:
    """Answer questions that are shown in the image with their options, with accuracy by discipline and subject.

    Args:
        subject: Subjects, for example `Art,Music`; all by default.
        prompt: As for `mmmu_pro`.
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.

    Raises:
        UsageError: The subject or the prompt is unknown.
    """
    return _task("mmmu_pro_vision", MMMU_PRO_VISION, vision_sample, subject, prompt, max_side)


def standard_sample(row: Mapping[str, Any], images: Images, request: str | None = None) -> Sample:
    """Map a row with its question as text. A `request` of the authors' prompts follows the options."""
    options = read_option_list(row["options"])
    if request is None:
        asked = create_dynamic_multiple_choice_prompt(row["question"], options)
    else:
        asked = "\n".join([row["question"], *option_lines(options, label="{}. "), request])
    return Sample(
        id=row["id"],
        input=[images.interleaved(asked, row)],
        choices=options,
        target=target_letter(ord(row["answer"]) - ord("A"), options),
        metadata=_groups(row),
    )


def vision_sample(row: Mapping[str, Any], images: Images, request: str | None = None) -> Sample:
    """Map a row whose image shows the question and the options; the metadata include the options for the scorer."""
    options = read_option_list(row["options"])
    asked = request or _IN_THE_IMAGE.format(letters=", ".join(option_letters(len(options))))
    return Sample(
        id=row["id"],
        input=[images.before([row["image"]], asked)],
        target=target_letter(ord(row["answer"]) - ord("A"), options),
        metadata={**_groups(row), "options": options},
    )


def _groups(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"discipline": DISCIPLINES[row["subject"]], "subject": row["subject"]}


def _task(
    name: str, source: DatasetSource, mapped: Mapped, subject: Selection, prompt: str, max_side: int | None
) -> Task:
    if prompt not in get_args(Prompt):
        raise UsageError(f"{name}: prompt={prompt!r}: expected one of {', '.join(get_args(Prompt))}.")
    request = None
    if prompt != "ours":
        kind = "vision" if mapped is vision_sample else "standard"
        request = str(yaml.safe_load(read_text(MMMU_PRO_PROMPTS))[prompt][kind])
    images = Images(max_side)
    rows = selected_rows(read_rows(source), f"{name}: subject", "subject", subject)
    return Task(
        name=name,
        dataset=load_samples(rows, lambda row: mapped(row, images, request), name=name),
        solver=generate(),
        scorer=mmmu_pro_scorer(),
    )


@scorer(metrics=[accuracy(), stderr(), *group_metrics(accuracy(), ["discipline", "subject"])])
def mmmu_pro_scorer() -> Scorer:
    """Score the letter of an option, or its text."""

    async def score(state: TaskState, target: Target) -> Score:
        texts = state.metadata.get("options")
        options = dict(zip(option_letters(len(texts)), texts, strict=True)) if texts else offered_options(state)
        return score_letter(state.output.completion, target.text, options)

    return score
