"""MMLU by log-probability, in the prompts of lm-evaluation-harness: its tasks `mmlu` and `mmlu_continuation`."""

from typing import Any

from inspect_ai.dataset import Sample

from openbench.tasks.prompts import option_letters
from openbench_mmlu.fewshot import GROUP, Examples
from openbench_mmlu.subjects import category_of
from openbench_ranking.request import ranking_sample

_HEADS = {
    "letters_ranked": "The following are multiple choice questions (with answers) about {}.",
    "cloze": "The following are questions (with answers) about {}.",
}


def ranked_sample(record: dict[str, Any], *, style: str, examples: Examples | None = None) -> Sample:
    """Map a row.

    Args:
        record: The row.
        style: `letters_ranked` shows the options and ranks their letters; `cloze` ranks their texts.
        examples: The few-shot examples, as written by `ranked_example`.
    """
    subject = record["subject"]
    shown = examples.of(subject) if examples else ()
    head = _HEADS[style].format(subject.replace("_", " "))
    return ranking_sample(
        input="\n\n".join([head, *shown, _question(record, style)]),
        continuations=[f" {text}" for text in _ranked(record, style)],
        gold=[record["answer"]],
        metadata={"category": category_of(subject), "subject": subject},
    )


def ranked_example(record: dict[str, Any], *, style: str) -> Sample:
    """Convert a row of the dev split to a few-shot example."""
    answer = _ranked(record, style)[record["answer"]]
    return Sample(input=f"{_question(record, style)} {answer}", metadata={GROUP: record["subject"]})


def _question(record: dict[str, Any], style: str) -> str:
    question = record["question"].strip()
    if style == "cloze":
        return f"Question: {question}\nAnswer:"
    letters = option_letters(len(record["choices"]))
    options = [f"{letter}. {option}" for letter, option in zip(letters, record["choices"], strict=True)]
    return "\n".join([question, *options, "Answer:"])


def _ranked(record: dict[str, Any], style: str) -> list[str]:
    return list(record["choices"] if style == "cloze" else option_letters(len(record["choices"])))
