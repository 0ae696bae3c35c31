"""Plugins as they are installed: whatever one of them does, the others are there."""

import json

import pytest

LIST = """
import json
from openbench.discovery import BENCHMARKS, GROUPS, discover
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

# The source of a plugin's module, and the one line that its entry `quiz = plugin_N:quiz` costs.
BROKEN = {
    "raises": (
        "def quiz():\n    raise RuntimeError('no licence\\nfound')",
        "RuntimeError: no licence found",
    ),
    "raises nothing to read": ("def quiz():\n    raise KeyError", "KeyError"),
    "exits": ("import sys\nsys.exit('bye')", "SystemExit: bye"),
    "exits when called": ("def quiz():\n    raise SystemExit(3)", "SystemExit: 3"),
    "needs a module": ("import acme_dependency.things", "needs the module 'acme_dependency', which is not installed"),
    "needs a name": (
        "from acme import nothing",
        "ImportError: cannot import name 'nothing' from 'acme' ({folder}/acme.py)",
    ),
    "has no such attribute": ("quizz = 1", "AttributeError: module '{module}' has no attribute 'quiz'"),
    "wants an argument": ("def quiz(year): ...", "TypeError: quiz() missing 1 required positional argument: 'year'"),
    "is no Python": ("def quiz(:", "SyntaxError: invalid syntax ({module}.py, line 1)"),
    "recurses": (
        "def quiz():\n    return quiz()",
        "RecursionError: maximum recursion depth exceeded",
    ),
    "is a text": ("quiz = 'Quiz'", "gives a str for 'quiz' where a BenchmarkMetadata is expected"),
    "is nothing": ("def quiz(): ...", "gives nothing for 'quiz' where a BenchmarkMetadata is expected"),
    "is a list": (
        "from acme import made\nquiz = [made()]",
        "gives a list for 'quiz' where a BenchmarkMetadata is expected",
    ),
    "is a class of its own": (
        "class quiz:\n    name = 'Quiz'",
        "gives a quiz for 'quiz' where a BenchmarkMetadata is expected",
    ),
    "describes nothing": (
        "from acme import made\nquiz = made(description=None)",
        "the BenchmarkMetadata of 'quiz' has nothing as description",
    ),
    "has one tag": (
        "from acme import made\nquiz = made(tags='trivia', overrides=True)",
        "the BenchmarkMetadata of 'quiz' has a str as tags and a bool as overrides",
    ),
    "has a dict for its dataset": (
        "from acme import made\nquiz = made(dataset={'source': 'org/quiz'})",
        "the BenchmarkMetadata of 'quiz' has a dict as dataset",
    ),
}


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
        "plain": Same("Plain", "D", "c", ["t"], "m", "f", False, True),
        "extended": Extended("Extended", "D", "c", {"a", "set"}, "m", "f", year=2024),
    }
"""
    site.install("acme-old", {"acme_old.py": source}, benchmarks={"x": "acme_old:get_benchmark_metadata"})
    found = listed(site)
    assert (found["problems"], [row[2:] for row in found["provided"]]) == (
        [],
        [["plain", "Plain"], ["extended", "Extended"]],
    )


def test_each_broken_plugin_costs_one_line_and_the_others_are_there(site):
    expected = []
    for number, (source, message) in enumerate(BROKEN.values()):
        module = f"plugin_{number}"
        site.install(f"acme-{number:02}", {f"{module}.py": source}, benchmarks={"quiz": f"{module}:quiz"})
        expected.append(f"acme-{number:02}: quiz: " + message.format(module=module, folder=site.folder))
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    found = listed(site)
    assert found["provided"] == [["acme-good", "1.0", "good", "Good"]]
    for line, message in zip(found["problems"], expected, strict=True):
        assert line.startswith(message)  # Python's own words go on differently in some versions
        assert "\n" not in line


def test_the_commands_survive_all_of_them(site):
    for number, (source, _) in enumerate(BROKEN.values()):
        site.install(f"acme-{number:02}", {f"p{number}.py": source}, benchmarks={f"quiz{number}": f"p{number}:quiz"})
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    done = site.bench("list", "-c", "acme")
    assert (done.code, done.out) == (0, "good  Good  Questions.\n")
    lines = done.err.splitlines()
    assert len(lines) == len(BROKEN)
    assert all(line.startswith(f"bench: not loaded: acme-{number:02}: ") for number, line in enumerate(lines))
    assert site.bench("describe", "good").code == 0


def test_a_half_bad_dict_keeps_its_good_half(site):
    source = """
from acme import made
ALL = {"good": made("Good"), "text": "Text", 7: made("Seven"), "mute": made(description=None), "last": made("Last")}
"""
    site.install("acme-half", {"acme_half.py": source}, benchmarks={"all": "acme_half:ALL"})
    found = listed(site)
    assert [key for _, _, key, _ in found["provided"]] == ["good", "last"]
    assert found["problems"] == [
        "acme-half: all: gives a str for 'text' where a BenchmarkMetadata is expected",
        "acme-half: all: gives a BenchmarkMetadata for 7 where a BenchmarkMetadata is expected",
        "acme-half: all: the BenchmarkMetadata of 'mute' has nothing as description",
    ]


def test_what_a_plugin_prints_goes_to_stderr(site):
    source = """
from acme import made
print("hello at import")
def quiz():
    print("hello")
    return made()
"""
    site.install("acme-loud", {"acme_loud.py": source}, benchmarks={"quiz": "acme_loud:quiz"})
    done = site.bench("list", "--json", "-c", "acme")
    assert [row["key"] for row in done.json()] == ["quiz"]
    assert done.err == "hello at import\nhello\n"


def test_a_half_removed_distribution_is_named_by_its_module(site):
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    site.install("acme-gone", {}, benchmarks={"gone": "acme_gone.metadata:QUIZ"})
    (site.folder / "acme_gone-1.0.dist-info" / "METADATA").unlink()
    found = listed(site)
    assert found["problems"] == ["acme_gone.metadata: gone: needs the module 'acme_gone', which is not installed"]
    done = site.bench("--version")
    assert done.code == 0
    assert {"acme-good 1.0", "acme_gone.metadata unknown"} <= {*done.out.splitlines()}


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
        "acme-groups: suites: gives nothing for 'second' where a BenchmarkGroup is expected",
        "acme-groups: suites: the BenchmarkGroup of 'third' has a str as benchmarks",
    ]


@pytest.mark.parametrize("entry", ["acme_good", "acme_good:QUIZ.tags.nothing"])
def test_an_entry_point_that_leads_nowhere_costs_a_line(site, entry):
    site.install("acme-odd", {"acme_good.py": GOOD}, benchmarks={"quiz": entry})
    (line,) = listed(site)["problems"]
    assert line.startswith("acme-odd: quiz: ")
    assert json.dumps(line)
