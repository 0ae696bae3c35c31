"""The solver of `--baseline reference`: answers each sample with what the benchmark itself holds for right.

A benchmark on which it does not score 1.0 is wrong.
"""

import importlib
import sys
from collections.abc import Callable
from string import ascii_uppercase

from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.baselines.provider import output
from openbench.baselines.ranking import preferring
from openbench.scorers.mcq import extract_mcq_answer
from openbench.scorers.prompt_options import read_options
from openbench.scorers.ranking_request import ranking_request, record_loglikelihoods
from openbench.solvers.static import static

Reference = Callable[[Sample], str]


@static
@solver
def reference(function: str | None = None) -> Solver:
    """Answer with a benchmark's reference.

    Args:
        function: `module:name` of a function from a sample to the right completion; by default the target, in
            the format that a prompt with lettered options asks for. Where options are ranked, a right one has the
            log-probability 0, and the others less.
    """
    answer = _resolve(function) if function else default_reference

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect's signature
        if request := ranking_request(state):
            record_loglikelihoods(state, preferring(request.gold[0], request.continuations))
            return state
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
    """Return a state as if a model had given a completion.

    Of a sample's choices the announced one is marked, as inspect's `multiple_choice` solver does for its scorer.
    """
    state.output = output("baseline/reference", state.input_text, completion)
    state.messages.append(state.output.message)
    letters = ascii_uppercase[: len(state.choices)]
    announced = extract_mcq_answer(completion, letters=letters) if letters else None
    for index, letter in enumerate(letters):
        state.choices.mark_choice(index, letter == announced)
    return state


def reference_of(task_function: Callable[..., object]) -> str | None:
    """Return `module:reference` if the module of a task function defines a `reference`."""
    module = task_function.__module__
    return f"{module}:reference" if callable(getattr(sys.modules.get(module), "reference", None)) else None


def default_reference(sample: Sample) -> str:
    """Return the target; as `Answer: <letter>` where options have letters, all of them where several are right."""
    if sample.choices and not isinstance(sample.target, str) and len(sample.target) > 1:
        return f"ANSWER: {', '.join(sample.target)}"  # all right choices, where others are accepted alternatives
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    prompt = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    return f"Answer: {target}" if target in read_options(prompt) else target


def _resolve(function: str) -> Reference:
    module, _, name = function.partition(":")
    found: Reference = getattr(importlib.import_module(module), name)
    return found
