"""Graders are made before the first request; errors say which they are about, and what to do."""

import pytest
from inspect_ai import Task
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, match, model_graded_fact, model_graded_qa, scorer

from openbench.errors import UsageError
from openbench.run.plan import ModelSpec, Plan
from openbench_dryrun.graders import check_graders


def arguments_of(scorers, roles):
    plan = Plan(jobs=[], model_roles={role: ModelSpec(name="baseline/grader") for role in roles})
    return Task(scorer=scorers), plan


@scorer(metrics=[accuracy()], default_grader="openai-api/default/g")
def judge(model=None, models=None, grader_model=None, template="{answer}"):
    async def score(_state, _target):
        return Score(value=f"{model} {models} {grader_model} {template}")

    return score


@scorer(metrics=[accuracy()])
def embeds(model="minilm"):
    """Scores by a model of another kind, which inspect does not know."""

    async def score(_state, _target):
        return Score(value=model)

    return score


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("DEFAULT", "OTHER"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


DEFAULT, OTHER = "openai-api/default/g", "openai-api/other/g"
ROLE = "name another with --model-role grader=provider/model."


@pytest.mark.parametrize(
    ("scorers", "roles", "grader", "way_out"),
    [
        ([judge()], (), DEFAULT, ROLE),
        ([match(), judge(template="?")], ("critic",), DEFAULT, ROLE),
        ([judge(model=OTHER)], (), OTHER, "name another in model of judge."),
        ([judge(OTHER)], ("grader",), OTHER, "name another in model of judge."),  # its argument goes before the role
        ([judge(grader_model=OTHER)], (), OTHER, "name another in grader_model of judge."),
        ([judge(models=("baseline/grader", OTHER))], (), OTHER, "name another in models of judge."),
        ([judge(models=[get_model("baseline/echo"), OTHER])], (), OTHER, "name another in models of judge."),
        ([judge("baseline/grader"), judge()], (), DEFAULT, ROLE),
        ([model_graded_qa(model=OTHER)], (), OTHER, "name another in model of model_graded_qa."),
        ([model_graded_fact(model=["baseline/echo", OTHER])], (), OTHER, "name another in model of model_graded_fact."),
    ],
)
def test_a_grader_that_cannot_be_had(scorers, roles, grader, way_out):
    with pytest.raises(UsageError) as caught:
        check_graders("quiz", *arguments_of(scorers, roles))
    assert str(caught.value).startswith(f"quiz: its grader cannot be made: {grader}: ")
    assert str(caught.value).endswith(f" Set its key, or {way_out}")


@pytest.mark.parametrize(
    ("scorers", "roles"),
    [
        ([], ()),
        ([judge()], ("grader",)),
        ([judge("baseline/grader")], ()),
        ([judge(get_model("baseline/grader"))], ()),
        ([judge(models=["baseline/grader", "baseline/echo"])], ()),
        ([judge(models=[get_model("baseline/grader")])], ()),
        ([model_graded_qa(), match()], ()),
        ([embeds("minilm-v6")], ()),
    ],
)
def test_a_grader_that_exists_or_is_not_used(scorers, roles):
    check_graders("quiz", *arguments_of(scorers, roles))
