"""A task by name in Python: by key, by distribution, by the name that people read."""

import subprocess
import sys
from pathlib import Path

import pytest

import openbench
from openbench.errors import UnknownNameError, UsageError
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.resolution import Provided


def provided(key, name, distribution="acme", builtin=False):
    metadata = BenchmarkMetadata(name, "Questions.", "knowledge", [], "openbench.errors", "normalized", builtin=builtin)
    return Provided(key, metadata, distribution, "1.0")


CATALOG = Catalog(
    [
        provided("geography_qa", "GeographyQA"),
        provided("quiz", "Trivia"),
        provided("trivia", "Quiz"),
        provided("trivia_old", "TRIVIA"),
        provided("twin_a", "Twins"),
        provided("twin_b", "Twins"),
        provided("sums", "Sums of old", builtin=True),
        provided("sums", "Sums of late", "other"),
    ]
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("geography_qa", "geography_qa"),
        ("geography-qa", "geography_qa"),
        ("geography_qa@acme", "geography_qa"),
        ("GeographyQA", "geography_qa"),
        ("geographyqa", "geography_qa"),
        ("quiz", "quiz"),  # the key, though another is shown under this name
        ("Quiz", "quiz"),
        ("TRIVIA", "trivia"),
        ("Sums of late", "sums"),
    ],
)
def test_a_name_means_a_benchmark(name, key):
    assert find_benchmark(CATALOG, name).key == key


def test_a_name_that_several_have_is_refused():
    with pytest.raises(UsageError) as caught:
        find_benchmark(CATALOG, "twins")
    assert str(caught.value) == "twins: several benchmarks have this name: twin_a, twin_b. Name one by its key."


def test_the_name_of_one_whose_place_is_taken_means_nothing():
    with pytest.raises(UnknownNameError, match=r"^Sums of old: no benchmark, group or path of this name\."):
        find_benchmark(CATALOG, "Sums of old")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("geografyqa", "Did you mean geography_qa?"), ("Sums of lat", "Did you mean sums?")],
)
def test_an_unknown_name_suggests(name, hint):
    with pytest.raises(UnknownNameError) as caught:
        find_benchmark(CATALOG, name)
    assert hint in str(caught.value)


def test_a_path_goes_before_a_display_name(quiz, monkeypatch):
    (quiz / "Twins").mkdir()
    (quiz / "quiz.py").rename(quiz / "Twins" / "__init__.py")
    monkeypatch.chdir(quiz)
    found = find_benchmark(CATALOG, "Twins")  # two benchmarks have this display name
    assert (found.key, found.path) == ("quiz", Path("Twins"))


def test_a_group_goes_before_a_display_name():
    group = Provided("geo", BenchmarkGroup("Geo", "Questions.", "knowledge", ["geography_qa"]), "acme", "1.0")
    with pytest.raises(UnknownNameError, match=r"^GEO: a group of acme 1\.0, not a benchmark\."):
        find_benchmark(Catalog([provided("geography_qa", "GEO")], [group]), "GEO")


def test_the_task_says_what_produced_it(quiz):
    task = openbench.get_task(str(quiz / "quiz.py"), level="hard", top=2)
    assert len(task.dataset) == 2
    assert task.metadata["openbench"]["reference"] == str(quiz / "quiz.py")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"levels": 1}, "quiz has no argument 'levels'. Did you mean level? quiz takes rows, level, grouped, top."),
        ({"rows": "nowhere.jsonl"}, "quiz: nowhere.jsonl cannot be read: "),
    ],
)
def test_arguments_that_do_not_fit(quiz, arguments, message):
    with pytest.raises(openbench.errors.OpenbenchError) as caught:
        openbench.get_task(str(quiz / "quiz.py"), **arguments)
    assert str(caught.value).startswith(message)


def test_importing_openbench_costs_nothing():
    code = "import openbench, sys; print(callable(openbench.get_task), 'inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["True", "False"]
