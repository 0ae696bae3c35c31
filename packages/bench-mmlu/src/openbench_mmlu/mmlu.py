"""MMLU (Hendrycks et al., "Measuring Massive Multitask Language Understanding", arXiv:2009.03300)."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench.errors import UsageError
from openbench.tasks.mcq import MCQSample, Style, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mmlu.fewshot import Examples, check_fewshot, read_examples, worked_example
from openbench_mmlu.metadata import MMLU
from openbench_mmlu.official import SHOTS, Wording, official_wording
from openbench_mmlu.ranked import ranked_example, ranked_sample
from openbench_mmlu.selection import select_rows
from openbench_mmlu.settings import generation
from openbench_mmlu.subjects import category_of, choose_subjects
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import target_letter
from openbench_scorers.selection import labelled_split

Prompt = Literal["ours", "official"]

EXAMPLES_SPLIT = "dev"
GROUP_KEYS = ["category", "subject"]
GOLDENS = {  # golden prompts also cover few-shot examples and other styles
    "fewshot": {"fewshot": 5},
    "letters_ranked": {"style": "letters_ranked", "fewshot": 5},
    "cloze": {"style": "cloze"},
}


@task
def mmlu(
    subjects: str | list[str] | None = None,
    fewshot: int | None = None,
    split: str = "test",
    settings: str = "default",
    prompt: Prompt = "ours",
    style: Style = "letters",
) -> Task:
    """Answer questions on 57 subjects, each with four options.

    Args:
        subjects: Subjects or categories (stem, humanities, social_sciences, other); all by default.
        fewshot: The number of examples of the subject before each question, 0 to 5. By default 0, or 5 with
            `prompt=official`, as in the paper.
        split: The split to evaluate: test, validation or dev.
        settings: `default`, or `upstream` for the settings of groq/openbench: temperature 0.5.
        prompt: `ours`, or `official` for the authors' prompt, which is downloaded once from their code.
        style: `letters`: the model writes a letter. `letters_ranked`: the letters are ranked by log-probability.
            `cloze`: the texts of the options are ranked. `cloze_unconditional`: likewise, and also after subtracting
            their log-probability without the question.

    Returns:
        A task that reports accuracy and its standard error, over all and by category and subject.

    Raises:
        UsageError: An argument is invalid.
        DataError: The rows cannot be loaded, or one does not match the schema.
    """
    labelled_split("mmlu", split, labelled=("test", "validation", "dev"))
    if prompt not in get_args(Prompt):
        raise UsageError(f"mmlu: prompt={prompt!r}: expected one of {', '.join(get_args(Prompt))}.")
    if prompt == "official" and style != "letters":
        raise UsageError(f"mmlu: prompt='official' requires style='letters', not {style!r}.")
    if fewshot is None:
        fewshot = SHOTS if prompt == "official" else 0
    check_fewshot("mmlu", fewshot, split=split, examples_split=EXAMPLES_SPLIT)
    chosen = choose_subjects("mmlu", subjects)
    rows = read_rows(replace(MMLU, split=split))
    if subjects is not None:
        rows = select_rows(rows, "subject", chosen)
    return mcq_task(
        name="mmlu",
        dataset=load_samples(rows, _mapping(style, prompt, fewshot), name="mmlu"),
        group_keys=GROUP_KEYS,
        config=generation("mmlu", settings),
        style=style,
    )


def _mapping(style: Style, prompt: Prompt, fewshot: int) -> Callable[[dict[str, Any]], Sample]:
    wording = official_wording() if prompt == "official" else None
    own = style.removesuffix("_unconditional")
    to_example = mapping_of(
        "mmlu",
        style,
        letters=wording.example if wording else record_to_example,
        letters_ranked=partial(ranked_example, style=own),
        cloze=partial(ranked_example, style=own),
    )
    examples = read_examples(replace(MMLU, split=EXAMPLES_SPLIT), to_example, fewshot)
    if style == "letters":
        return partial(record_to_mcq_sample, examples=examples, wording=wording)
    return partial(ranked_sample, style=own, examples=examples)


def record_to_mcq_sample(
    record: dict[str, Any], examples: Examples | None = None, wording: Wording | None = None
) -> MCQSample:
    """Map a row of MMLU or MMLU-Redux; rows have no id, so core derives one from the content."""
    subject, options = record["subject"], record["choices"]
    if wording:
        prompt = wording.prompt(record, examples.of(subject) if examples else ())
    else:
        prompt = create_dynamic_multiple_choice_prompt(record["question"], options)
        prompt = examples.before(subject, prompt) if examples else prompt
    return MCQSample(
        input=prompt,
        target=target_letter(record["answer"], options),
        metadata={"category": category_of(subject), "subject": subject},
    )


def record_to_example(record: dict[str, Any]) -> Sample:
    """Convert a row of the dev split to a few-shot example."""
    options = record["choices"]
    letter = target_letter(record["answer"], options)
    return worked_example(record["question"], options, letter, group=record["subject"])
