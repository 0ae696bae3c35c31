"""The solver of `--baseline reference`, which answers each sample with its correct answer.

A benchmark on which it does not score 1.0 has a bug.
"""

import importlib
import sys
from collections.abc import Callable
from string import ascii_uppercase

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.baselines.models import output
from openbench.scorers.mcq import extract_mcq_answer, read_options
from openbench.tasks.solvers import declared_reference, static

Reference = Callable[[Sample], str]


@static
@solver
def reference(function: str | None = None) -> Solver:
    """Answer with a benchmark's reference completion.

    Args:
        function: `module:name` of a function from a sample to the correct completion; by default the target, in the
            format that prompts with lettered options ask for.
    """
    answer: Reference = default_reference
    if function:
        module, _, name = function.partition(":")
        answer = getattr(importlib.import_module(module), name)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        sample = Sample(
            id=state.sample_id,
            input=state.input,
            target=list(state.target),
            choices=[choice.value for choice in state.choices] or None,
            metadata=state.metadata,
        )
        return answered(state, answer(sample))

    return solve


def answered(state: TaskState, completion: str) -> TaskState:
    """Return a state as if a model had generated a completion.

    The announced choice is marked as Inspect's `multiple_choice` solver marks it for the scorer `choice`.
    """
    state.output = output("baseline/reference", state.input_text, completion)
    state.messages.append(state.output.message)
    letters = ascii_uppercase[: len(state.choices)]
    announced = extract_mcq_answer(completion, letters=letters) if letters else None
    for index, letter in enumerate(letters):
        state.choices.mark_choice(index, letter == announced)
    return state


def reference_solver(task: Task, task_function: Callable[..., object]) -> Solver:
    """Return the reference solver of a task: that which its solver declares, or else `reference`.

    The latter answers with the function `reference` of the task function's module, if the module defines one.
    """
    module = task_function.__module__
    defined = callable(getattr(sys.modules.get(module), "reference", None))
    return declared_reference(task) or reference(f"{module}:reference" if defined else None)


def default_reference(sample: Sample) -> str:
    """Return the target: `Answer: <letter>` for lettered options, or all letters if several are correct."""
    if sample.choices and not isinstance(sample.target, str) and len(sample.target) > 1:
        return f"ANSWER: {', '.join(sample.target)}"  # several targets are otherwise alternatives
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    prompt = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    return f"Answer: {target}" if target in read_options(prompt) else target
