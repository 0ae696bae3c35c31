"""MMLU in other languages: Global-MMLU in 42 languages and MMMLU in 14, with prompts in each language.

Singh et al. (2024), https://arxiv.org/abs/2412.03304; Hendrycks et al. (2020), https://arxiv.org/abs/2009.03300
"""

from collections import Counter
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import Rows, load_samples, read_configs
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench_mcq.metadata.entry import AS_WRITTEN
from openbench_mcq.metadata.multilingual import GLOBAL_MMLU, GLOBAL_MMLU_LANGUAGES, MMMLU, MMMLU_LOCALES
from openbench_mcq.native import ANY, native_prompt
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.means import clustered_stderr
from openbench_scorers.selection import Selection, labelled_split, selected_names, selected_rows

LETTERS = ("A", "B", "C", "D")
_SENSITIVITIES = {"CS": "culturally sensitive", "CA": "culturally agnostic"}
_LANGUAGES = {locale: language for language, locale in MMMLU_LOCALES.items()}


@task
def global_mmlu(language: Selection = None, subject: Selection = None, split: str = "test") -> Task:
    """Answer the questions of MMLU in 42 languages, with accuracy by language, category and cultural sensitivity.

    Results for the versions of a question are correlated: `clustered_stderr` counts them as one cluster.

    Args:
        language: Language codes, as in `sw` or `de,ko`; all by default.
        subject: Subjects; all by default.
        split: The split to evaluate: test or dev.

    Raises:
        UsageError: The language, subject or split does not exist.
    """
    labelled_split("global_mmlu", split, labelled=("test", "dev"))
    option = "global_mmlu: language"
    chosen = selected_names(option, language, GLOBAL_MMLU_LANGUAGES)
    rows = selected_rows(
        read_configs(replace(GLOBAL_MMLU, split=split), chosen, column="language"), option, "language", language
    )
    rows = selected_rows(rows, "global_mmlu: subject", "subject", subject)
    return _mmlu_task("global_mmlu", rows, global_mmlu_sample, groups=["language", "category", "sensitivity"])


def global_mmlu_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. About 2,850 questions are annotated as culturally sensitive (CS) or culturally agnostic (CA)."""
    options = [row[f"option_{letter.lower()}"] for letter in LETTERS]
    language, question = row["language"], row["sample_id"]
    return MCQSample(
        input=native_prompt(language, row["question"], options),
        target=target_letter(label_index(row, "answer", LETTERS), options),
        id=f"{language}/{question}",
        metadata={
            "language": language,
            "question": question,
            "subject": row["subject"],
            "category": row["subject_category"],
            "sensitivity": _SENSITIVITIES.get(row["cultural_sensitivity_label"], "not annotated"),
        },
    )


@task
def mmmlu(language: Selection = None, subject: Selection = None) -> Task:
    """Answer the questions of MMLU in 14 languages, with accuracy by language and subject.

    Results for the versions of a question are correlated: `clustered_stderr` counts them as one cluster.

    Args:
        language: Language codes, as in `sw` or `de,ko`; all by default.
        subject: Subjects; all by default.

    Raises:
        UsageError: The language or subject does not exist.
    """
    chosen = selected_names("mmmlu: language", language, MMMLU_LOCALES)
    locales = [MMMLU_LOCALES[code] for code in chosen]
    rows = read_configs(MMMLU, locales, column="locale", **AS_WRITTEN)
    rows = selected_rows(_numbered(rows), "mmmlu: language", "locale", None if language is None else [*locales])
    return _mmlu_task(
        "mmmlu", selected_rows(rows, "mmmlu: subject", "Subject", subject), mmmlu_sample, groups=["language", "subject"]
    )


def mmmlu_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. Its `number` is the position of the question, which is the same in every language."""
    options = [row[letter] for letter in LETTERS]
    language = _LANGUAGES[row["locale"]]
    return MCQSample(
        input=native_prompt(language, row["Question"], options),
        target=target_letter(label_index(row, "Answer", LETTERS), options),
        id=f"{language}/{row['number']}",
        metadata={"language": language, "question": row["number"], "subject": row["Subject"]},
    )


def _numbered(rows: Rows) -> Rows:
    seen: Counter[str] = Counter()
    numbered = []
    for row in rows.rows:
        seen[row["locale"]] += 1
        numbered.append({**row, "number": seen[row["locale"]]})
    return Rows(rows.label, numbered, rows.source)


def _mmlu_task(name: str, rows: Rows, to_sample: Any, *, groups: list[str]) -> Task:
    return mcq_task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        group_keys=groups,
        additional_metrics=[clustered_stderr("question")],
        language=ANY,
    )
