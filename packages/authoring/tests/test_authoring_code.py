"""Metrics that run code in a sandbox."""

# ruff: noqa: ARG002, RUF012 -- classes as their authors write them

import ast
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver

from openbench.baselines.reference import reference_solver
from openbench_authoring import NO_SUBJECT, BaseMetricContext, BaseTask, ResponseType, Sample
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

pytest.importorskip("openbench_sandbox")

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
    assert task.sandbox.type == "bwrap"
    answers = iter([right, wrong, "I do not know."])

    @solver
    def answering():
        async def solve(state, generate):  # noqa: ARG001 - inspect's signature
            state.output = ModelOutput.from_content("none/none", next(answers))
            return state

        return solve

    task.solver = answering()
    [log] = inspect_eval(task, model="none/none", log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    values = [next(iter(sample.scores.values())).value for sample in log.samples]
    assert sorted(values) == ["C", "I", "I"]


class HumanEvalMetricContext(BaseMetricContext):
    prompt: str
    test: str
    entry_point: str


class HumanEval(BaseTask[str]):
    """The guide's class, in our words."""

    NAME = "HumanEval"
    DATASET_PATH = "openai/openai_humaneval"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "test"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [CodeCompletionAssertion]
    SUBJECTS = [NO_SUBJECT]

    def __init__(self, num_fewshot: int = 0) -> None:
        super().__init__(num_fewshot)
        self.stop_sequences = ["```"]

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        return f"```python\n{item['prompt']}"

    def _get_ground_truth(self, item: dict[str, Any]) -> str | None:
        return "Success"

    def _get_fewshot_target_text(self, item: dict[str, Any]) -> str:
        return item["canonical_solution"]

    def _get_context(self, item: dict[str, Any]) -> BaseMetricContext:
        return HumanEvalMetricContext(prompt=item["prompt"], test=item["test"], entry_point=item["entry_point"])

    def post_process_generated_completion(self, completion_text: str, sample: Sample | None = None) -> str:
        message = sample.context
        assert isinstance(message, HumanEvalMetricContext)
        body = completion_text.partition("```")[0]
        return (
            f"{message.prompt}\n{body}\n{message.test}\ntry:\n  check({message.entry_point})\n  print(True)\n"
            "except Exception as error:\n  print(error)\n  print(False)\n"
        )


class MBPP(BaseTask[str]):
    """The guide's class, in our words."""

    NAME = "MBPP"
    DATASET_PATH = "google-research-datasets/mbpp"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "train"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [CodeCompletionAssertion]
    SUBJECTS = ["full"]

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        return f"{item['text']} Your code should pass these tests:\n\n" + "\n".join(item["test_list"])

    def _get_cue_text(self, item: dict[str, Any]) -> str:
        return "```python"

    def _get_ground_truth(self, item: dict[str, Any]) -> str | None:
        return str(item["test_list"])

    def _get_fewshot_target_text(self, item: dict[str, Any]) -> str:
        return f"```python\n{item['code']}\n```"

    def post_process_generated_completion(self, completion_text: str, sample: Sample) -> str:
        code = completion_text.rsplit("```python\n", maxsplit=1)[-1].split("```", maxsplit=1)[0]
        tests = "".join(f"    {test}\n" for test in ast.literal_eval(sample.ground_truth))
        return f"{code}\ntry:\n{tests}    score = True\nexcept:\n    score = False\nprint(score)"


HUMANEVAL = [
    {
        "task_id": "own/0",
        "entry_point": "half",
        "prompt": 'def half(n: int) -> float:\n    """Return half of a number."""\n',
        "canonical_solution": "    return n / 2\n",
        "test": "def check(candidate):\n    assert candidate(3) == 1.5\n",
    }
]
MBPP_ROWS = [
    {
        "task_id": 1,
        "text": "Write a function to double a number.",
        "code": "def double(n):\n  return 2 * n",
        "test_list": ["assert double(2) == 4", "assert double(0) == 0"],
    }
]


@pytest.mark.parametrize(("task_class", "test"), [(HumanEval, HUMANEVAL), (MBPP, MBPP_ROWS)])
def test_the_classes_of_the_guide_score_what_their_solutions_do(task_class, test, task_of, tmp_path):
    def accuracy(solver):
        task = task_of(task_class, test, test)
        task.solver = solver or reference_solver(task, lambda: None)
        [log] = inspect_eval(task, model="none/none", log_dir=str(tmp_path), display="none")
        assert log.status == "success", log.error
        return log.results.scores[0].metrics["accuracy"].value

    assert accuracy(None) == 1.0

    @solver
    def passing():
        async def solve(state, generate):  # noqa: ARG001 - inspect's signature
            state.output = ModelOutput.from_content("none/none", "    pass\n")
            return state

        return solve

    assert accuracy(passing()) == 0.0


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
