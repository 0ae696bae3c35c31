"""Questions without a passage: TriviaQA and NQ-Open.

Joshi et al. (2017), https://arxiv.org/abs/1705.03551; Lee et al. (2019), https://arxiv.org/abs/1906.00300
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_rows
from openbench_qa.build import CHAIN, answered, qa_task
from openbench_qa.metadata import NQ_OPEN, TRIVIAQA
from openbench_scorers.token_f1 import token_f1

PROMPT = """\
{question}

Answer in as few words as possible, on the last line: "Answer: ANSWER"."""

reference = answered


@task
def triviaqa(distinct: bool = False) -> Task:
    """TriviaQA: trivia questions without evidence, with all aliases of each answer.

    The rows of a question form a cluster.

    Args:
        distinct: Ask each question once. Some have two rows, one for web pages and one for Wikipedia articles.
    """
    seen: set[str] = set()

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        again = distinct and row["question_id"] in seen
        seen.add(row["question_id"])
        return [] if again else [triviaqa_sample(row)]

    scorer = token_f1("triviaqa", chain=CHAIN)
    return qa_task("triviaqa", read_rows(TRIVIAQA), to_samples, scorer, cluster="question")


def triviaqa_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Every alias of the answer is a target; the one that the question's author gave comes first."""
    answer = row["answer"]
    aliases = dict.fromkeys([answer["normalized_value"], *answer["normalized_aliases"]])
    if not (targets := [alias for alias in aliases if alias.strip()]):
        raise ValueError(f"answer: no alias of {answer['value']!r} contains a word")
    return Sample(
        input=PROMPT.format(question=row["question"]), target=targets, metadata={"question": row["question_id"]}
    )


@task
def nq_open() -> Task:
    """NQ-Open: questions that people asked a search engine, with short answers from Wikipedia."""
    return qa_task("nq_open", read_rows(NQ_OPEN), nq_open_sample, token_f1("nq", chain=CHAIN))


def nq_open_sample(row: dict[str, Any]) -> Sample:
    """Map a row: a lower-case question without a question mark, and its answers."""
    return Sample(input=PROMPT.format(question=row["question"]), target=list(dict.fromkeys(row["answer"])))
