"""What is said of an error: one line, which names the error and what is wrong."""

import traceback

import pytest
from pydantic import BaseModel, Field

from openbench.run.messages import traceback_message


class Answer(BaseModel):
    """A model with two fields that may be wrong."""

    letter: str
    choices: list[int] = Field(min_length=1)


def said_of(call):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - any
        call()
    return traceback_message("".join(traceback.format_exception(raised.value)))


def raises(error, cause=None):
    def call():
        raise error from cause

    return call


def caught(call):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - any
        call()
    return raised.value


INVALID = "pydantic_core._pydantic_core.ValidationError: "


def test_of_an_error_of_pydantics_the_first_fault_is_said():
    assert said_of(lambda: Answer(letter=7, choices=["x"])) == (
        f"{INVALID}2 validation errors for Answer: letter: Input should be a valid string "
        "[type=string_type, input_value=7, input_type=int]"
    )
    assert said_of(lambda: Answer(letter="A", choices=[])).startswith(
        f"{INVALID}1 validation error for Answer: choices: List should have at least 1 item after validation, not 0 ["
    )


def test_an_error_of_pydantics_that_only_led_to_another():
    cause = caught(lambda: Answer(letter=7, choices=[1]))
    assert said_of(raises(RuntimeError("no answer"), cause)) == "RuntimeError: no answer"
    assert said_of(raises(cause, RuntimeError("no answer"))).startswith(
        f"{INVALID}1 validation error for Answer: letter:"
    )


@pytest.mark.parametrize(
    "link",
    [
        "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404",  # httpx
        "\nFor further information visit https://errors.pydantic.dev/2.11/u/config-both",  # a usage error of pydantic's
    ],
)
def test_a_link_is_not_what_happened(link):
    assert said_of(raises(OSError(f"404 Not Found\n{link}"))) == "OSError: 404 Not Found"
    assert said_of(raises(OSError("For more information, wait"))) == "OSError: For more information, wait"


def test_without_a_traceback_nothing_is_said():
    assert traceback_message("") == ""


FAULTY = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate, solver
from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("faulty", "Fails.", "private", [], __name__, "faulty")

@scorer(metrics=[accuracy()])
def scores(fault):
    async def score(state, target):
        if fault == "exit":
            raise SystemExit(3)
        return Score(value=1, answer=7) if fault == "score" else Score(value=1)
    return score

@solver
def solves():
    async def solve(state, generate):
        Score(value=1, answer=7)
        return state
    return solve

@task
def faulty(fault: str) -> Task:
    samples = [Sample(id=f"s{number}", input="?", target="x") for number in range(2)]
    return Task(samples, solver=solves() if fault == "solve" else generate(), scorer=scores(fault))
"""


@pytest.fixture
def faulty(bench, tmp_path):
    """Run a benchmark with a fault."""
    (tmp_path / "faulty.py").write_text(FAULTY, "utf-8")

    def run(fault, *more):
        return bench("eval", "faulty.py", "--baseline", "constant", "-T", f"fault={fault}", *more, cwd=tmp_path)

    return run


OF_SCORE = (
    f"{INVALID}1 validation error for Score: answer: Input should be a valid string [type=string_type, input_value=7"
)


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_a_score_of_a_wrong_type(faulty, engine):
    assert f"bench: faulty: sample 's0': {OF_SCORE}" in faulty("score", "--engine", engine).err


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_what_would_end_the_process_is_told(faulty, engine, tmp_path):
    done = faulty("exit", "--engine", engine, "--display", "none")
    line = 1 + FAULTY.splitlines().index("            raise SystemExit(3)")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-1] == (
        f"bench: SystemExit: 3, in {tmp_path / 'faulty.py'}, line {line}, ended the run. Raise an Exception "
        "instead: it is recorded as the error of its sample alone."
    )
