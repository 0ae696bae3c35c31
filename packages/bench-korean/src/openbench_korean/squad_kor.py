"""KorQuAD 1.0: questions about paragraphs of Korean Wikipedia, answered with a span of the paragraph.

Lim et al. (2019), https://arxiv.org/abs/1909.07005
"""

import json
from collections.abc import Iterator
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, mean, stderr
from inspect_ai.solver import generate

from openbench.datasets import content_digest, load_samples, read_parts, read_text
from openbench_korean.metadata import KORQUAD, KORQUAD_FILE
from openbench_scorers.means import clustered_stderr
from openbench_scorers.token_f1 import token_f1

CHAIN = (
    r"pattern:^[^\w\n]*정답[*_ ]*[:\uff1a][*_ ]*(?P<answer>\S.*?)[*_ ]*$",
    r"pattern:답은 (?P<answer>\S.*?)(?:입니다|이에요|예요|이다)?[.*_ ]*$",
    "text",
)
"""Where an answer is read: the last line `정답: …`, else an announcement (`정답은 …입니다`), else the whole text."""

_PASSAGE, _QUESTION = "지문:\n", "\n\n질문: "
_INSTRUCTION = "지문에 나오는 말로 되도록 짧게 답하세요. 마지막 줄에 “정답: 답” 형식으로 답을 쓰세요."


@task
def squad_kor_v1() -> Task:
    """Answer questions about a paragraph, with F1 over characters and exact match.

    Questions about the same paragraph form a cluster.
    """

    def metrics() -> list[Metric]:
        return [mean(), stderr(), clustered_stderr("passage")]

    return Task(
        name="squad_kor_v1",
        dataset=load_samples(read_parts(KORQUAD, lambda: list(_rows())), squad_kor_sample, name="squad_kor_v1"),
        solver=generate(),
        scorer=token_f1("korquad", chain=CHAIN),
        metrics={"f1": metrics(), "exact_match": metrics()},
    )


def squad_kor_sample(row: dict[str, Any]) -> Sample:
    """Map a row, in the schema of the dataset on the Hub."""
    return Sample(
        id=row["id"],
        input=f"{_PASSAGE}{row['context']}{_QUESTION}{row['question']}\n\n{_INSTRUCTION}",
        target=list(dict.fromkeys(row["answers"]["text"])),
        metadata={"title": row["title"], "passage": content_digest(row["context"])[:16]},
    )


def reference(sample: Sample) -> str:
    """Return the reference completion of a sample."""
    return f"정답: {sample.target[0]}"


def passage(sample: Sample) -> str:
    """Return the passage of a sample, which contains its answer."""
    return str(sample.input).removeprefix(_PASSAGE).rpartition(_QUESTION)[0]


def _rows() -> Iterator[dict[str, Any]]:
    for article in json.loads(read_text(KORQUAD_FILE))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answers = {name: [answer[name] for answer in question["answers"]] for name in ("text", "answer_start")}
                yield {
                    "id": question["id"],
                    "title": article["title"],
                    "context": paragraph["context"],
                    "question": question["question"],
                    "answers": answers,
                }
