"""The guide's IFEval class, with instructions that openbench-instruct checks."""

# ruff: noqa: ARG002, RUF012 -- classes as the guide's authors write them

import sys
from typing import Any

import pytest

from openbench.errors import OpenbenchError, UsageError
from openbench_authoring import NO_SUBJECT, BaseTask, IFEvalMetricContext, ResponseType
from openbench_authoring.metrics import IFEvalMetric

from .conftest import scores

pytest.importorskip("openbench_instruct")

ROW = {
    "key": 1,
    "prompt": "Say hi in fewer than 5 words, without commas.",
    "instruction_id_list": ["length_constraints:number_words", "punctuation:no_comma"],
    "kwargs": [{"num_words": 5, "relation": "less than", "keyword": None}, {}],
}


class IFEval(BaseTask[str]):
    NAME = "IFEval"
    DATASET_PATH = "google/IFEval"
    SAMPLE_SPLIT = "train"
    FEWSHOT_SPLIT = "train"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [IFEvalMetric]
    SUBJECTS = [NO_SUBJECT]

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        return item["prompt"]

    def _get_ground_truth(self, item: dict[str, Any]) -> str | None:
        return None

    def _get_context(self, item: dict[str, Any]) -> IFEvalMetricContext:
        return IFEvalMetricContext(
            key=item["key"],
            instruction_id_list=item["instruction_id_list"],
            prompt=item["prompt"],
            additional_kwargs=item["kwargs"],
        )


def values(task, completion):
    (sample,) = task.dataset
    (score,) = scores(task, sample, completion).values()
    return score.value


def test_the_class_of_the_guide_scores_strictly_and_loosely(task_of):
    task = task_of(IFEval, test=[ROW], train=[ROW])
    assert set(values(task, "Hi there.").values()) == {1.0}
    assert values(task, "Hi, there.") == {
        "prompt_level_strict_acc": 0.0,
        "inst_level_strict_acc": 0.5,
        "prompt_level_loose_acc": 0.0,
        "inst_level_loose_acc": 0.5,
    }
    assert values(task, "Sure, here:\nHi there.")["prompt_level_loose_acc"] == 1.0


def test_an_instruction_without_a_checker_is_refused_before_a_run(task_of):
    row = {**ROW, "instruction_id_list": ["none:none", "punctuation:no_comma"]}
    with pytest.raises(OpenbenchError) as error:
        task_of(IFEval, test=[row], train=[row])
    assert "the instruction 'none:none' has no checker" in str(error.value)


def test_without_the_package_the_metric_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "openbench_instruct.scorer", None)
    with pytest.raises(UsageError) as error:
        IFEvalMetric()
    assert "pip install 'openbench-authoring[instruct]'" in str(error.value)
