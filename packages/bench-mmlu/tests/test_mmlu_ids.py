"""Ids are what runs are compared by, so that they may depend on nothing but the row."""

import pytest

from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.mmlu_pro import mmlu_pro


@pytest.mark.parametrize("function", [mmlu, mmlu_pro])
def test_examples_change_no_id(sample_task, function):
    plain, shown = sample_task(function).dataset, sample_task(function, fewshot=5).dataset
    assert [sample.id for sample in plain] == [sample.id for sample in shown]
