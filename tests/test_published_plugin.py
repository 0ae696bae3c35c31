"""A plugin as the published guides have it, unmodified: built into a wheel, installed with the metapackage, and run."""

import json

import pytest

from openbench_testing import ChatServer, HubServer

from .conftest import Environment, build_wheel

pytestmark = pytest.mark.stress

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-facts"
version = "2.1.0"
dependencies = ["openbench>=0.5"]

[project.entry-points."openbench.benchmarks"]
acme = "acme_facts.metadata:get_benchmark_metadata"

[project.entry-points.inspect_ai]
acme_facts = "acme_facts._registry"
"""

REGISTRY = "from acme_facts.task import acme_facts, facts_scorer\n"

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
from openbench.config import get_all_benchmarks
from openbench.utils.image import detect_image_mime_type
from openbench.utils.text import strip_md_latex


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


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheels):
    """Install the plugin's wheel into a fresh environment, where the metapackage answers for `openbench`."""
    folder = tmp_path_factory.mktemp("plugin")
    files = {"metadata.py": METADATA, "task.py": TASK, "_registry.py": REGISTRY, "__init__.py": ""}
    (folder / "acme" / "acme_facts").mkdir(parents=True)
    (folder / "acme" / "pyproject.toml").write_text(PYPROJECT)
    for name, text in files.items():
        (folder / "acme" / "acme_facts" / name).write_text(text)
    build_wheel(folder / "acme", folder / "dist")
    made = Environment.make(folder)
    made.install("--find-links", wheels, "acme-facts", "--find-links", folder / "dist")
    return made


def test_it_brings_neither_torch_nor_ray(environment):
    installed = set(environment.installed())
    assert {"acme-facts", "openbench", "openbench-compat", "openbench-core"} <= installed
    assert not installed & {"torch", "ray", "openbench-simpleqa"}


def test_it_lists(environment):
    listed = environment.command("bench", "list")
    assert listed.stdout == "acme_facts  Acme facts  Facts that only Acme knows\n"
    assert listed.stderr == (
        "bench: not loaded: acme-facts: acme: has a str for 'acme_broken', expected a BenchmarkMetadata\n"
    )


def grade(request):
    return "A" if "Target: Wile" in request.prompt else "B"


def test_it_runs_with_its_own_scorer_and_metric(environment, tmp_path):
    with HubServer() as files, ChatServer("Wile") as model, ChatServer(grade) as grader:
        told = environment.command(
            *("bench", "eval", "acme_facts", "--json", "-T", "grader_model=openai-api/grader/g"),
            *("--model", "openai-api/local/m", "--model-base-url", model.base_url),
            cwd=tmp_path,
            ACME_CSV=files.add_file("facts.csv", CSV.encode()),
            LOCAL_API_KEY="unused",
            GRADER_API_KEY="unused",
            GRADER_BASE_URL=grader.base_url,
        )
        asked, graded = len(model.requests), len(grader.requests)
    (run,) = json.loads(told.stdout)
    assert (run["distribution"], run["version"], run["samples"]) == ("acme-facts", "2.1.0", 3)
    assert run["metrics"]["facts_scorer"] == pytest.approx(
        {"accuracy": 1 / 3, "stderr": 1 / 3, "share_A": 1 / 3, "share_B": 2 / 3}
    )
    assert (asked, graded) == (3, 3)


def test_inspect_finds_the_task_that_it_registers(environment, tmp_path):
    with HubServer() as files, ChatServer("Wile") as model, ChatServer(grade) as grader:
        environment.command(
            *("inspect", "eval", "acme_facts/acme_facts", "-T", "grader_model=openai-api/grader/g", "--limit", "1"),
            *("--model", "openai-api/local/m", "--model-base-url", model.base_url, "--display", "none"),
            cwd=tmp_path,
            ACME_CSV=files.add_file("facts.csv", CSV.encode()),
            LOCAL_API_KEY="unused",
            GRADER_API_KEY="unused",
            GRADER_BASE_URL=grader.base_url,
        )
        assert len(model.requests) == 1
