"""What is used of inspect-ai beyond its public API is there, and does what it is used for."""

import asyncio
import inspect

from inspect_ai._eval.task.results import eval_results
from inspect_ai.model import ModelName
from inspect_ai.scorer import Score, Target, accuracy, mean, score, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import store

from openbench.run.unpublished import enter_sample, scorer_names


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
