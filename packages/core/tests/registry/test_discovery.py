"""Plugins as they are installed: whatever one of them does, the others are there."""

import json

import pytest

LIST = """
import json
from openbench.registry.catalog import discover
from openbench.registry.discovery import BENCHMARKS, GROUPS
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
provided, problems = discover(BENCHMARKS, BenchmarkMetadata)
groups, group_problems = discover(GROUPS, BenchmarkGroup)
ours = lambda distribution: distribution.startswith("acme")
print(json.dumps({
    "provided": [[p.distribution, p.version, p.key, p.value.name] for p in provided if ours(p.distribution)],
    "groups": [[g.distribution, g.key, list(g.value.benchmarks)] for g in groups if ours(g.distribution)],
    "problems": [str(p) for p in [*problems, *group_problems]],
}))
"""

GOOD = "from acme import made\nQUIZ = made('Good')\n"


def listed(site):
    done = site.python("-c", LIST)
    assert done.code == 0, done.err
    return done.json()


def test_a_constant_a_callable_and_a_dict_register(site):
    source = """
from acme import made
CONSTANT = made("Constant")
def function():
    return made("Function")
class Factory:
    @staticmethod
    def make():
        return {"from-a-call": made("Called")}
MANY = {"one": made("One"), "two-two": made("Two")}
"""
    points = {
        "constant": "acme_many:CONSTANT",
        "function": "acme_many:function",
        "ignored": "acme_many:Factory.make",
        "ignored-too": "acme_many:MANY",
    }
    site.install("acme-many", {"acme_many.py": source}, version="2.1", benchmarks=points)
    found = listed(site)
    assert found["problems"] == []
    assert [(key, name) for _, _, key, name in found["provided"]] == [
        ("constant", "Constant"),
        ("function", "Function"),
        ("from-a-call", "Called"),
        ("one", "One"),
        ("two-two", "Two"),
    ]
    assert {(distribution, version) for distribution, version, *_ in found["provided"]} == {("acme-many", "2.1")}


def test_a_plugin_written_for_the_published_package_registers(site):
    source = """
from __future__ import annotations
from dataclasses import dataclass
from openbench.utils import BenchmarkMetadata
from openbench.config import BenchmarkMetadata as Same
@dataclass
class Extended(BenchmarkMetadata):
    year: int | None = None
def get_benchmark_metadata() -> dict[str, BenchmarkMetadata]:
    return {
        "plain": Same("Plain", "D", "c", ["t"], "acme", "f", False, True),
        "extended": Extended("Extended", "D", "c", {"a", "set"}, "acme", "f", year=2024),
    }
"""
    site.install("acme-old", {"acme_old.py": source}, benchmarks={"x": "acme_old:get_benchmark_metadata"})
    found = listed(site)
    assert (found["problems"], [row[2:] for row in found["provided"]]) == (
        [],
        [["plain", "Plain"], ["extended", "Extended"]],
    )


def test_a_half_bad_dict_keeps_its_good_half(site):
    source = """
from acme import made
ALL = {"good": made("Good"), "text": "Text", 7: made("Seven"), "mute": made(description=None), "last": made("Last")}
"""
    site.install("acme-half", {"acme_half.py": source}, benchmarks={"all": "acme_half:ALL"})
    found = listed(site)
    assert [key for _, _, key, _ in found["provided"]] == ["good", "last"]
    assert found["problems"] == [
        (
            "acme-half: all: has a str for 'text', expected a BenchmarkMetadata; "
            "has a BenchmarkMetadata for 7, expected a BenchmarkMetadata; "
            "the BenchmarkMetadata of 'mute' has nothing as description"
        )
    ]


def test_what_a_plugin_prints_is_no_output_of_ours(site):
    source = """
import os
from acme import made
print("hello at import")
def quiz():
    print("hello")
    os.write(1, b"past Python\\n")
    return made()
"""
    site.install("acme-loud", {"acme_loud.py": source}, benchmarks={"quiz": "acme_loud:quiz"})
    done = site.bench("list", "--json", "-c", "acme")
    assert [row["key"] for row in done.json()] == ["quiz"]
    assert sorted(done.err.splitlines()) == ["hello", "hello at import", "past Python"]


def test_the_order_is_that_of_names_whatever_the_folders_is(site):
    for name in ("acme-c", "acme-a", "acme-b"):
        site.install(name, {f"{name[-1]}.py": GOOD}, benchmarks={f"quiz-{name[-1]}": f"{name[-1]}:QUIZ"})
    assert [distribution for distribution, *_ in listed(site)["provided"]] == ["acme-a", "acme-b", "acme-c"]


def test_a_plugin_can_bring_groups(site):
    source = """
from openbench.metadata import BenchmarkGroup
SUITE = BenchmarkGroup("Suite", "Two.", "acme", ["one", "two"])
def suites():
    return {"first": SUITE, "second": None, "third": BenchmarkGroup("Third", "One.", "acme", "one")}
"""
    points = {"suite": "acme_groups:SUITE", "suites": "acme_groups:suites"}
    site.install("acme-groups", {"acme_groups.py": source}, groups=points)
    found = listed(site)
    assert found["groups"] == [["acme-groups", "suite", ["one", "two"]], ["acme-groups", "first", ["one", "two"]]]
    assert found["problems"] == [
        (
            "acme-groups: suites: has nothing for 'second', expected a BenchmarkGroup; "
            "the BenchmarkGroup of 'third' has a str as benchmarks"
        )
    ]


@pytest.mark.parametrize("entry", ["acme_good", "acme_good:QUIZ.tags.nothing"])
def test_an_entry_point_that_leads_nowhere_costs_a_line(site, entry):
    site.install("acme-odd", {"acme_good.py": GOOD}, benchmarks={"quiz": entry})
    (line,) = listed(site)["problems"]
    assert line.startswith("acme-odd: quiz: ")
    assert json.dumps(line)
