"""A class whose answers are ranked."""

# ruff: noqa: ARG002, RUF012 -- classes as the guide's authors write them

import re

import pytest

from openbench.errors import DataError
from openbench_authoring import (
    ResponseType,
)
from openbench_authoring.metrics import AccuracyLoglikelihood, AccuracyNormLoglikelihood
from openbench_ranking.request import ranking_request

from .conftest import GeographyQATask, solvers


class Ranked(GeographyQATask):
    RESPONSE_TYPE = ResponseType.LOGLIKELIHOODS
    METRICS = [AccuracyLoglikelihood, AccuracyNormLoglikelihood]

    def _get_ground_truth(self, item):
        return f" {item['capital']}"

    def _get_possible_completions(self, item):
        return [" Berlin", " Paris", " Tokyo", " Tokyo"]


def test_options_are_ranked_after_the_cue(task_of):
    task = task_of(Ranked, num_fewshot=1)
    sample = by_country_of_ranked(task)["Japan"]
    request = ranking_request(sample)
    assert [(m.role, m.text) for m in request.messages][-2:] == [
        ("user", "Q: Capital of Japan?"),
        ("assistant", "A:"),
    ]
    assert request.continuations == [" Berlin", " Paris", " Tokyo", " Tokyo"]
    assert request.gold == [2, 3]
    assert solvers(task) == ["rank"]


def by_country_of_ranked(task):
    return {re.findall(r"of (\w+)\?", sample.input[-2].text)[0]: sample for sample in task.dataset}


def test_a_ground_truth_that_is_no_option(task_of):
    class Lost(Ranked):
        def _get_ground_truth(self, item):
            return item["capital"]

    with pytest.raises(DataError) as caught:
        task_of(Lost)
    assert str(caught.value).endswith(
        "(Europe): the ground truth 'Berlin' is not among the possible completions ' Berlin', ' Paris', ' Tokyo', "
        "' Tokyo'"
    )
