"""Tests of finding scorers and solvers by name: providers, arguments, and faulty plugins."""

import contextlib
import sys
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import scorer as theirs
from inspect_ai import solver as their_solvers
from inspect_ai.util import registry_info

from openbench import _registry
from openbench.errors import UnknownNameError, UsageError
from openbench.registry import discovery
from openbench.registry.discovery import PLUGINS_VARIABLE
from openbench.registry.plugin_loader import SECONDS_VARIABLE
from openbench.tasks.provenance import METADATA_KEY
from openbench_components.components import (
    ENTRY_POINTS,
    Component,
    component_names,
    find_component,
    provenance,
)

CORE, INSPECT = f"openbench-core {version('openbench-core')}", f"inspect-ai {version('inspect-ai')}"

SCORER = """
from inspect_ai.scorer import Score, accuracy, scorer

@scorer(metrics=[accuracy()])
def {name}(least: float = 0.5, *, word: str = "yes"):
    if least > 1:
        raise ValueError("least is a share, at most 1.")

    async def score(state, target):
        return Score(value=1)

    return score
"""
SOLVER = """
from inspect_ai.solver import solver

@solver
def {name}(text, **further):
    async def solve(state, generate):
        return state

    return solve
"""
SOURCES = {"scorer": SCORER, "solver": SOLVER}


@pytest.fixture
def plugs(site, tmp_path, monkeypatch):
    """Install distributions with a scorer or solver on this process's path, from an empty directory."""
    before = {*sys.modules}

    def install(distribution, name="thing", *, kind="scorer", source=None, more=None, **entry):
        module = distribution.replace("-", "_")
        text = SOURCES[kind] if source is None else source
        points = {name: entry.get("value", f"{module}:{module}_it"), **(more or {})}
        files = {f"{module}.py": text.replace("{name}", f"{module}_it")}
        site.install(distribution, files, version="2.0", **{f"{kind}s": points})
        discovery._scan.cache_clear()
        return site

    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.syspath_prepend(str(site.folder))
    yield install
    for name in {*sys.modules} - before:
        if str(site.folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def refused(reference, kind="scorer", **options):
    with pytest.raises(UsageError) as error:
        find_component(kind, reference, **options)
    return str(error.value)


# --- providers of a name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ENTRY_POINTS)
def test_a_plugin_is_found_by_its_name(plugs, kind):
    plugs("acme", kind=kind)
    component = find_component(kind, "thing")
    assert component.factory is sys.modules["acme"].__dict__["acme_it"]
    assert provenance(component) == {
        "kind": kind,
        "name": "thing",
        "distribution": "acme",
        "version": "2.0",
        "rule": "only",
        "in_place_of": [],
    }


def test_a_conflict_names_all_providers_and_how_to_choose(plugs):
    plugs("acme", "my-thing")
    plugs("bolt", "my_thing")
    assert refused("My_Thing") == (
        "my-thing: several distributions provide this name: acme 2.0, bolt 2.0. Say which one you mean: "
        "my-thing@acme or my-thing@bolt."
    )
    assert find_component("scorer", "my_thing@Bolt").name == "my_thing"


@pytest.mark.parametrize("name", ["exact", "pattern"])
def test_core_precedes_inspect_for_the_same_name(name):
    ours, other = find_component("scorer", name), find_component("scorer", f"{name}@inspect-ai")
    assert (ours.distribution, ours.rule, list(ours.overrides)) == ("openbench-core", "builtin", [INSPECT])
    assert ours.factory is not other.factory
    assert other.factory is getattr(theirs, name)
    assert (other.rule, list(other.overrides)) == ("chosen", [CORE])


def test_a_plugin_overrides_a_built_in_scorer(plugs):
    plugs("acme", "exact")
    component = find_component("scorer", "exact")
    assert (component.distribution, component.rule) == ("acme", "builtin")
    assert list(component.overrides) == [CORE, INSPECT]


@pytest.mark.parametrize(
    ("name", "module"),
    [("mcq", "openbench.scorers.mcq"), ("mcq_scorer", None), ("f1", None)],
)
def test_names_of_core_and_of_inspect_are_always_available(monkeypatch, name, module):
    monkeypatch.setenv(PLUGINS_VARIABLE, "")
    component = find_component("scorer", name)
    assert component.rule == "only"
    assert component.factory.__module__ == module or module is None
    assert registry_info(component.create()).type == "scorer"


@pytest.mark.parametrize("kind", ENTRY_POINTS)
def test_everything_core_registers_with_inspect_has_a_short_name(kind):
    ours = {name for name in _registry.__all__ if registry_info(getattr(_registry, name)).type == kind}
    assert ours - {"reference"} <= {*component_names(kind)}  # a baseline, created by `bench eval --baseline`


@pytest.mark.parametrize("kind", ENTRY_POINTS)
def test_every_name_resolves_to_a_factory_of_its_kind(monkeypatch, kind):
    monkeypatch.setenv(PLUGINS_VARIABLE, "")
    names = component_names(kind)
    assert names == sorted(names)
    assert {registry_info(find_component(kind, name).factory).type for name in names} == {kind}


def test_an_unknown_name_suggests_known_names():
    assert (
        refused("exct").removesuffix(" openbench-scorers has more.") == "Unknown scorer 'exct'. Did you mean 'exact'?"
    )
    assert refused("qwertz").startswith("Unknown scorer 'qwertz'. Known: answer, ")
    assert refused("qqqqq", "solver").startswith("Unknown solver 'qqqqq'. Known: assistant_message, ")
    with pytest.raises(
        UnknownNameError, match=r"^exact: the distribution acme does not provide it\. Provided by: openb"
    ):
        find_component("scorer", "exact@acme")


def test_the_error_mentions_that_plugins_are_limited(plugs, monkeypatch):
    plugs("acme")
    assert "thing" in component_names("scorer")
    monkeypatch.setenv(PLUGINS_VARIABLE, "bolt")
    assert "thing" not in component_names("scorer")
    limited = " (OPENBENCH_PLUGINS limits which plugins are used)."
    assert refused("thing").endswith(f"{limited} openbench-scorers has more.")
    assert refused("thing", "solver").endswith(limited)


def test_only_the_selected_plugin_is_imported(plugs):
    plugs("acme", more={"other": "acme_other:none"})
    plugs("bolt", "other")
    find_component("scorer", "thing")
    assert "bolt" not in sys.modules
    find_component("scorer", "other@bolt")
    assert "acme_other" not in sys.modules


# --- faulty plugins ---------------------------------------------------------------------------------------------------

HOSTILE = {
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "hangs": ("import threading; threading.Event().wait()", "timed out after 0.5 s"),
    "lacks a module": ("import {name}_gone", "ModuleNotFoundError: No module named '{name}_gone'"),
    "lacks the name": ("", "AttributeError: "),
    "is a number": ("{name} = 7", "refers to an int, expected a factory decorated with @scorer"),
    "is a class": ("class {name}: ...", "refers to the class {name}, expected a factory decorated with @scorer"),
    "is not decorated": ("def {name}(): ...", "refers to a function, expected a factory decorated with @scorer"),
    "is a solver": (
        SOLVER,
        "refers to a function, expected a factory decorated with @scorer",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_faulty_plugin_gives_an_error_of_one_line(plugs, monkeypatch, case):
    monkeypatch.setenv(SECONDS_VARIABLE, "0.5")
    source, message = HOSTILE[case]
    distribution = f"acme-{case.replace(' ', '-')}"  # one per case, since a plugin that timed out is not called again
    message = message.replace("{name}", f"{distribution.replace('-', '_')}_it")
    plugs(distribution, source=source)
    error = refused("thing")
    assert error.startswith(f"thing: {distribution}: thing: {message}")
    assert error.endswith(".")


# --- other names ------------------------------------------------------------------------------------------------------


def test_a_file(tmp_path):
    (tmp_path / "mine.py").write_text(SCORER.replace("{name}", "of_mine"))
    component = find_component("scorer", "mine.py@of_mine", directory=tmp_path)
    assert (component.distribution, component.version, component.rule) == (None, None, "path")
    assert str(component) == "the scorer mine.py@of_mine"
    assert find_component("scorer", str(tmp_path / "mine.py")).name.endswith("mine.py@of_mine")
    assert registry_info(component.create(word="no")).metadata[METADATA_KEY] == provenance(component)


@pytest.mark.parametrize(
    ("kind", "reference", "message"),
    [
        ("scorer", "gone.py@x", "gone.py: there is no such Python file."),
        ("scorer", "two.py@x", "two.py has no function 'x' that is decorated with @scorer."),
        ("scorer", "two.py@accuracy", "two.py has no function 'accuracy' that is decorated with @scorer."),
        ("scorer", "two.py", "two.py has several scorers: first, second. Name one, as in two.py@first."),
        ("solver", "two.py@first", "two.py has no function 'first' that is decorated with @solver."),
        ("solver", "two.py", "two.py has no function decorated with @solver."),
        ("scorer", "exits.py", "exits.py cannot be imported: SystemExit: 3"),
        ("scorer", "raises.py@x", "raises.py cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, kind, reference, message):
    two = [SCORER.replace("{name}", name) for name in ("first", "second")]
    (tmp_path / "two.py").write_text("\n".join(two))
    (tmp_path / "exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "raises.py").write_text("1 / 0")
    assert refused(reference, kind, directory=tmp_path) == message


@pytest.mark.parametrize(
    ("kind", "reference", "distribution"),
    [
        ("scorer", "inspect_ai/match", "inspect-ai"),
        ("solver", "inspect_ai/generate", "inspect-ai"),
        ("scorer", "openbench/mcq_scorer", "openbench-core"),
    ],
)
def test_names_in_inspects_registry(kind, reference, distribution):
    component = find_component(kind, reference)
    assert (component.name, component.distribution, component.rule) == (reference, distribution, "only")
    assert registry_info(component.create()).name.endswith(reference.partition("/")[2])


def test_a_name_missing_from_inspects_registry_is_refused():
    assert refused("nosuch/thing") == "nosuch/thing: no installed distribution provides the package 'nosuch'."
    with pytest.raises(UsageError) as error:
        find_component("scorer", "openbench/nosuch").create()
    assert str(error.value) == (
        f"The scorer openbench/nosuch ({CORE}) cannot be created: openbench/nosuch was not found in the registry"
    )


@given(st.text() | st.from_regex(r"[a-z./@\\\x00-]{1,6}(\.py)?(@[a-z.]{0,3})?", fullmatch=True))
def test_any_text_resolves_or_is_refused(text):
    with contextlib.suppress(UsageError):
        assert isinstance(find_component("scorer", text), Component)


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lest": 1}, "takes no argument 'lest'. It takes: least, word."),
        ({"self": 1}, "takes no argument 'self'. It takes: least, word."),
        ({"least": 3, "word": "x"}, "cannot be created with least=3, word='x': least is a share, at most 1."),
        ({"least": "x"}, "cannot be created with least='x': '>' not supported between instances of 'str' and 'int'"),
    ],
)
def test_invalid_arguments_are_refused(plugs, arguments, message):
    plugs("acme")
    with pytest.raises(UsageError) as error:
        find_component("scorer", "thing").create(**arguments)
    assert str(error.value) == f"The scorer thing (acme 2.0) {message}"


def test_required_and_further_arguments(plugs):
    plugs("acme", kind="solver")
    solver = find_component("solver", "thing")
    with pytest.raises(
        UsageError,
        match=r"^The solver thing \(acme 2.0\) cannot be created with further=1: .* 1 required .* argument: 'text'",
    ):
        solver.create(further=1)
    assert registry_info(solver.create(text="x", further=1)).metadata[METADATA_KEY]["distribution"] == "acme"


def test_keywords_that_a_typed_dictionary_lists_are_checked():
    generate = find_component("solver", "generate")
    assert generate.factory is their_solvers.generate
    with pytest.raises(UsageError, match=r"takes no argument 'temprature'. It takes: "):
        generate.create(temprature=1.0)
    assert registry_info(generate.create(temperature=1.0)).name == "inspect_ai/generate"


def test_a_scorer_without_arguments():
    with pytest.raises(UsageError, match=r"takes no argument 'x'. It takes: none."):
        find_component("scorer", "exact@inspect-ai").create(x=1)


def test_creating_a_component_twice_gives_two_objects(plugs):
    plugs("acme")
    component = find_component("scorer", "thing")
    first, second = component.create(), component.create(least=0.1)
    assert first is not second
    assert METADATA_KEY not in registry_info(component.factory).metadata
