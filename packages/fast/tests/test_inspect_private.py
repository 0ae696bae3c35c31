"""What is used of inspect-ai beyond its public API is there, and does what it is used for."""

import asyncio
import inspect

from inspect_ai._eval.task.results import eval_results
from inspect_ai._util import package
from inspect_ai.model import GenerateConfig, ModelName, get_model
from inspect_ai.scorer import Score, Target, accuracy, mean, score, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import store

from openbench.run.inspect_eval import with_models
from openbench_fast.inspect_private import enter_sample, scorer_names


@scorer(metrics=[mean()])
def seven():
    async def of(state, target):  # noqa: ARG001 - inspect's signature
        return Score(value=7, answer=target.text)

    return of


@scorer(metrics=[accuracy()], name="seven")
def another():
    return seven()


def test_results_take_what_they_are_given():
    taken = inspect.signature(eval_results).parameters
    assert {"samples", "scores", "reducers", "scorers", "metrics", "scorer_names", "headline_metric"} <= taken.keys()


def test_a_sample_is_entered():
    async def entered(name):
        state = TaskState(ModelName("none/none"), name, 1, "?", [])
        enter_sample(state, [seven()], Target("A"))
        await asyncio.sleep(0)
        store().set("name", name)
        [said] = await score(state)
        return state.store.get("name"), said.value, said.answer

    async def both():
        return await asyncio.gather(*(asyncio.create_task(entered(name)) for name in ("a", "b")))

    assert asyncio.run(both()) == [("a", 7, "A"), ("b", 7, "A")]


def test_names_differ():
    assert scorer_names([seven(), another(), seven()]) == ["seven", "seven1", "seven2"]


def test_distributions_are_found_once(monkeypatch):
    assert package.packages_distributions() is package.packages_distributions()
    asked = []
    monkeypatch.setattr(package, "packages_distributions", lambda: asked.append(1) or {})
    assert package.get_distribution_for_object(seven) is None
    assert asked == [1]


def test_models_are_active_for_one_call():
    echo, grader = get_model("baseline/echo"), get_model("baseline/constant", answer="C", memoize=False)

    def taken():
        graded = get_model(role="grader", default="baseline/echo")
        return str(get_model()), str(graded), graded.role

    roles = {"grader": grader}
    assert with_models(taken, echo, roles, GenerateConfig()) == ("baseline/echo", "baseline/constant", "grader")
    assert grader.role is None
    assert with_models(taken) == ("none/none", "baseline/echo", "grader")
    assert get_model(role="grader", default="baseline/empty").name == "empty"
