"""Metrics that run code in a sandbox."""

# ruff: noqa: ARG002, RUF012 -- classes as their authors write them

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver

from openbench_authoring import BaseMetricContext, Sample
from openbench_authoring.metrics import (
    BIG_CODE_BENCH_PACKAGE_MAPPING,
    CallableSerializer,
    CodeCompletionAssertion,
    CodeExecutionPassAtOne,
    CodeExecutionPassAtOneContext,
    unittest_merge_snippets,
)
from openbench_authoring.metrics.code import _imported, _parse_unittest_output

from .conftest import WithoutSubjects

TESTS = "import unittest\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(twice(2), 4)\n"


class Asserted(WithoutSubjects):
    METRICS = [CodeCompletionAssertion]

    def _get_context(self, item):
        return BaseMetricContext(tests="assert twice(2) == 4")

    def post_process_generated_completion(self, completion_text: str, sample: Sample | None = None) -> str:
        return f"{completion_text}\n{sample.context.tests}\nprint(True)"


class WithUnitTests(WithoutSubjects):
    METRICS = [CodeExecutionPassAtOne]

    def _get_context(self, item):
        return CodeExecutionPassAtOneContext(
            run_env="python:3.12",
            code_prompt="",
            test_code=TESTS,
            snippet_merge_fn=CallableSerializer().encode(unittest_merge_snippets),
            output_parse_fn=CallableSerializer().encode(_parse_unittest_output),
            package_downloads=BIG_CODE_BENCH_PACKAGE_MAPPING,
        )


@pytest.mark.parametrize("task_class", [Asserted, WithUnitTests])
def test_what_a_model_wrote_is_run(task_of, task_class, tmp_path):
    right, wrong = "def twice(n):\n    return 2 * n\n", "def twice(n):\n    return n\n"
    task = task_of(task_class)
    assert task.sandbox.type == "docker"
    answers = iter([right, wrong, "I do not know."])

    @solver
    def answering():
        async def solve(state, generate):  # noqa: ARG001 - inspect's signature
            state.output = ModelOutput.from_content("none/none", next(answers))
            return state

        return solve

    task.solver = answering()
    [log] = inspect_eval(task, model="none/none", sandbox="local", log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    values = [next(iter(sample.scores.values())).value for sample in log.samples]
    assert sorted(values) == ["C", "I", "I"]


def test_a_function_that_a_log_names_is_never_imported():
    with pytest.raises(ValueError, match="the function 'os:system' is not known here"):
        CallableSerializer.decode("os:system")


def test_unit_tests_pass_if_some_ran():
    assert _parse_unittest_output("Ran 1 test in 0.1s\n\nOK").success
    assert not _parse_unittest_output("Ran 0 tests in 0.1s\n\nOK").success
    assert not _parse_unittest_output("Ran 2 tests in 0.1s\n\nFAILED (failures=1)").success
    assert not _parse_unittest_output("OK").success


def test_packages_are_read_from_a_program():
    assert _imported("import a.b, c\nfrom d.e import f\nfrom . import g") == ["a", "c", "d"]
    assert _imported("no program") == []
