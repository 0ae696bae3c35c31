"""Plans: which benchmark gets which arguments, what is run on which model, and that JSON keeps all of it."""

import json
from dataclasses import replace
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.arguments import parse_pairs, parse_value, task_arguments
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import (
    EvalOptions,
    GenerateOptions,
    Job,
    ModelSpec,
    Plan,
    Suite,
    plan_from_json,
    plan_from_plain,
    plan_to_json,
    redacted_plan,
)
from openbench.run.planning import Selection, make_plan, select

CATALOG = Catalog([])
LOCAL = LocalExecutor(CATALOG)

EVAL = '''
from collections.abc import Sequence
from typing import Any, List, Literal, Optional

from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("{name}", "d", "c", [], __name__, "{name}", is_alpha={alpha})


def {name}({parameters}):
    """Do nothing."""
'''


@pytest.fixture
def local(tmp_path):
    """Write a local eval of some parameters and return it as a benchmark."""

    def make(name, parameters="", *, alpha=False):
        path = tmp_path / f"{name}.py"
        path.write_text(EVAL.format(name=name, parameters=parameters, alpha=alpha), "utf-8")
        return find_benchmark(CATALOG, str(path))

    return make


# --- key=value ------------------------------------------------------------------------------------------------------


def test_pairs():
    assert parse_pairs(["a=1", "b-c= x=y ", "d="], "-T") == {"a": "1", "b_c": " x=y ", "d": ""}


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["split"], "-T split: expected key=value."),
        (["=1"], "-T =1: expected key=value."),
        ([""], "-T : expected key=value."),
        (["a=1", "a=2"], "-T a=2: a is given twice."),
        (["a-b=1", "a_b=2"], "-T a_b=2: a_b is given twice."),
    ],
)
def test_pairs_that_are_none(pairs, message):
    with pytest.raises(UsageError) as caught:
        parse_pairs(pairs, "-T")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-0.5", -0.5),
        ("1e-3", 0.001),
        ("true", True),
        ("False", False),
        ("null", None),
        ("", ""),
        ("test", "test"),
        ("a,b", ["a", "b"]),
        ("1,2", [1, 2]),
        ("[a, 1]", ["a", 1]),
        ("{a: 1}", {"a": 1}),
        ("'1'", "1"),
        ('"a,b"', "a,b"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("Answer: B", "Answer: B"),
        ("a: b: c", "a: b: c"),
        ("[unclosed", "[unclosed"),
        ("*star", "*star"),
        ("@at", "@at"),
        ("%x", "%x"),
        ("É", "É"),
        ("2024-01-01", "2024-01-01"),
        ("12:30", "12:30"),
        ("localhost:80", "localhost:80"),
        ("- a", "- a"),
        ("C #1", "C #1"),
        ("#1", "#1"),
        ("'a: b'", "a: b"),
        ("1E5", 100000.0),
    ],
)
def test_values(text, value):
    assert parse_value(text) == value


# --- which benchmark takes what -------------------------------------------------------------------------------------


def test_values_are_typed_by_the_signature(local):
    parameters = (
        "split: str, shots: int = 0, rate: float = 1.0, quick: bool = False, subjects: list[str] | None = None, "
        "note: str | None = None, either: str | int = 1, free=None"
    )
    benchmark = local("typed", parameters)
    given = {
        "split": "2024",
        "shots": "5",
        "rate": "0.5",
        "quick": "true",
        "subjects": "law",
        "note": "null",
        "either": "7",
        "free": "1,2",
    }
    assert task_arguments([benchmark], given) == [
        {
            "split": "2024",
            "shots": 5,
            "rate": 0.5,
            "quick": True,
            "subjects": ["law"],
            "note": None,
            "either": 7,
            "free": [1, 2],
        }
    ]
    [texts] = task_arguments([benchmark], {"split": "a,b", "note": "no", "subjects": "law,art"})
    assert texts == {"split": "a,b", "note": "no", "subjects": ["law", "art"]}


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        ("Optional[str]", "2024", "2024"),
        ("Optional[str]", "null", None),
        ("str", "null", "null"),
        ("'str | None'", "1", "1"),
        ("'int | None'", "1", 1),
        ("Literal['no', 'yes']", "no", "no"),
        ("Literal[1, 2]", "2", 2),
        ("Literal['1'] | None", "1", "1"),
        ("list[str]", "no,1", ["no", "1"]),
        ("list[str]", "[no, 'a,b']", ["no", "a,b"]),
        ("Optional[List[str]]", "law", ["law"]),
        ("Sequence[str] | None", "null", None),
        ("str | list[str]", "law", "law"),
        ("str | list[str]", "law,art", ["law", "art"]),
        ("list[int]", "3", [3]),
        ("list[int]", "[3, 4]", [3, 4]),
        ("list[int]", "3,4", [3, 4]),
        ("dict[str, int]", "{a: 1}", {"a": 1}),
        ("float", "1e-3", 0.001),
        ("Any", "1", 1),
    ],
)
def test_annotations(local, annotation, text, value):
    [arguments] = task_arguments([local("annotated", f"value: {annotation} = ...")], {"value": text})
    assert arguments == {"value": value}


@pytest.mark.parametrize("text", ["no", "007", "1_000", "2024-01-01", "1e5", "yes", "~", "a: b", "[x]", "0x1F"])
def test_a_text_stays_as_typed(local, text):
    [arguments] = task_arguments([local("texts", "split: str = 'test'")], {"split": text})
    assert arguments == {"split": text}


def test_a_key_goes_to_those_that_take_it(local):
    benchmarks = [local("one", "split='test'"), local("two", "shots: int = 0"), local("three", "**kwargs")]
    assert task_arguments(benchmarks, {"shots": "5"}) == [{}, {"shots": 5}, {"shots": 5}]
    assert task_arguments(benchmarks[:2], {"split": "dev", "shots": "2"}) == [{"split": "dev"}, {"shots": 2}]


def test_a_misspelt_key(local):
    benchmarks = [local("one", "split='test', shuffle=False"), local("two")]
    with pytest.raises(UsageError) as caught:
        task_arguments(benchmarks, {"splti": "dev"})
    assert str(caught.value) == (
        "-T splti: no benchmark of this run has this argument. Did you mean split? one takes split, shuffle; "
        "two takes none."
    )


def test_a_key_like_no_other(local):
    with pytest.raises(UsageError) as caught:
        task_arguments([local("one", "split='test'")], {"zzz": "1"})
    assert str(caught.value) == "-T zzz: no benchmark of this run has this argument. one takes split."


def test_a_misspelt_key_beside_a_benchmark_that_cannot_be_imported(local, tmp_path):
    gone = Benchmark("gone", BenchmarkMetadata("gone", "", "", [], "", ""), path=tmp_path / "gone.py")
    benchmarks = [local("one", "split='test'"), gone]
    with pytest.raises(UsageError) as caught:
        task_arguments(benchmarks, {"splti": "dev"})
    assert str(caught.value) == (
        "-T splti: no benchmark of this run has this argument. Did you mean split? one takes split; "
        "gone cannot be imported."
    )
    assert task_arguments(benchmarks, {"split": "dev"}) == [{"split": "dev"}] * 2  # kept for when it is resumed
    assert task_arguments([gone, gone], {"split": "dev"}) == [{"split": "dev"}] * 2  # both jobs fail, and say why


def test_a_required_argument(local):
    benchmark = local("needy", "subject, year: int, split='test'")
    with pytest.raises(UsageError) as caught:
        task_arguments([benchmark], {"split": "x"})
    assert str(caught.value) == "needy needs an argument: -T subject=VALUE -T year=VALUE."
    with pytest.raises(UsageError, match=r"^needy needs an argument: subject=VALUE year=VALUE\.$"):
        task_arguments([benchmark], {"split": "x"}, parse=False)
    assert task_arguments([benchmark], {"subject": "law", "year": "1999"}) == [{"subject": "law", "year": 1999}]


MADE = """
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Made", "d", "c", [], __name__, "made")


def _make():
    def inner(split="test", *, level: int = 1):
        pass

    return inner


made = _make()
"""


def test_a_function_made_at_run_time(tmp_path):
    (tmp_path / "made.py").write_text(MADE, "utf-8")
    made = find_benchmark(CATALOG, str(tmp_path / "made.py"))
    assert task_arguments([made], {"level": "2"}) == [{"level": 2}]
    with pytest.raises(UsageError, match=r"Did you mean level\? made takes split, level\.$"):
        task_arguments([made], {"levle": "2"})


# --- plans ----------------------------------------------------------------------------------------------------------


def plan(benchmarks, models=(), **arguments):
    defaults = {"task_args": {}, "roles": {}, "options": {}, "generate": {}}
    specs = [ModelSpec(name=name) for name in models]
    return make_plan(Selection(benchmarks), specs, **{**defaults, **arguments})


def test_every_benchmark_on_every_model(local):
    benchmarks = [local("one", "split='test'"), local("two")]
    made = plan(benchmarks, ["a/x", "b/y"], task_args={"split": "dev"}, sample=True, options={"limit": 3})
    assert [(job.benchmark.rpartition("/")[2], job.model.name, job.task_args) for job in made.jobs] == [
        ("one.py", "a/x", {"split": "dev"}),
        ("two.py", "a/x", {}),
        ("one.py", "b/y", {"split": "dev"}),
        ("two.py", "b/y", {}),
    ]
    assert (made.sample, made.reference, made.model_roles, made.options) == (True, False, {}, {"limit": 3})


def test_the_candidate_is_the_model(local):
    roles = {"candidate": ModelSpec(name="c/z"), "grader": ModelSpec(name="g/g")}
    made = plan([local("one")], roles=roles)
    assert [job.model.name for job in made.jobs] == ["c/z"]
    assert made.model_roles == {"grader": ModelSpec(name="g/g")}
    with pytest.raises(UsageError) as caught:
        plan([local("one")], ["a/x"], roles=roles)
    assert str(caught.value) == (
        "--model and --model-role candidate=MODEL both name the model to evaluate; use one of the two."
    )


def test_a_baseline_takes_the_place_of_models(local):
    made = plan([local("one")], baseline="constant", baseline_args={"answer": "B"})
    assert [job.model for job in made.jobs] == [ModelSpec(name="baseline/constant", args={"answer": "B"})]
    assert (made.reference, made.model_roles) == (False, {"grader": ModelSpec(name="baseline/grader")})
    roles = {"grader": ModelSpec(name="g/g")}
    made = plan([local("one")], baseline="reference", roles=roles)
    assert (made.reference, made.model_roles) == (True, roles)


def test_a_baseline_and_a_model_exclude_each_other(local):
    for arguments in ({"models": ["a/x"]}, {"roles": {"candidate": ModelSpec(name="a/x")}}):
        with pytest.raises(UsageError, match=r"^--baseline replaces --model; use one of the two\.$"):
            plan([local("one")], baseline="random", **arguments)


def test_no_model(local):
    with pytest.raises(UsageError) as caught:
        plan([local("one")])
    assert str(caught.value) == (
        "No model to evaluate: use --model provider/model, or --baseline reference for a check."
    )


def test_a_benchmark_named_twice_runs_once(local, tmp_path):
    path = str(tmp_path / "one.py")
    local("one")
    assert [b.key for b in select(LOCAL, [path, path], alpha=False).benchmarks] == ["one"]


def test_an_experimental_benchmark(local, tmp_path):
    local("odd", alpha=True)
    with pytest.raises(UsageError, match=r"^odd is experimental\. Run it with --alpha\.$"):
        select(LOCAL, [str(tmp_path / "odd.py")], alpha=False)
    assert [b.key for b in select(LOCAL, [str(tmp_path / "odd.py")], alpha=True).benchmarks] == ["odd"]


def test_jobs_are_plain_data():
    import pickle

    job = Job(benchmark="quiz@acme", task_args={"split": "test"}, model=ModelSpec(name="a/x", args={"k": [1]}))
    assert pickle.loads(pickle.dumps(job)) == job  # noqa: S301 - our own


def test_a_signature_that_cannot_be_read():
    metadata = BenchmarkMetadata("n", "d", "c", [], "no.such.module", "task")
    benchmark = Benchmark("n", metadata)
    with pytest.raises(Exception, match="needs the module 'no'"):
        task_arguments([benchmark], {"a": "1"})


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


@pytest.mark.parametrize("value", ["a", 1, 0.5, None, [1, {"b": "c"}], float("inf")])
def test_arguments_keep_their_type(value):
    plan = job_of(value)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert plan_from_plain(json.loads(json.dumps(redacted_plan(plan)))) == plan
    whole = replace(plan, whole=plan)
    assert plan_from_json(plan_to_json(whole)) == whole


def test_dates_are_sent_as_they_are_and_recorded_as_strings():
    plan = job_of([date(2024, 1, 2), time(3, 4)])
    assert plan_from_json(plan_to_json(plan)) == plan
    assert plan_from_plain(redacted_plan(plan)) == job_of(["2024-01-02", "03:04:00"])


def test_what_json_cannot_express_is_refused():
    with pytest.raises(UsageError, match=r"^the arguments of tasks and models cannot be sent to another process: "):
        plan_to_json(job_of([object()]))
