"""Who provides a name: the rules, and what is said when they decide nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.errors import UsageError
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
from openbench.registry.catalog import Catalog
from openbench.registry.discovery import Problem
from openbench.registry.names import normalized
from openbench.registry.resolution import Choice, Provided, resolve
from openbench.registry.settings import Settings


def provided(distribution, key="quiz", version="1.0", **ours):
    """A benchmark as a distribution provides it."""
    metadata = BenchmarkMetadata(key.title(), "Questions.", "acme", [], "acme.task", "quiz", **ours)
    return Provided(key, metadata, distribution, version)


def suite(key, *members, distribution="acme"):
    """A group as a distribution provides it."""
    return Provided(key, BenchmarkGroup(key.title(), "A suite.", "acme", members), distribution, "1.0")


def outcome(*candidates):
    """The winner's distribution, and the rule."""
    resolution = resolve(candidates)
    return resolution.winner and resolution.winner.distribution, resolution.rule


# --- the rules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ours", [{}, {"builtin": True}, {"overrides": "openbench-quiz"}])
def test_one_candidate_wins_whatever_it_says(ours):
    assert outcome(provided("acme", **ours)) == ("acme", "only")


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        pytest.param([("a", {"overrides": "b"}), ("b", {})], ("a", "overrides"), id="an override"),
        pytest.param([("a", {"overrides": "b"}), ("b", {"builtin": True})], ("a", "overrides"), id="of a built-in"),
        pytest.param([("a", {"overrides": "B_b"}), ("b-b", {})], ("a", "overrides"), id="names compare loosely"),
        pytest.param(
            [("a", {"overrides": "b"}), ("b", {"overrides": "c"}), ("c", {"builtin": True})],
            ("a", "overrides"),
            id="a chain",
        ),
        pytest.param(
            [("a", {"overrides": "c"}), ("b", {"overrides": "c"}), ("c", {})], (None, "conflict"), id="two of one"
        ),
        pytest.param([("a", {"overrides": "b", "builtin": True}), ("b", {})], ("a", "overrides"), id="by a built-in"),
        pytest.param([("a", {"overrides": "c"}), ("b", {})], (None, "conflict"), id="of one that is not there"),
        pytest.param([("a", {"overrides": "b"}), ("b", {}), ("c", {})], (None, "conflict"), id="of one of two"),
        pytest.param(
            [("a", {"overrides": "b"}), ("b", {}), ("c", {"builtin": True})],
            ("a", "builtin"),
            id="an override, then over the built-in",
        ),
        pytest.param([("a", {}), ("b", {"builtin": True})], ("a", "builtin"), id="over a built-in"),
        pytest.param(
            [("a", {}), ("b", {"builtin": True}), ("c", {"builtin": True})], ("a", "builtin"), id="over two built-ins"
        ),
        pytest.param([("a", {}), ("b", {}), ("c", {"builtin": True})], (None, "conflict"), id="two over a built-in"),
        pytest.param([("a", {"builtin": True}), ("b", {"builtin": True})], (None, "conflict"), id="two built-ins"),
        pytest.param([("a", {}), ("b", {})], (None, "conflict"), id="two that say nothing"),
        pytest.param([("a", {"overrides": "b"}), ("b", {"overrides": "a"})], (None, "conflict"), id="a circle"),
        pytest.param(
            [("a", {"overrides": "b"}), ("b", {"overrides": "a"}), ("c", {})], (None, "conflict"), id="and a third"
        ),
        pytest.param(
            [("a", {"overrides": "b"}), ("b", {"overrides": "a"}), ("c", {"builtin": True})],
            (None, "conflict"),
            id="and a built-in",
        ),
        pytest.param(
            [("a", {"overrides": "gone"}), ("b", {"overrides": "c"}), ("c", {"overrides": "b"})],
            (None, "conflict"),
            id="a circle beside one that overrides no one who is there",
        ),
        pytest.param(
            [("a", {"overrides": "a"}), ("b", {"builtin": True})], ("a", "builtin"), id="an override of itself"
        ),
    ],
)
def test_the_rules(candidates, expected):
    assert outcome(*(provided(name, **ours) for name, ours in candidates)) == expected


NAMES = ["a", "b", "c", "d"]
CANDIDATES = st.lists(
    st.builds(
        provided,
        st.sampled_from(NAMES),
        overrides=st.none() | st.sampled_from([*NAMES, "elsewhere"]),
        builtin=st.booleans(),
    ),
    min_size=1,
    unique_by=lambda candidate: candidate.distribution,
)


@given(CANDIDATES.flatmap(lambda candidates: st.tuples(st.just(candidates), st.permutations(candidates))))
def test_who_wins_does_not_depend_on_the_order(orders):
    one, other = (resolve(candidates) for candidates in orders)
    assert (one.winner, one.rule) == (other.winner, other.rule)


@given(CANDIDATES)
def test_a_winner_is_overridden_by_no_one_who_is_there(candidates):
    resolution = resolve(candidates)
    winner = resolution.winner
    assert (winner is None) == (resolution.rule == "conflict")
    if winner and len(candidates) > 1:
        others = [c for c in candidates if c is not winner]
        assert resolution.overridden == others
        assert winner.distribution not in {c.value.overrides for c in others}


@given(CANDIDATES, st.data())
def test_whoever_is_named_wins(candidates, data):
    chosen = data.draw(st.sampled_from(candidates))
    resolution = Catalog(candidates).find(f"quiz@{chosen.distribution}")
    assert (resolution.winner, resolution.rule) == (chosen, "chosen")


# --- what the user says -----------------------------------------------------------------------------------------------


def settings(**choices):
    return Settings(choices={name: Choice(distribution, "openbench.toml") for name, distribution in choices.items()})


def test_what_a_file_says_goes_before_the_other_rules():
    candidates = [provided("a", overrides="b"), provided("b", builtin=True)]
    resolution = Catalog(candidates, settings=settings(quiz="B")).find("quiz")
    why = "openbench.toml chooses it"
    assert (resolution.winner.distribution, resolution.rule, resolution.why) == ("b", "chosen", why)
    assert Catalog(candidates, settings=settings(quiz="b")).find("quiz@a").winner.distribution == "a"


def test_a_file_that_names_a_distribution_without_the_benchmark_decides_nothing():
    catalog = Catalog([provided("a"), provided("b")], settings=settings(quiz="c", other="d"))
    with pytest.raises(UsageError) as error:
        catalog.find("quiz")
    assert str(error.value) == (
        "quiz: openbench.toml chooses c, which does not provide it; provided by a and b. "
        "Correct it, or say which one you mean: quiz@a or quiz@b."
    )
    with pytest.raises(UsageError, match=r"openbench.toml chooses d, which may not be installed\."):
        catalog.find("other")


# --- --no-overrides ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        pytest.param([("a", {"overrides": "b"}), ("b", {})], ("b", "only"), id="an override"),
        pytest.param([("a", {}), ("b", {"builtin": True})], ("b", "only"), id="over a built-in"),
        pytest.param([("a", {}), ("b", {}), ("c", {"builtin": True})], ("c", "only"), id="two over a built-in"),
        pytest.param(
            [("a", {"overrides": "b"}), ("b", {"overrides": "c"}), ("c", {"builtin": True})],
            ("c", "only"),
            id="a chain",
        ),
        pytest.param([("a", {"overrides": "b"}), ("b", {}), ("c", {})], (None, "conflict"), id="the rest in conflict"),
        pytest.param([("a", {"overrides": "b"}), ("b", {"overrides": "a"})], (None, "conflict"), id="a circle"),
        pytest.param([("a", {})], ("a", "only"), id="one alone"),
    ],
)
def test_without_overrides(candidates, expected):
    made = [provided(name, **ours) for name, ours in candidates]
    resolution = resolve(made, overrides=False)
    assert (resolution.winner and resolution.winner.distribution, resolution.rule) == expected


def test_without_overrides_what_the_user_says_stands():
    candidates = [provided("a", overrides="b"), provided("b")]
    assert Catalog(candidates, settings=settings(quiz="a"), overrides=False).find("quiz").winner.distribution == "a"
    assert Catalog(candidates, overrides=False).find("quiz@a").winner.distribution == "a"


@given(CANDIDATES)
def test_without_overrides_no_winner_takes_anothers_place(candidates):
    winner = resolve(candidates, overrides=False).winner
    others = [candidate for candidate in candidates if candidate is not winner]
    assert not winner or all(resolve([winner, other]).winner is not winner for other in others)


# --- finding ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["my-quiz_2", "my_quiz_2", "my-quiz-2", "MY-Quiz_2"])
def test_dashes_and_underscores_are_equal(name):
    catalog = Catalog([provided("acme-quiz", "my-quiz_2")])
    assert catalog.find(name).key == "my-quiz_2"
    assert catalog.find(f"{name}@Acme_Quiz").rule == "chosen"


def test_a_name_written_in_two_ways_is_one_name():
    catalog = Catalog([provided("a", "my-quiz", builtin=True), provided("b", "my_quiz")])
    assert [*catalog.resolutions] == ["my_quiz"]
    assert catalog.find("my-quiz").winner.distribution == "b"


def test_a_conflict_names_everyone_and_says_how_to_choose():
    catalog = Catalog([provided("acme-quiz", version="1.2"), provided("bolt-quiz", version="0.3")])
    with pytest.raises(UsageError) as error:
        catalog.find("quiz")
    assert str(error.value) == (
        "quiz: several distributions provide this name: acme-quiz 1.2, bolt-quiz 0.3. "
        "Say which one you mean: quiz@acme-quiz or quiz@bolt-quiz; "
        "'bench use quiz acme-quiz' sets it for a project."
    )


def test_a_distribution_that_does_not_provide_a_name_is_refused():
    catalog = Catalog([provided("acme-quiz"), provided("bolt-quiz")])
    with pytest.raises(UsageError) as error:
        catalog.find("quiz@cord-quiz")
    assert str(error.value) == (
        "quiz: the distribution cord-quiz does not provide it. Provided by: acme-quiz, bolt-quiz."
    )


def test_a_key_that_a_distribution_registers_twice_is_a_problem():
    catalog = Catalog([provided("acme", "my-quiz", version="1"), provided("acme", "my_quiz", version="2")])
    assert [str(problem) for problem in catalog.problems] == [
        "acme: my_quiz: registers 'my-quiz' and 'my_quiz', which are one name; the first is used"
    ]
    assert catalog.find("my_quiz").winner.version == "1"


def test_an_unknown_name_gets_suggestions():
    catalog = Catalog([provided("acme", "simple-qa"), provided("acme", "arc")], [suite("simple-suite")])
    with pytest.raises(UsageError) as error:
        catalog.find("simple_q")
    assert str(error.value) == (
        "simple_q: no benchmark, group or path of this name. "
        "Did you mean simple-qa, simple-suite? 'bench list' shows what is installed."
    )


def test_there_are_five_suggestions_at_most():
    catalog = Catalog([provided("acme", f"quiz_{letter}") for letter in "abcdefgh"])
    with pytest.raises(UsageError) as error:
        catalog.find("quiz_z")
    suggested = str(error.value).partition("Did you mean ")[2].partition("?")[0].split(", ")
    assert len(suggested) == 5
    assert {name[:-1] for name in suggested} == {"quiz_"}


def test_a_name_like_no_other_gets_none():
    with pytest.raises(UsageError) as error:
        Catalog([provided("acme")]).find("zzz")
    assert str(error.value) == "zzz: no benchmark, group or path of this name. 'bench list' shows what is installed."


def test_an_unknown_name_names_what_could_not_be_loaded():
    broken = Problem("bolt", "bolt", "needs the module 'torch', which is not installed")
    with pytest.raises(UsageError) as error:
        Catalog([provided("acme")], problems=[broken]).find("bolt")
    assert str(error.value).splitlines()[1:] == [
        "Not loaded: bolt: bolt: needs the module 'torch', which is not installed"
    ]


@pytest.mark.parametrize("name", ["", "@", "@acme", "quiz@@acme", "a" * 10_000, "quiz\n", "\N{PILE OF POO}"])
def test_odd_names_are_unknown_names(name):
    with pytest.raises(UsageError):
        Catalog([provided("acme")]).find(name)


# --- what is there ----------------------------------------------------------------------------------------------------


def test_names_are_sorted():
    catalog = Catalog([provided("b", "two"), provided("a", "one"), provided("b", "three", version="1.0")])
    assert [*catalog.resolutions] == ["one", "three", "two"]


def test_an_empty_catalog_finds_nothing():
    assert (dict(Catalog([]).resolutions), Catalog([]).candidates("quiz")) == ({}, [])


def test_a_benchmark_comes_before_a_group_of_its_name():
    catalog = Catalog([provided("acme", "my_suite"), provided("acme", "one")], [suite("my-suite", "one")])
    assert catalog.group("my-suite") is None
    assert [problem.entry_point for problem in catalog.problems] == ["my-suite"]


@given(st.text())
def test_normalizing_twice_changes_nothing(name):
    assert normalized(normalized(name)) == normalized(name)


def test_the_installed_catalog_is_what_is_installed(site):
    source = "from acme import made\nA = made(overrides='openbench-nothing')\nB = made(builtin=True)\nC = made()"
    for letter, ours in (("a", "A"), ("b", "B"), ("c", "C")):
        points = {"my-quiz" if letter == "a" else "my_quiz": f"p_{letter}:{ours}"}
        site.install(f"acme-{letter}", {f"p_{letter}.py": source}, benchmarks=points, version=f"1.{ours}0")
    done = site.bench("describe", "my-quiz")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "bench: my-quiz: several distributions provide this name: acme-a 1.A0, acme-b 1.B0, acme-c 1.C0. "
        "Say which one you mean: my-quiz@acme-a or my-quiz@acme-b or my-quiz@acme-c; "
        "'bench use my-quiz acme-a' sets it for a project.\n"
    )
    assert site.bench("describe", "my_quiz@acme_b", "--json").json()["distribution"] == "acme-b"
