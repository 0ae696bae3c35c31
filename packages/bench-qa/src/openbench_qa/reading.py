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
    """SQuAD 2.0: questions about paragraphs of Wikipedia, of which half have no answer there.

    The questions about a paragraph are a cluster. Figures are also given for those with and without an answer.
    """
    scorer = token_f1("squad", chain=CHAIN, no_answer=NO_ANSWER)
    return qa_task("squad_v2", read_rows(SQUAD_V2), squad_v2_sample, scorer, cluster="passage", groups=["kind"])


def squad_v2_sample(row: dict[str, Any]) -> Sample:
    """Map a row; answers without a word do not count, and a question without one is unanswerable."""
    answers = [text for text in dict.fromkeys(row["answers"]["text"]) if normalise_text(text)]
    return Sample(
        id=row["id"],
        input=reading(row["context"], row["question"], _SQUAD),
        target=answers or [NO_ANSWER],
        metadata={"kind": "has_answer" if answers else "no_answer", **passage_key(row["context"])},
    )


@task
def drop() -> Task:
    """DROP: questions about a passage that take counting, adding or sorting. The questions about one are a cluster."""
    scorer = drop_scorer(SEPARATOR, chain=CHAIN)
    return qa_task("drop", read_rows(DROP), drop_sample, scorer, cluster="passage", groups=["kind"])


def drop_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its answer, and those that other annotators gave, which count as much."""
    validated = row["validated_answers"]
    fields = ("number", "spans", "date")
    others = zip(*(validated[name] for name in fields), strict=True)
    kind, first = _drop_answer(row["answer"])
    answers = [first, *(_drop_answer(dict(zip(fields, other, strict=True)))[1] for other in others)]
    if not (targets := [answer for answer in dict.fromkeys(answers) if answer.split(SEPARATOR)[0].strip()]):
        raise ValueError(f"answer: neither a number nor spans nor a date in {row['answer']!r}")
    return Sample(
        id=row["query_id"],
        input=reading(row["passage"], row["question"], _DROP),
        target=targets,
        metadata={"kind": kind, **passage_key(row["passage"])},
    )


def _drop_answer(answer: Mapping[str, Any]) -> tuple[str, str]:
    """Return the kind of an answer and its text: the number, the spans, or day, month and year, where there are any."""
    if answer["number"]:
        return "number", str(answer["number"])
    if spans := answer["spans"]:
        return "span" if len(spans) == 1 else "spans", SEPARATOR.join(spans)
    return "date", " ".join(answer["date"][part] for part in ("day", "month", "year")).strip()


@task
def hotpotqa() -> Task:
    """HotpotQA: questions that take two of ten paragraphs, of which eight distract."""
    scorer = token_f1("hotpotqa", chain=CHAIN)
    return qa_task("hotpotqa", read_rows(HOTPOTQA), hotpotqa_sample, scorer, groups=["kind"])


def hotpotqa_sample(row: dict[str, Any]) -> Sample:
    """Map a row: paragraphs in the order in which they are given, each under its title."""
    context = row["context"]
    paragraphs = zip(context["title"], context["sentences"], strict=True)
    text = "\n\n".join(f"{title}\n{''.join(sentences).strip()}" for title, sentences in paragraphs)
    return Sample(
        id=row["id"],
        input=reading(text, row["question"], _HOTPOTQA),
        target=row["answer"],
        metadata={"kind": row["type"]},
    )
