"""DocVQA: questions about scanned pages, scored by ANLS.

Mathew et al. (2021), https://arxiv.org/abs/2007.00398
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate
from rapidfuzz.distance import Levenshtein

from openbench.datasets import load_samples, read_rows
from openbench.scorers.matching import given, without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.means import clustered_stderr
from openbench_vision.answers import short_answer
from openbench_vision.images import Images
from openbench_vision.metadata import DOCVQA

THRESHOLD = 0.5

_INSTRUCTION = (
    "Answer the question about the page in the image with the words, or the number, that the page has for it. Give the "
    "answer alone, without a sentence around it."
)


@task
def docvqa(max_side: int | None = None) -> Task:
    """Answer the questions of the validation set; the answers of the test set are not published.

    Results for questions about the same page are correlated: `clustered_stderr` counts them as one cluster.

    Args:
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.
    """
    images = Images(max_side)
    return Task(
        name="docvqa",
        dataset=load_samples(read_rows(DOCVQA), lambda row: record_to_sample(row, images), name="docvqa"),
        solver=generate(),
        scorer=anls(),
    )


def record_to_sample(row: Mapping[str, Any], images: Images) -> Sample:
    """Map a row."""
    return Sample(
        id=row["questionId"],
        input=[images.before([row["image"]], f"{_INSTRUCTION}\n\n{row['question']}")],
        target=list(row["answers"]),
        metadata={
            "page": f"{row['ucsf_document_id']}/{row['ucsf_document_page_no']}",
            "question_types": list(row["question_types"]),
        },
    )


@scorer(metrics=[mean(), stderr(), clustered_stderr("page")])
def anls() -> Scorer:
    """Score answers by ANLS, the similarity of their spelling, 0 to 1; see `score_anls`."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_anls(state.output.completion, list(target))

    return score


def score_anls(completion: str, targets: Sequence[str]) -> Score:
    """Score an answer by its highest normalized Levenshtein similarity to a target; less than 0.5 is 0.

    Letter case and the amount of white space do not matter.

    Source: Biten et al. 2019, Scene text visual question answering, arXiv 1905.13648, equation 1. A similarity of
    exactly 0.5 counts, as in the evaluation server's script.

    Args:
        completion: The model's answer.
        targets: The correct answers.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    answer = short_answer(completion)
    if not answer:
        return Score(value=0.0, reason=unanswered(completion), explanation=completion)
    similarity = max(similarity_of(answer, target) for target in right)
    return Score(value=similarity if similarity >= THRESHOLD else 0.0, answer=answer, explanation=completion)


def similarity_of(answer: str, target: str) -> float:
    """Return 1 minus the Levenshtein distance over the longer length, 0 to 1, of the texts in lower case."""
    return Levenshtein.normalized_similarity(" ".join(answer.lower().split()), " ".join(target.lower().split()))
