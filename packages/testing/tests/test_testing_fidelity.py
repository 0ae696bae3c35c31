"""`bench fidelity`, on a package with its project folder."""

import json
import sys

import pytest

from openbench_testing.commands.fixtures import bench, site  # noqa: F401 - fixtures
from openbench_testing.fidelity.report import agrees, read_sections, verdict

PLUGIN = """
from acme import made
from openbench.metadata import DatasetSource

SOURCE = DatasetSource(source="org/sums", split="test", revision="0" * 40)
BENCHMARKS = {
    "sums": made("Sums", module="acme_sums.task", function="sums", dataset=SOURCE),
    "other": made("Other", module="acme_sums.task", function="other"),
}
"""
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from openbench.datasets import load_samples, read_rows
from openbench.scorers.pattern import pattern
from acme_plugin import SOURCE

@task
def sums():
    samples = load_samples(read_rows(SOURCE), lambda row: Sample(row["q"], target=row["a"]), name="sums")
    return Task(samples, scorer=pattern("[0-9]+"))
"""
ADAPTER = """
import json, sys

COMPLETIONS = "https://example.org/completions"
ORIGINAL = "https://example.org/original"

def recorded(benchmark, directory):
    for line in (directory / f"{benchmark}.jsonl").read_text().splitlines():
        row, model, completion = json.loads(line)
        yield {"row": row, "model": model, "completion": completion}

def original(benchmark, records, code):
    sys.path.insert(0, str(code))
    from grade import grade
    return [grade(record["completion"], record["row"]["a"]) for record in records]

def explain(record, original, ours):
    return "the original wants no words | at all" if " " in record["completion"] else ""
"""
GRADE = """
import os

def grade(completion, target):
    assert "OPENAI_API_KEY" not in os.environ
    print("noise")
    return completion == target
"""
TWO = {"q": "1 + 1?", "a": "2"}
FOUR = {"q": "2 + 2?", "a": "4"}


@pytest.fixture
def project(site):  # noqa: F811 - the fixture
    files = {
        "acme_plugin.py": PLUGIN,
        "acme_sums/__init__.py": "",
        "acme_sums/task.py": TASK,
        "pyproject.toml": "",
        "fidelity/sums.py": ADAPTER,
        "original/grade.py": GRADE,
    }
    site.install("acme-sums", files, version="1.2", benchmarks={"all": "acme_plugin:BENCHMARKS"})
    return site


def measured(project, *records, code="original", **options):
    lines = [json.dumps(record) + "\n" for record in records]
    project.write({"completions/sums.jsonl": "".join(lines)})
    more = [part for name, value in options.items() for part in (f"--{name}", value)]
    arguments = ["fidelity", "sums", "--completions", "completions", "--original", code, *more]
    return project.bench(*arguments, OPENAI_API_KEY="sk-0123456789abcdef0123456789abcdef")


def test_every_disagreement_is_listed_and_explained(project):
    done = measured(project, [TWO, "a", "2"], [FOUR, "a", "it is 4"], [TWO, "b", "3"], [TWO, "a", "5"])
    summary = "4 recorded completions of 2 models, 3 of them with the same verdict: agreement 75.00 %."
    assert (done.code, done.out, done.err) == (1, f"sums: {summary}\n", "")
    text = (project.folder / "fidelity.md").read_text()
    section = read_sections(project.folder / "fidelity.md")["sums"]
    assert section.startswith(summary)
    assert "- Original: https://example.org/original\n" in section
    assert "- Completions: https://example.org/completions (sha256 of those read: " in section
    assert "- Scored by acme-sums 1.2, whose default arguments apply.\n" in section
    assert "| a | 3 | 0.3333 | 0.6667 | 2 |\n| b | 1 | 0.0000 | 0.0000 | 1 |\n" in section
    (line,) = (line for line in section.splitlines() if "no words" in line)
    assert line.endswith("| a | 0 | 1 | 4 | the original wants no words \\| at all |")
    assert "## other\n\nNo recorded completions: nothing is known of its agreement with the original.\n" in text
    assert "it is 4" not in text


def test_an_unexplained_difference_is_a_failure(project):
    same = [[{"q": f"{number}?", "a": str(number)}, "a", str(number)] for number in range(300)]
    done = measured(project, *same, [FOUR, "a", "4."])
    assert (done.code, "agreement 99.66 %" in done.out) == (1, True)
    assert "| 0 | 1 | 4 | not explained |" in (project.folder / "fidelity.md").read_text()


def test_full_agreement_succeeds_and_is_shown_again_without_being_measured(project):
    assert measured(project, [TWO, "a", "2"], [TWO, "a", "2"], python=sys.executable).code == 0
    text = (project.folder / "fidelity.md").read_text()
    shown = project.bench("fidelity", "sums", "other")
    assert shown.code == 3
    assert shown.out == (
        "sums: 2 recorded completions of 1 model, 2 of them with the same verdict: agreement 100.00 %.\n"
        "other: No recorded completions: nothing is known of its agreement with the original.\n"
    )
    assert (project.folder / "fidelity.md").read_text() == text


@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        ({"original/grade.py": "raise OSError('no such model')"}, 1, "failed ({python}): OSError: no such model"),
        ({"completions/sums.jsonl": ""}, 2, "completions contains no recorded completions of sums."),
        ({"completions/sums.jsonl": '[1, "a", "2"]\n'}, 2, "record 1 needs a row and the text of a completion."),
        ({"completions/sums.jsonl": "no JSON"}, 2, "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ({"fidelity/sums.py": "ORIGINAL = ''"}, 2, "must define COMPLETIONS, ORIGINAL, recorded, original."),
        ({"fidelity/sums.py": "1 / 0"}, 1, "cannot be run: ZeroDivisionError: division by zero"),
    ],
)
def test_a_failed_measurement_writes_nothing(project, files, code, message):
    project.write({"completions/sums.jsonl": json.dumps([TWO, "a", "2"]) + "\n", **files})
    done = project.bench("fidelity", "sums", "--completions", "completions", "--original", "original")
    assert (done.code, done.out) == (code, "")
    assert done.err.rstrip().endswith(message.format(python=sys.executable))
    assert not (project.folder / "fidelity.md").exists()


def test_a_benchmark_without_an_adapter_names_the_file(project):
    project.write({"completions/other.jsonl": ""})
    done = project.bench("fidelity", "other", "--completions", "completions", "--original", "original")
    path = project.folder.resolve() / "fidelity" / "other.py"
    assert done.err == f"bench: other: the adapter {path} does not exist. It reads the original's completions.\n"
    half = project.bench("fidelity", "sums", "--original", "original")
    assert (half.code, half.err) == (2, "bench: Set both --completions and --original, or neither.\n")


def test_only_a_measurement_counts_as_agreement():
    assert agrees("") is None
    assert agrees("No recorded completions: nothing is known of its agreement with the original.") is None
    assert agrees("No recorded completions.\n\nagreement 100.00 %.") is None
    assert agrees("5 recorded completions of 1 model: agreement 99.50 %.") is True
    assert agrees("5 recorded completions of 1 model: agreement 99.49 %.") is False
    assert agrees("5 recorded completions: agreement 99.50 %.\n\n| x | not explained |") is False
    assert verdict("").startswith("No recorded completions")
