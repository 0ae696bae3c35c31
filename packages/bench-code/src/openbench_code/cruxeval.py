"""CRUXEval: predict the return value of a short function, or arguments for which it returns a value.

Gu et al. (2024), https://arxiv.org/abs/2401.03065
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.datasets import read_rows
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.reasons import unanswered
from openbench_code.answers import code_blocks, parsed
from openbench_code.build import code_task
from openbench_code.metadata import CRUXEVAL
from openbench_code.scorer import limits_of, score_by_tests
from openbench_sandbox import Limits

OUTPUT_PROMPT = """\
Here are a Python function and an assertion about it. Put what the function returns in the place of `??`.

```python
{code}

assert f({input}) == ??
```

Think step by step. Then give the whole assertion, with a literal and no function call after `==`, between \
[ANSWER] and [/ANSWER]."""

INPUT_PROMPT = """\
Here are a Python function and an assertion about it. Put arguments in the place of `??` for which it holds. Any \
that do are right.

```python
{code}

assert f(??) == {output}
```

Think step by step. Then give the whole assertion between [ANSWER] and [/ANSWER]."""

_MARKED = re.compile(r"\[ANSWER\](.*?)(?:\[/ANSWER\]|\Z)", re.DOTALL)


@task
def cruxeval_output(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """CRUXEval-O: predict the return value of a short function.

    Args:
        attempts: The number of epochs; several are also reported as pass@k.
        seconds: The CPU time of the prediction and the function together, in seconds.
        memory: Their memory limit, in MiB.
    """
    scored = predicts("output", seconds, memory)
    return code_task("cruxeval_output", read_rows(CRUXEVAL), output_sample, scored, attempts=attempts)


@task
def cruxeval_input(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """CRUXEval-I: predict arguments for which a short function returns a given value; see `cruxeval_output`."""
    scored = predicts("input", seconds, memory)
    return code_task("cruxeval_input", read_rows(CRUXEVAL), input_sample, scored, attempts=attempts)


def output_sample(row: dict[str, Any]) -> Sample:
    """Map a row. The target is the assertion."""
    return _sample(row, OUTPUT_PROMPT)


def input_sample(row: dict[str, Any]) -> Sample:
    """Map a row. The target is the assertion with the dataset's arguments; others can be correct too."""
    return _sample(row, INPUT_PROMPT)


def reference(sample: Any) -> str:
    """Return the reference completion of a sample."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"[ANSWER]\n{target}\n[/ANSWER]"


@scorer(metrics=[accuracy(), stderr()])
def predicts(what: str, seconds: float = 10.0, memory: int = 1024) -> Scorer:
    """Score predictions of a function's value or arguments: 1 for correct, 0 for wrong, higher is better.

    Args:
        what: `output` or `input`.
        seconds: The CPU time of the prediction and the function together, in seconds.
        memory: Their memory limit, in MiB.
    """
    limits = limits_of(seconds, memory)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        return await score_prediction(state.output.completion, what, state.metadata, limits)

    return score


async def score_prediction(completion: str, what: str, row: Mapping[str, Any], limits: Limits) -> Score:
    """Score a prediction about a row's `code`, `input` and `output`; see `predicts`."""
    predicted = read_prediction(completion, what)
    if predicted is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    if what == "input":
        given = f"def f(*args, **kwargs):\n    return args, kwargs\n\ndef predicted():\n    return {predicted}\n"
        program = f"{row['code']}\n\n{given}"  # arguments may use other names that the code defines
        tests = f"{row['code']}\n\nargs, kwargs = predicted()\nassert f(*args, **kwargs) == {row['output']}\n"
    else:
        program = f"def predicted():\n    return {predicted}\n"
        tests = f"assert predicted() == {row['output']}\n"
    return await score_by_tests(program, tests, names=["predicted"], limits=limits, answer=predicted)


def read_prediction(completion: str, what: str) -> str | None:
    """Return the predicted value or call of `f`, as an expression in parentheses; None if the answer contains none.

    It is read from the last assertion between marks, else from the last assertion. Between marks, the value or the
    call alone is accepted as well.

    Args:
        completion: The answer.
        what: `output` or `input`.
    """
    text = strip_reasoning(completion)
    for marked in reversed(_MARKED.findall(text)):
        places = [*(block.code for block in reversed(code_blocks(marked))), marked, *reversed(marked.splitlines())]
        for place in places:
            if found := _predicted(place, what, bare=True):
                return found
    asserted = [line for line in reversed(text.splitlines()) if line.strip().startswith("assert")]
    for place in [*(block.code for block in reversed(code_blocks(text))), *asserted]:
        if found := _predicted(place, what, bare=False):
            return found
    return None


def _predicted(text: str, what: str, *, bare: bool) -> str | None:
    """Return the prediction in Python code: from its last assertion or, if `bare`, from its only expression."""
    match [each for each in parsed(text.strip()) if isinstance(each, ast.Assert | ast.Expr)]:
        case [*_, ast.Assert(test=test)]:
            pass
        case [ast.Expr(value=test)] if bare:
            pass
        case _:
            return None
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            sides = [left, right]
        case _ if bare:
            sides = [test]
        case _:
            return None
    if what == "output":
        return f"({ast.unparse(sides[-1])})"
    return next((f"({ast.unparse(side)})" for side in sides if _calls_f(side)), None)


def _calls_f(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name) and expression.func.id == "f"


def _sample(row: dict[str, Any], prompt: str) -> Sample:
    code, given, output = row["code"], row["input"], row["output"]
    return Sample(
        id=row["id"],
        input=prompt.format(code=code, input=given, output=output),
        target=f"assert f({given}) == {output}",
        metadata={"problem": row["id"], "code": code, "input": given, "output": output},
    )
