"""GraphWalks: breadth-first search, or the parents of a node, in a graph that fills the context.

OpenAI (2025), https://huggingface.co/datasets/openai/graphwalks
"""

import re
from collections.abc import Collection
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import Rows, load_samples, read_rows
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_longcontext.lengths import LENGTH, measured
from openbench_longcontext.metadata import GRAPHWALKS
from openbench_longcontext.metrics import EXACT, exact
from openbench_longcontext.tokens import APPROXIMATE, token_counter
from openbench_scorers.means import by_group

WAIVERS = {"leak": "the graph in the prompt contains all nodes, including those of the answer"}

_ANSWER = re.compile(r"Final Answer: ?\[(.*)\]")


@task
def graphwalks(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Search graphs breadth-first or for the parents of a node, with F1 by operation and length.

    Args:
        max_context_size: The maximum number of tokens of a prompt; longer prompts are left out. No limit by default.
        tokenizer: The tokenizer that lengths are counted with: `approximate`, `model`, or as in `token_counter`.

    Raises:
        UsageError: The tokenizer is unknown, or every prompt is too long.
        DataError: The rows or the tokenizer cannot be read.
    """
    return _task("graphwalks", "", max_context_size, tokenizer)


@task
def graphwalks_bfs(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Search graphs breadth-first.

    Args:
        max_context_size: As for `graphwalks`.
        tokenizer: As for `graphwalks`.
    """
    return _task("graphwalks_bfs", "bfs", max_context_size, tokenizer)


@task
def graphwalks_parents(max_context_size: int | None = None, tokenizer: str = APPROXIMATE) -> Task:
    """Find the parents of nodes.

    Args:
        max_context_size: As for `graphwalks`.
        tokenizer: As for `graphwalks`.
    """
    return _task("graphwalks_parents", "parents", max_context_size, tokenizer)


def _task(name: str, operation: str, max_tokens: int | None, tokenizer: str) -> Task:
    counter = token_counter(tokenizer)
    rows = read_rows(GRAPHWALKS)
    if operation:
        selected = [row for row in rows.rows if row["problem_type"].lower() == operation]
        rows = Rows(rows.label, selected, rows.source)
    dataset, metadata = measured(load_samples(rows, record_to_sample, name=name), counter, max_tokens)
    return Task(
        name=name,
        dataset=dataset,
        solver=generate(),
        scorer=graphwalks_scorer(),
        config=GenerateConfig(temperature=0.0),
        metadata=metadata,
    )


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Its prompt contains the graph and the operation; the targets are the nodes of the answer."""
    return Sample(
        input=row["prompt"],
        target=list(row["answer_nodes"]),
        metadata={"operation": row["problem_type"].lower()},
    )


def reference(sample: Sample) -> str:
    """Return the correct nodes in the requested form."""
    return f"Final Answer: [{', '.join(sample.target)}]"


def final_nodes(completion: str) -> list[str] | None:
    """Return the nodes of `Final Answer: [...]` in the last line of a completion; None if it is missing."""
    lines = strip_reasoning(completion).strip().splitlines()
    found = _ANSWER.search(lines[-1]) if lines else None
    if found is None:
        return None
    return [node for item in found[1].split(",") if (node := item.strip(" \t\"'`"))]


def set_f1(nodes: Collection[str], targets: Collection[str]) -> float:
    """Return the F1 of a set of nodes, from 0 to 1; 1 if both sets are empty."""
    predicted, correct = set(nodes), set(targets)
    if not predicted and not correct:
        return 1.0
    return 2 * len(predicted & correct) / (len(predicted) + len(correct))


@scorer(metrics=[mean(), stderr(), exact(), by_group("operation"), by_group(LENGTH)])
def graphwalks_scorer() -> Scorer:
    """Score the nodes of the last line with `set_f1`; `exact` is the share of answers that equal the target set."""

    async def score(state: TaskState, target: Target) -> Score:
        nodes = final_nodes(state.output.completion)
        targets = list(target)
        if nodes is None:
            reason = unanswered(strip_reasoning(state.output.completion))
            return Score(value=0.0, reason=reason, explanation="The last line does not contain an answer.")
        return Score(value=set_f1(nodes, targets), answer=", ".join(nodes), metadata={EXACT: set(nodes) == {*targets}})

    return score
