"""ARC-AGI-1 and ARC-AGI-2: puzzles whose rule must be inferred from pairs of grids and applied to further inputs.

Chollet 2019, https://arxiv.org/abs/1911.01547; Chollet et al. 2025, https://arxiv.org/abs/2505.11831
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, Literal, get_args

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_parts, read_text
from openbench.metadata import DatasetSource
from openbench_reasoning.metadata import ARC_AGI_1, ARC_AGI_2, PROMPT
from openbench_scorers.grid import grid_match
from openbench_scorers.means import macro_average
from openbench_scorers.options import one_of

ATTEMPTS = 2
"""The number of answers that the official rules allow for each input; one correct answer suffices."""

Grid = Sequence[Sequence[int]]
Prompt = Literal["ours", "official"]

_INSTRUCTION = """\
A rule turns each input grid below into its output grid. The numbers stand for colours. Find the rule, then apply it \
to the last input.
"""
_REQUEST = """
End your answer with the output grid of the last input, in the form of the grids above: a line for each row, with a \
space between numbers, and nothing after it."""


@task
def arc_agi_1(prompt: Prompt = "ours") -> Task:
    """Solve the 400 puzzles of the public evaluation set, with two attempts at each input.

    Args:
        prompt: `ours`, or `official` for the prompt of the ARC Prize's benchmarking, downloaded at a pinned commit.

    Raises:
        UsageError: The prompt does not exist.
        DataError: The puzzles or the official prompt cannot be loaded.
    """
    return _task("arc_agi_1", ARC_AGI_1, prompt)


@task
def arc_agi_2(prompt: Prompt = "ours") -> Task:
    """Solve the 120 puzzles of the public evaluation set, with two attempts at each input.

    Args:
        prompt: As for `arc_agi_1`.

    Raises:
        UsageError: The prompt does not exist.
        DataError: The puzzles or the official prompt cannot be loaded.
    """
    return _task("arc_agi_2", ARC_AGI_2, prompt)


def _task(name: str, source: DatasetSource, prompt: Prompt) -> Task:
    one_of(f"{name}: prompt", prompt, get_args(Prompt))
    template = read_text(PROMPT) if prompt == "official" else None

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return puzzle_samples(row, template)

    return Task(
        name=name,
        dataset=load_samples(read_parts(source, lambda: list(_puzzles(name, source))), to_samples, name=name),
        solver=generate(),
        scorer=grid_match(),
        metrics=[accuracy(), stderr(), macro_average("puzzle")],
        epochs=Epochs(ATTEMPTS, "max"),
    )


def _puzzles(name: str, source: DatasetSource) -> Iterator[dict[str, Any]]:
    """Read the file of each puzzle as text, since the JSON of some files spans several lines."""
    for puzzle in files(__package__).joinpath(f"{name}.txt").read_text("utf-8").split():
        text = read_text(replace(source, source=f"{source.source}/{puzzle}.json", type="text", verified=None))
        yield {"id": puzzle, **json.loads(text)}


def puzzle_samples(row: Mapping[str, Any], template: str | None = None) -> list[Sample]:
    """Map a puzzle to one sample for each test input.

    Args:
        row: `id`; `train`, pairs of grids with `input` and `output`; and `test`, the pairs to solve.
        template: The official prompt, with `{training_examples}` and `{test_input}`; None for our prompt.
    """
    write = _ours if template is None else lambda pairs, last: _official(template, pairs, last)
    return [
        Sample(
            id=f"{row['id']}-{number}",
            input=write(row["train"], pair["input"]),
            target=_lines(pair["output"]),
            metadata={"puzzle": row["id"]},
        )
        for number, pair in enumerate(row["test"], start=1)
    ]


def _ours(pairs: Sequence[Mapping[str, Grid]], last: Grid) -> str:
    examples = [
        f"\nInput {number}:\n{_lines(pair['input'])}\n\nOutput {number}:\n{_lines(pair['output'])}\n"
        for number, pair in enumerate(pairs, start=1)
    ]
    return f"{_INSTRUCTION}{''.join(examples)}\nLast input:\n{_lines(last)}\n{_REQUEST}"


def _official(template: str, pairs: Sequence[Mapping[str, Grid]], last: Grid) -> str:
    examples = [
        f"--Example {number}-- \n\n INPUT: \n\n{json.dumps(pair['input'])}\n\n"
        f"OUTPUT: \n\n{json.dumps(pair['output'])}\n\n"
        for number, pair in enumerate(pairs)
    ]
    return template.format(training_examples="".join(examples), test_input=json.dumps(last))


def _lines(grid: Grid) -> str:
    return "\n".join(" ".join(map(str, row)) for row in grid)
