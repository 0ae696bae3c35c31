"""MGSM: 250 questions of GSM8K in eleven languages, asked and answered in each.

Shi et al. (2022), https://arxiv.org/abs/2210.03057
"""

# ruff: noqa: RUF001 -- letters of other alphabets are intended

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.datasets import Rows, read_parts, read_rows
from openbench.errors import UsageError
from openbench_math.build import math_task
from openbench_math.metadata import MGSM, MGSM_DIGESTS, mgsm_file
from openbench_scorers.languages import ANY
from openbench_scorers.numeric import number_reader, score_numeric

_PLACES = ("announced", "boxed", "last_number")


@dataclass(frozen=True)
class Wording:
    """A language's instruction for the answer.

    Attributes:
        cue: The text before the answer.
        instruction: The instruction, with the cue.
    """

    cue: str
    instruction: str


WORDINGS: Mapping[str, Wording] = {
    "bn": Wording("উত্তর", 'ধাপে ধাপে চিন্তা করুন। শেষ লাইনে চূড়ান্ত উত্তরটি শুধু একটি সংখ্যা হিসেবে লিখুন: "উত্তর: সংখ্যা"।'),
    "de": Wording(
        "Antwort",
        'Denke Schritt für Schritt. Schreibe das Ergebnis in die letzte Zeile, nur als Zahl: "Antwort: ZAHL".',
    ),
    "en": Wording(
        "Answer", 'Think step by step. Put the final answer on the last line, as a number alone: "Answer: NUMBER".'
    ),
    "es": Wording(
        "Respuesta", 'Piensa paso a paso. Escribe el resultado en la última línea, solo el número: "Respuesta: NÚMERO".'
    ),
    "fr": Wording(
        "Réponse",
        'Raisonne étape par étape. Écris le résultat sur la dernière ligne, le nombre seul : "Réponse : NOMBRE".',
    ),
    "ja": Wording(
        "答え", "順を追って考えてください。最後の行に、最終的な答えを数字だけで書いてください。「答え: 数字」"
    ),
    "ru": Wording(
        "Ответ", 'Рассуждай шаг за шагом. Запиши результат в последней строке, одним числом: "Ответ: ЧИСЛО".'
    ),
    "sw": Wording(
        "Jibu",
        'Fikiria hatua kwa hatua. Andika jibu la mwisho kwenye mstari wa mwisho, nambari pekee: "Jibu: NAMBARI".',
    ),
    "te": Wording("సమాధానం", 'దశలవారీగా ఆలోచించండి. చివరి వరుసలో తుది సమాధానాన్ని సంఖ్యగా మాత్రమే రాయండి: "సమాధానం: సంఖ్య".'),
    "th": Wording("คำตอบ", 'คิดทีละขั้นตอน แล้วเขียนคำตอบสุดท้ายเป็นตัวเลขเท่านั้นในบรรทัดสุดท้าย: "คำตอบ: ตัวเลข"'),
    "zh": Wording("答案", "请一步一步地思考。在最后一行只用一个数字写出最终结果：“答案：数字”。"),
}


@task
def mgsm(languages: str | list[str] | None = None) -> Task:
    """Answer 250 word problems in each of eleven languages; the versions of a question form a cluster.

    Args:
        languages: Any of bn, de, en, es, fr, ja, ru, sw, te, th, zh; all by default.
    """
    chosen = _chosen(languages)

    def to_samples(row: dict[str, Any]) -> Sequence[Sample]:
        return [mgsm_sample(row)] if row["language"] in chosen else []

    rows = read_parts(MGSM, lambda: [row for language in chosen for row in _read(language).rows])
    return math_task("mgsm", rows, to_samples, mgsm_scorer(), cluster="question", groups=["language"])


def mgsm_sample(row: dict[str, Any]) -> Sample:
    """Map a row: `question`, `answer`, `language`, and `number`, the question's position in every language."""
    return Sample(
        input=f"{row['question']}\n\n{WORDINGS[row['language']].instruction}",
        target=row["answer"].replace(",", "").strip(),
        metadata={"language": row["language"], "question": row["number"]},
    )


@scorer(metrics=[accuracy(), stderr()])
def mgsm_scorer() -> Scorer:
    """Score a completion's integer answer: 1 for correct, 0 for wrong, higher is better.

    The answer is the number announced in any language, else the boxed one, else the last. `1.200` and `1,200` are
    equal, since languages use different thousands separators and all answers are integers.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return score_integer(state.output.completion, list(target))

    return score


def score_integer(completion: str, targets: Sequence[str]) -> Score:
    """Score an integer, with points or commas between thousands; see `mgsm_scorer`."""
    verdicts = [score_numeric(completion, targets, read=read, language=ANY) for read in _READERS]
    return next((verdict for verdict in verdicts if verdict.value == CORRECT), verdicts[0])


_READERS = (number_reader(_PLACES, ".", ANY), number_reader(_PLACES, ",", ANY))


def _read(language: str) -> Rows:
    rows = read_rows(mgsm_file(language), delimiter="\t", fieldnames=["question", "answer"])
    numbered = [{**row, "language": language, "number": number} for number, row in enumerate(rows.rows, start=1)]
    return Rows(rows.label, numbered, rows.source)


def _chosen(languages: str | list[str] | None) -> list[str]:
    named = languages.split(",") if isinstance(languages, str) else languages
    chosen = [*MGSM_DIGESTS] if named is None else [name.strip() for name in named]
    unknown = [name for name in chosen if name not in MGSM_DIGESTS]
    if unknown or not chosen:
        raise UsageError(f"mgsm: languages={languages!r}: expected some of {', '.join(MGSM_DIGESTS)}.")
    return list(dict.fromkeys(chosen))
