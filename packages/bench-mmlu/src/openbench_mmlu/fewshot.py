"""Few-shot examples in the prompt, the same ones for every question of a subject."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.prompts import option_lines

MOST = 5
GROUP = "group"


@dataclass(frozen=True)
class Examples:
    """The worked examples of every subject or category.

    Attributes:
        source: The label of their dataset, for messages.
        count: The number of examples before each question.
        texts: All available examples, by group.
    """

    source: str
    count: int
    texts: Mapping[str, Sequence[str]]

    def of(self, group: str) -> Sequence[str]:
        """Return the group's first examples.

        Raises:
            ValueError: The group has too few.
        """
        texts = self.texts.get(group, ())
        if len(texts) < self.count:
            raise ValueError(f"{self.source} has {len(texts)} examples for {group!r}, but fewshot={self.count}")
        return texts[: self.count]

    def before(self, group: str, prompt: str) -> str:
        """Prepend the group's first examples to a prompt.

        The prompt itself is unchanged, so its options are the last ones and its instruction appears once. The text
        before it is the same for the whole group.

        Raises:
            ValueError: The group has too few examples.
        """
        head = f"The following are multiple choice questions (with answers) about {group.replace('_', ' ')}."
        shown = [f"Example {number}:\n{text}" for number, text in enumerate(self.of(group), start=1)]
        return "\n\n".join([head, *shown, prompt])


def worked_example(question: str, options: Sequence[str], letter: str, *, group: str, reasoning: str = "") -> Sample:
    """Create an example for a group: the question, its options, the reasoning if any, and the answer."""
    answer = [reasoning, f"Answer: {letter}"] if reasoning else [f"Answer: {letter}"]
    return Sample(input="\n".join([question, "", *option_lines(options), "", *answer]), metadata={GROUP: group})


def check_fewshot(benchmark: str, fewshot: int, *, split: str, examples_split: str) -> None:
    """Check the number of examples, and that they do not come from the evaluated split.

    Raises:
        UsageError: `fewshot` is out of range, or the examples are rows of the evaluated split.
    """
    if type(fewshot) is not int or not 0 <= fewshot <= MOST:
        raise UsageError(
            f"{benchmark}: fewshot={fewshot!r} is invalid. "
            f"Expected the number of examples before each question, 0 to {MOST}."
        )
    if fewshot and split == examples_split:
        raise UsageError(
            f"{benchmark}: the few-shot examples are rows of the split {split!r}, "
            f"so it cannot be evaluated with fewshot={fewshot}. Use fewshot=0 or another split."
        )


def read_examples(
    source: DatasetSource, record_to_example: Callable[[dict[str, Any]], Sample], count: int
) -> Examples | None:
    """Read the examples of a source in its order; None if `count` is 0.

    Raises:
        DataError: The rows cannot be loaded, or one does not match the schema.
    """
    if not count:
        return None
    rows = read_rows(source)
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for example in load_samples(rows, record_to_example, name=rows.label):
        texts[(example.metadata or {})[GROUP]].append(str(example.input))
    return Examples(rows.label, count, texts)
