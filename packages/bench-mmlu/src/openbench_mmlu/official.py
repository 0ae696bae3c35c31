"""The prompt of MMLU's authors. Its wording is parsed from their published code, which is not run."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample

from openbench.datasets import read_text
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench.tasks.prompts import option_letters
from openbench_mmlu.fewshot import GROUP
from openbench_scorers.labels import target_letter

OFFICIAL = DatasetSource(
    source="https://raw.githubusercontent.com/hendrycks/test/4450500f923c49f1fb1dd3d99108a0bd9717b660/evaluate.py",
    type="text",
    sha256="8b7d84e5a2e9290df0d43d1c060aa68ecb638c4666415b3a58d709c18eace4ec",
    licence="MIT",
)
SHOTS = 5
"""The number of few-shot examples in the paper."""


@dataclass(frozen=True)
class Wording:
    """The fixed parts of the prompt.

    Attributes:
        head: The text before the examples, with a field for the topic.
        option: A line for an option, with fields for its letter and its text.
        cue: The text before the answer.
        answer: The text after the cue in an example, with a field for the letter.
    """

    head: str
    option: str
    cue: str
    answer: str

    def question(self, record: dict[str, Any]) -> str:
        """Return a row's question with its options and the cue."""
        letters = option_letters(len(record["choices"]))
        options = (self.option.format(*pair) for pair in zip(letters, record["choices"], strict=True))
        return "".join([record["question"], *options, self.cue])

    def example(self, record: dict[str, Any]) -> Sample:
        """Convert a row to a few-shot example of its subject."""
        letter = target_letter(record["answer"], record["choices"])
        return Sample(input=self.question(record) + self.answer.format(letter), metadata={GROUP: record["subject"]})

    def prompt(self, record: dict[str, Any], examples: Sequence[str]) -> str:
        """Return the whole prompt of a row; the topic has a space before each word, as in the original."""
        topic = "".join(f" {word}" for word in record["subject"].split("_"))
        return "".join([self.head.format(topic), *examples, self.question(record)])


def official_wording() -> Wording:
    """Return the wording of the original's `gen_prompt` and `format_example`.

    Raises:
        DataError: The code cannot be downloaded, does not match its pin, or lacks the expected texts.
    """
    functions = {node.name: node for node in ast.parse(read_text(OFFICIAL)).body if isinstance(node, ast.FunctionDef)}
    texts = [*_texts(functions.get("gen_prompt")), *_texts(functions.get("format_example"))]
    if [text.count("{}") for text in texts] != [1, 2, 0, 1]:
        raise DataError(f"{OFFICIAL.source}: the wording of the prompt was not found where expected")
    return Wording(*texts)


def _texts(function: ast.FunctionDef | None) -> list[str]:
    """Return the string constants of a function, in source order."""
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Constant)] if function else []
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return [node.value for node in nodes if isinstance(node.value, str)]
