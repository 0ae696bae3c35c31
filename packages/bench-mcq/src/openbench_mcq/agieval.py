"""AGIEval: questions from admission and qualification exams in English and Chinese; only the sets with options.

Zhong et al. (2023), https://arxiv.org/abs/2304.06364
"""

# ruff: noqa: RUF001, RUF002 -- Chinese punctuation

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows
from openbench.scorers.answer_phrases import ENGLISH, find_language
from openbench.scorers.mcq import offered_options
from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import option_letters, option_lines
from openbench_mcq.metadata.exams import AGIEVAL, ExamSet
from openbench_mcq.native import ANY, native_prompt
from openbench_mcq.passages import by_passage, passage_key
from openbench_scorers.choice import score_choices
from openbench_scorers.labels import label_index, target_letter

_PREFIX = re.compile(r"^\s*(?:\(([A-E])\)|([A-E])\s*[.．、:：。])")
_MIN_IN_PLACE = 3
_MULTIPLE_ANSWERS = (
    "请回答下面的选择题，正确选项可能不止一个。在最后一行按“答案：字母”的格式写出所有正确选项的字母，"
    "字母取自{letters}，多个字母之间用顿号隔开。"
)
_CUE = re.compile(r"答案\s*[:：]")
_AND = re.compile(r"(?<=[A-E])\s*[和与及]\s*(?=[A-E])")


def options_by_letter(printed: Sequence[str]) -> list[str]:
    """Return the options' texts in the order of their letters.

    Options are printed as `(A)text`, and in Chinese sets also as `A．text`, `A、text` or `A: text`. Exceptions:

    - 19 questions of LogiQA in English and 20 in Chinese list the options as (A), (C), (B), (D). The label means the
      printed letter: where the readings differ and logic decides the question (1-based rows 109, 115, 173, 193, 199,
      200), only this reading is correct.
    - Some options have a prefix of another form (`A text`, `A? text`) or none. Their position counts, and nothing is
      removed, since it could be part of the text.
    - Three questions of Gaokao History print one letter twice and all others in their places. The position counts.

    Raises:
        ValueError: The printed letters contradict the positions in any other way.
    """
    letters = option_letters(len(printed))
    found = [_PREFIX.match(option) for option in printed]
    prefixes = [(match[1] or match[2]) if match else "" for match in found]
    texts = [_PREFIX.sub("", option).strip() for option in printed]
    if sorted(prefixes) == list(letters):
        return [texts[prefixes.index(letter)] for letter in letters]
    displaced = [prefix for prefix, letter in zip(prefixes, letters, strict=True) if prefix not in {"", letter}]
    in_place = sum(prefix == letter for prefix, letter in zip(prefixes, letters, strict=True))
    misprint = len(displaced) == 1 and prefixes.count(displaced[0]) > 1 and in_place >= _MIN_IN_PLACE
    if displaced and not misprint:
        raise ValueError(f"options: their letters contradict their positions: {list(printed)!r:.200}")
    return texts


def record_to_mcq_sample(row: dict[str, Any], language: str = "en") -> list[MCQSample]:
    """Map a row: the passage, which may be null or blank, then the question. No sample if an option is blank."""
    content = _content(row)
    if content is None:
        return []
    question, options, metadata = content
    label = row["label"]
    given = {"label": label[0] if isinstance(label, list) and len(label) == 1 else label}
    sample = MCQSample(
        input=native_prompt(language, question, options),
        target=target_letter(label_index(given, "label", option_letters(len(options))), options),
        metadata=metadata,
    )
    return [sample]


def _content(row: dict[str, Any]) -> tuple[str, list[str], dict[str, Any]] | None:
    """Return the question, options and metadata of a row; None if an option is blank."""
    passage, options = (row["passage"] or "").strip(), options_by_letter(row["options"])
    if not all(options):
        return None
    question = f"{passage}\n\n{row['question']}" if passage else row["question"]
    return question, options, passage_key(passage)


def _agieval(exam: ExamSet) -> Task:
    return MCQEval(
        name=exam.key,
        record_to_mcq_sample=partial(record_to_mcq_sample, language=exam.language),
        additional_metrics=by_passage() if exam.passages else None,
        language=ENGLISH.name if exam.language == "en" else ANY,
        **exam.source.arguments(),
    )


@task
def agieval_aqua_rat() -> Task:
    """Algebraic word problems with five options."""
    return _agieval(AGIEVAL["agieval_aqua_rat"])


@task
def agieval_sat_math() -> Task:
    """Multiple-choice mathematics questions from a college entrance exam."""
    return _agieval(AGIEVAL["agieval_sat_math"])


@task
def agieval_sat_en() -> Task:
    """Reading questions from a college entrance exam, with their passages."""
    return _agieval(AGIEVAL["agieval_sat_en"])


@task
def agieval_sat_en_without_passage() -> Task:
    """The same reading questions without their passages, to measure the accuracy of guessing."""
    return _agieval(AGIEVAL["agieval_sat_en_without_passage"])


@task
def agieval_lsat_ar() -> Task:
    """Logic games from a law school entrance exam."""
    return _agieval(AGIEVAL["agieval_lsat_ar"])


@task
def agieval_lsat_lr() -> Task:
    """Questions about short arguments from a law school entrance exam."""
    return _agieval(AGIEVAL["agieval_lsat_lr"])


@task
def agieval_lsat_rc() -> Task:
    """Reading questions from a law school entrance exam."""
    return _agieval(AGIEVAL["agieval_lsat_rc"])


@task
def agieval_logiqa_en() -> Task:
    """Logic questions from a Chinese civil service exam, translated into English."""
    return _agieval(AGIEVAL["agieval_logiqa_en"])


@task
def agieval_logiqa_zh() -> Task:
    """Logic questions from a Chinese civil service exam."""
    return _agieval(AGIEVAL["agieval_logiqa_zh"])


@task
def agieval_jec_qa_kd() -> Task:
    """Questions about concepts from the Chinese judicial exam."""
    return _agieval(AGIEVAL["agieval_jec_qa_kd"])


@task
def agieval_jec_qa_ca() -> Task:
    """Questions about cases from the Chinese judicial exam."""
    return _agieval(AGIEVAL["agieval_jec_qa_ca"])


@task
def agieval_gaokao_biology() -> Task:
    """Biology questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_biology"])


@task
def agieval_gaokao_chemistry() -> Task:
    """Chemistry questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_chemistry"])


@task
def agieval_gaokao_chinese() -> Task:
    """Chinese language and literature questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_chinese"])


@task
def agieval_gaokao_english() -> Task:
    """English questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_english"])


@task
def agieval_gaokao_geography() -> Task:
    """Geography questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_geography"])


@task
def agieval_gaokao_history() -> Task:
    """History questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_history"])


@task
def agieval_gaokao_physics() -> Task:
    """Physics questions from the Chinese college entrance exam."""
    return _agieval(AGIEVAL["agieval_gaokao_physics"])


@task
def agieval_gaokao_mathqa() -> Task:
    """Mathematics questions from the Chinese college entrance exam; some have several correct options."""
    exam = AGIEVAL["agieval_gaokao_mathqa"]
    dataset = load_samples(read_rows(exam.source), multi_answer_sample, name=exam.key)
    return Task(name=exam.key, dataset=dataset, solver=generate(), scorer=letters_scorer())


def multi_answer_sample(row: dict[str, Any]) -> list[Sample]:
    """Map a row whose label may be several letters (`AD`, `A B D`), which form one target, such as `A, D`."""
    content = _content(row)
    if content is None:
        return []
    question, options, metadata = content
    letters = option_letters(len(options))
    label = str(row["label"]).replace(" ", "")
    if not label or not set(label) <= set(letters):
        label_index(row, "label", letters)  # raises an error that names the label
    instruction = _MULTIPLE_ANSWERS.format(letters=", ".join(letters))
    prompt = "\n".join([instruction, "", question, "", *option_lines(options)])
    return [Sample(input=prompt, target=", ".join(sorted(label)), metadata=metadata)]


@scorer(metrics=[accuracy(), stderr()])
def letters_scorer() -> Scorer:
    """Score all letters of the answer: correct if they are exactly the correct options."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_letters(state.output.completion, target.text, offered_options(state))

    return score


def score_letters(completion: str, target: str, options: dict[str, str]) -> Score:
    """Score one completion in Chinese or English against letters such as `A, D`; see `letters_scorer`."""
    read = _AND.sub(", ", _CUE.sub("Answer: ", completion)).replace("。", ". ")
    score = score_choices(read, target.split(", "), options, language=find_language(ANY))
    score.explanation = completion
    return score


def reference(sample: Sample) -> str:
    """Return the reference completion, with all correct letters."""
    return f"Answer: {sample.target if isinstance(sample.target, str) else ', '.join(sample.target)}"
