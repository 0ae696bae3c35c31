"""Questions about a passage: SQuAD 2.0, DROP and HotpotQA.

Rajpurkar et al. (2018), https://arxiv.org/abs/1806.03822; Dua et al. (2019), https://arxiv.org/abs/1903.00161;
Yang et al. (2018), https://arxiv.org/abs/1809.09600
"""

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_rows
from openbench.scorers.matching import normalise_text
from openbench_qa.build import CHAIN, answered, passage_key, passage_of, qa_task, reading
from openbench_qa.metadata import DROP, HOTPOTQA, SQUAD_V2
from openbench_scorers.drop import drop as drop_scorer
from openbench_scorers.token_f1 import token_f1

NO_ANSWER = "unanswerable"
SEPARATOR = "|"

_SQUAD = f"""\
Answer with words of the passage, as few as possible, on the last line: "Answer: ANSWER". If the passage does not \
answer the question: "Answer: {NO_ANSWER}"."""

_DROP = f"""\
Think step by step. Give the answer on the last line, as a number, a date or words of the passage: "Answer: ANSWER". \
Put {SEPARATOR} between several: "Answer: FIRST {SEPARATOR} SECOND"."""

_HOTPOTQA = """\
Think step by step. Answer in as few words as possible, or with yes or no, on the last line: "Answer: ANSWER"."""

reference = answered
passage = passage_of


@task
def squad_v2() -> Task:
    """SQuAD 2.0: questions about Wikipedia paragraphs; half of them have no answer in the paragraph.

    The questions about a paragraph form a cluster. Metrics are also reported for questions with and without an answer.
    """
    scorer = token_f1("squad", chain=CHAIN, no_answer=NO_ANSWER)
    return qa_task("squad_v2", read_rows(SQUAD_V2), squad_v2_sample, scorer, cluster="passage", groups=["kind"])


def squad_v2_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Answers without a word are dropped; a question with no answer left is unanswerable."""
    answers = [text for text in dict.fromkeys(row["answers"]["text"]) if normalise_text(text)]
    return Sample(
        id=row["id"],
        input=reading(row["context"], row["question"], _SQUAD),
        target=answers or [NO_ANSWER],
        metadata={"kind": "has_answer" if answers else "no_answer", **passage_key(row["context"])},
    )


@task
def drop() -> Task:
    """DROP: questions that require counting, adding or sorting. The questions about a passage form a cluster."""
    scorer = drop_scorer(SEPARATOR, chain=CHAIN)
    return qa_task("drop", read_rows(DROP), drop_sample, scorer, cluster="passage", groups=["kind"])


def drop_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its answer and those of other annotators are equally valid targets."""
    validated = row["validated_answers"]
    fields = ("number", "spans", "date")
    others = zip(*(validated[name] for name in fields), strict=True)
    kind, first = _drop_answer(row["answer"])
    answers = [first, *(_drop_answer(dict(zip(fields, other, strict=True)))[1] for other in others)]
    if not (targets := [answer for answer in dict.fromkeys(answers) if answer.split(SEPARATOR)[0].strip()]):
        raise ValueError(f"answer: no number, span or date in {row['answer']!r}")
    return Sample(
        id=row["query_id"],
        input=reading(row["passage"], row["question"], _DROP),
        target=targets,
        metadata={"kind": kind, **passage_key(row["passage"])},
    )


def _drop_answer(answer: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind and the text of an answer: a number, spans, or those of day, month and year that are given."""
    if answer["number"]:
        return "number", str(answer["number"])
    if spans := answer["spans"]:
        return "span" if len(spans) == 1 else "spans", SEPARATOR.join(spans)
    return "date", " ".join(answer["date"][part] for part in ("day", "month", "year")).strip()


@task
def hotpotqa() -> Task:
    """HotpotQA: questions that require two of ten paragraphs; the other eight are distractors."""
    scorer = token_f1("hotpotqa", chain=CHAIN)
    return qa_task("hotpotqa", read_rows(HOTPOTQA), hotpotqa_sample, scorer, groups=["kind"])


def hotpotqa_sample(row: dict[str, Any]) -> Sample:
    """Map a row: the paragraphs in their given order, each under its title."""
    context = row["context"]
    paragraphs = zip(context["title"], context["sentences"], strict=True)
    text = "\n\n".join(f"{title}\n{''.join(sentences).strip()}" for title, sentences in paragraphs)
    return Sample(
        id=row["id"],
        input=reading(text, row["question"], _HOTPOTQA),
        target=row["answer"],
        metadata={"kind": row["type"]},
    )
