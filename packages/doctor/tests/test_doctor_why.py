"""`bench describe NAME --why`: which distribution provides a name, by which rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.metadata import BenchmarkMetadata
from openbench.registry.resolution import Provided, resolve
from openbench_doctor.why import outcomes_of
from openbench_testing.commands.fixtures import TWO


def test_why_explains_each_rule(two):
    why = two.bench("describe", "my-quiz", "--why")
    assert (why.code, why.err) == (0, "")
    assert why.out == (
        "my-quiz is provided by acme-new 1.new\n"
        "because it declares that it overrides acme-old.\n"
        "\n"
        "candidates\n"
        "  acme-new 1.new  wins: it declares that it overrides acme-old\n"
        "  acme-old 1.old  overridden by acme-new\n"
        "\n"
        "rules, highest first; > marks the deciding one\n"
        "  1. your choice: NAME@DISTRIBUTION, or [tool.openbench.providers]\n"
        "> 2. metadata that overrides the other distribution\n"
        "  3. any provider over one that declares itself built in\n"
        "  4. otherwise a conflict, which bench eval refuses\n"
    )
    said = two.bench("describe", "my-quiz@acme-old", "--why", "--json").json()
    assert (said["winner"], said["rule"], said["why"]) == ("acme-old", "chosen", "my-quiz@acme-old chooses it")
    without = two.bench("describe", "my-quiz", "--why", "--no-overrides", "--json").json()
    assert (without["winner"], without["rule"]) == ("acme-old", "only")
    assert [candidate["fate"] for candidate in without["candidates"]] == [
        "ignored, since it replaces acme-old",
        "wins: the only one",
    ]


def test_why_of_a_conflict_is_an_answer(two):
    two.install("acme-third", {"third.py": TWO}, benchmarks={"my_quiz": "third:NEW"})
    why = two.bench("describe", "my-quiz", "--why")
    assert why.code == 0
    assert "my-quiz is provided by no distribution\n" in why.out
    assert "  acme-third 1.0  in conflict\n" in why.out
    assert "> 4. otherwise a conflict" in why.out
    assert two.bench("describe", "my-quiz").code == 2


@pytest.mark.parametrize("name", ["nosuch", "./quiz.py", "suite"])
def test_why_is_about_names_that_distributions_provide(two, name):
    source = "from openbench.metadata import BenchmarkGroup\nSUITE = BenchmarkGroup('S', 'd', 'c', ['my-quiz'])"
    two.install("acme-suite", {"suite_.py": source}, groups={"suite": "suite_:SUITE"})
    done = two.bench("describe", name, "--why")
    assert (done.code, done.out) == (2, "")


def test_why_names_what_is_not_loaded(two):
    two.install("acme-third", {"third.py": "1 / 0"}, benchmarks={"my_quiz": "third:NEW"})
    line = "acme-third: my_quiz: ZeroDivisionError: division by zero"
    assert f"  not loaded, and left out: {line}\n" in two.bench("describe", "my-quiz", "--why").out
    assert two.bench("describe", "my-quiz", "--why", "--json").json()["not_loaded"] == [line]


def test_why_of_a_display_name_is_that_of_its_key(two):
    by_key, shown = (two.bench("describe", name, "--why", "--json") for name in ("my-quiz", "new"))
    assert by_key.code == 0, by_key.err
    assert by_key.out == shown.out
    done = two.bench("describe", "--why", "Newer")
    assert done.err.splitlines()[0].startswith("bench: Newer: no benchmark, group or path of this name.")


def test_without_this_package_it_is_named(two):
    done = two.bench("describe", "my-quiz", "--why", OPENBENCH_PLUGINS="acme-old,acme-new")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: bench describe --why comes with openbench-doctor: pip install openbench-doctor")


NAMES = ["a", "b", "c", "d"]


def provided(distribution, overrides, builtin):
    ours = {"overrides": overrides, "builtin": builtin}
    return Provided("quiz", BenchmarkMetadata("Quiz", "d", "c", [], "acme.task", "quiz", **ours), distribution, "1.0")


@given(
    st.lists(
        st.builds(provided, st.sampled_from(NAMES), st.none() | st.sampled_from([*NAMES, "elsewhere"]), st.booleans()),
        min_size=1,
        unique_by=lambda candidate: candidate.distribution,
    ),
    st.booleans(),
)
def test_every_candidate_has_an_outcome_and_one_wins(candidates, overrides):
    resolution = resolve(candidates, overrides=overrides)
    outcomes = outcomes_of(resolution, overrides=overrides)
    assert len(outcomes) == len(candidates)
    won = [c for c, outcome in zip(candidates, outcomes, strict=True) if outcome.startswith("wins: ")]
    assert won == ([resolution.winner] if resolution.winner else [])
    assert all(outcomes)
