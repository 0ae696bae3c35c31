"""Plans as JSON: what is written is read, with its types."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.errors import UsageError
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, Suite
from openbench.run.plan_json import plan_from_json, plan_from_plain, plan_to_json, redacted_plan

texts = st.text(max_size=8)
numbers = st.integers() | st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(texts, values, max_size=3)
models = st.builds(ModelSpec, name=texts, base_url=st.none() | texts, args=arguments)
jobs = st.builds(
    Job, benchmark=texts, task_args=arguments, model=models, rule=texts, in_place_of=st.lists(texts, max_size=2)
)
suites = st.builds(
    Suite,
    key=texts,
    distribution=texts,
    version=texts,
    members=st.dictionaries(texts, texts, max_size=2),
    missing=st.lists(texts, max_size=2),
)
limits = st.integers() | st.tuples(st.integers(), st.integers())


def some(kind, **known):
    """Mappings with any of a TypedDict's keys."""
    keys = {name: known.get(name, values) for name in kind.__annotations__}
    return st.fixed_dictionaries({}, optional=keys)


plans = st.builds(
    Plan,
    jobs=st.lists(jobs, max_size=3),
    sample=st.booleans(),
    reference=st.booleans(),
    model_roles=st.dictionaries(texts, models, max_size=2),
    options=some(EvalOptions, limit=limits),
    generate=some(GenerateOptions),
    suites=st.lists(suites, max_size=2),
)


@given(plans)
def test_a_plan_comes_back_as_it_was_sent(plan):
    assert plan_from_json(plan_to_json(plan)) == plan


def job_of(value):
    model = ModelSpec(name="none/x", args={"y": value})
    return Plan(jobs=[Job(benchmark="a@b", task_args={"x": value}, model=model, in_place_of=[])], suites=[])


@pytest.mark.parametrize(
    "value",
    [
        date(2024, 1, 2),
        datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
        [date(2024, 1, 2), {"day": date(2024, 1, 3)}],
        {1: "a", None: [date(2024, 1, 2)]},
        {"yaml": "2024-01-02"},
        b"\xff",
        float("inf"),
        {"a", "b"},
    ],
)
def test_what_json_has_no_type_for_keeps_its_type(value):
    plan = job_of(value)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert plan_from_plain(json.loads(json.dumps(redacted_plan(plan)))) == plan
    whole = replace(plan, whole=plan)
    assert plan_from_json(plan_to_json(whole)) == whole


def test_what_yaml_does_not_have_is_refused():
    with pytest.raises(UsageError) as error:
        plan_to_json(job_of([1j]))
    assert str(error.value) == (
        "1j is a complex, which cannot be sent to another process: expected a YAML value, such as a string, number, "
        "date or list."
    )
