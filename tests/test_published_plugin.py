"""A plugin as the published guides have it: metadata from a function, a dataset over HTTP, a scorer, a metric."""

import json
import os
import subprocess
import sys

import pytest

from openbench_testing import ChatServer, HubServer

COMMAND = "from openbench.cli.main import main; main()"

METADATA = """
from openbench.utils import BenchmarkMetadata


def get_benchmark_metadata():
    return {
        "acme_facts": BenchmarkMetadata(
            name="Acme facts",
            description="Facts that only Acme knows",
            category="core",
            tags=["factuality", "graded"],
            module_path="acme_facts.task",
            function_name="acme_facts",
        ),
        "acme_broken": "no metadata",
    }
"""

TASK = """
import os

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample, csv_dataset
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import SampleScore, Score, Value, accuracy, metric, scorer, stderr
from inspect_ai.solver import generate, system_message


def record_to_sample(record):
    return Sample(input=record["problem"], target=record["answer"], metadata={"topic": record.get("topic", "")})


def get_dataset():
    rows = csv_dataset(csv_file=os.environ["ACME_CSV"], sample_fields=record_to_sample, auto_id=True, name="facts")
    return MemoryDataset(samples=list(rows), name="facts")


@metric
def grade_shares():
    def calculate(scores: list[SampleScore]) -> Value:
        grades = [score.score.metadata["grade"] for score in scores]
        return {f"share_{letter}": grades.count(letter) / len(grades) for letter in "AB"}

    return calculate


@scorer(metrics=[accuracy(), stderr(), grade_shares()])
def facts_scorer(model: str):
    grader = get_model(model)

    async def score(state, target):
        prompt = f"Question: {state.input_text} Target: {target.text} Answer: {state.output.completion}"
        reply = await grader.generate([ChatMessageUser(content=prompt)])
        grade = reply.completion.strip()
        return Score(value=float(grade == "A"), answer=state.output.completion, metadata={"grade": grade})

    return score


@task
def acme_facts(grader_model: str = "openai-api/nowhere/default"):
    return Task(
        dataset=get_dataset(),
        solver=[system_message("Be brief."), generate()],
        scorer=facts_scorer(model=grader_model),
        name="acme_facts",
        config=GenerateConfig(temperature=0.0),
    )
"""

CSV = (
    "problem,answer,topic\nWho founded Acme?,Wile,history\nWhere is Acme?,Nowhere,places\nWhat is made?,Anvils,things\n"
)


@pytest.fixture
def plugin(tmp_path):
    """Install the plugin by hand: a package, and the files that tell of its distribution."""
    package = tmp_path / "site" / "acme_facts"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "metadata.py").write_text(METADATA)
    (package / "task.py").write_text(TASK)
    info = tmp_path / "site" / "acme_facts-2.1.0.dist-info"
    info.mkdir()
    requires = "Metadata-Version: 2.1\nName: acme-facts\nVersion: 2.1.0\nRequires-Dist: openbench>=0.5\n"
    (info / "METADATA").write_text(requires)
    (info / "entry_points.txt").write_text(
        "[openbench.benchmarks]\nacme = acme_facts.metadata:get_benchmark_metadata\n"
    )
    return tmp_path / "site"


def test_it_lists_and_runs_unmodified(plugin, tmp_path):
    def bench(*arguments, **variables):
        return subprocess.run(
            [sys.executable, "-c", COMMAND, *arguments],
            env={**os.environ, "PYTHONPATH": str(plugin), "LOCAL_API_KEY": "unused", **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    listed = bench("list", "--search", "acme")
    assert listed.stdout == "acme_facts  Acme facts  Facts that only Acme knows\n"
    assert listed.stderr == (
        "bench: not loaded: acme-facts: acme: gives a str for 'acme_broken' where a BenchmarkMetadata is expected\n"
    )

    def grade(request):
        return "A" if "Target: Wile" in request.prompt else "B"

    with HubServer() as files, ChatServer("Wile") as model, ChatServer(grade) as grader:
        told = bench(
            *("eval", "acme_facts", "--json", "--model", "openai-api/local/m", "--model-base-url", model.base_url),
            *("-T", "grader_model=openai-api/grader/g"),
            ACME_CSV=files.add_file("facts.csv", CSV.encode()),
            GRADER_API_KEY="unused",
            GRADER_BASE_URL=grader.base_url,
        )
        asked, graded = len(model.requests), len(grader.requests)
    assert told.returncode == 0, told.stderr
    (run,) = json.loads(told.stdout)
    assert (run["distribution"], run["version"], run["samples"]) == ("acme-facts", "2.1.0", 3)
    assert run["metrics"]["facts_scorer"] == pytest.approx(
        {"accuracy": 1 / 3, "stderr": 1 / 3, "share_A": 1 / 3, "share_B": 2 / 3}
    )
    assert (asked, graded) == (3, 3)
