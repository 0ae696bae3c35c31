"""The types that users of the public API see; checked by mypy, never run."""

from pathlib import Path
from typing import Any, assert_type

from inspect_ai import Task
from inspect_ai.dataset import Dataset
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

import openbench
from openbench import get_task
from openbench.datasets import Rows, load_samples, read_rows
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog, discover
from openbench.registry.discovery import Problem
from openbench.registry.resolution import Provided, Resolution
from openbench.run.executor import Executor, Result
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.scorers.mcq import create_mcq_scorer, extract_mcq_answer
from openbench.tasks.build import build_task
from openbench.utils.mcq import MCQEval, MCQRecord, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt
from openbench_components.components import Component, find_component
from openbench_ranking.request import RankingRequest, ranking_request, ranking_sample

source = DatasetSource(source="org/name", split="test", revision="0" * 40)
metadata = BenchmarkMetadata("Name", "Description", "category", ["tag"], "module", "function", dataset=source)
assert_type(source.pinned, bool)
assert_type(metadata.is_alpha, bool)


def record_to_mcq_sample(record: dict[str, Any]) -> MCQSample:
    """Map a row."""
    return MCQSample(input=create_dynamic_multiple_choice_prompt(record["q"], record["o"]), target="A")


def to_record(record: dict[str, Any]) -> list[MCQRecord]:
    """Map a row to what any style renders."""
    return [MCQRecord(record["q"], record["o"], 0)]


assert_type(
    MCQEval(name="n", dataset_path="p", record_to_mcq_sample=record_to_mcq_sample, split="test", group_keys=["k"]), Task
)
assert_type(MCQEval(name="n", record_to_mcq_sample=record_to_mcq_sample, **source.arguments(split="dev")), Task)
assert_type(MCQEval(name="n", dataset_path="p", record_to_mcq_sample=to_record, style="cloze"), Task)
MCQEval(name="n", dataset_path="p", record_to_mcq_sample=to_record, style="letter")  # type: ignore[arg-type]
MCQEval(name="n", dataset_path="p")  # type: ignore[call-arg]
MCQEval("n", dataset_path="p", record_to_mcq_sample=record_to_mcq_sample)  # type: ignore[call-arg]

assert_type(extract_mcq_answer("Answer: A"), str | None)
assert_type(extract_mcq_answer("Answer: A", letters="AB", options=("x", "y")), str | None)
assert_type(create_mcq_scorer(group_keys=["k"])(), Scorer)
assert_type(find_component("scorer", "exact"), Component[Scorer])
assert_type(find_component("solver", "generate").create(temperature=0.0), Solver)
assert_type(ranking_request(ranking_sample(input="Q", continuations=[" a", " b"], gold=[0])), RankingRequest | None)

assert_type(discover("openbench.groups", BenchmarkGroup), tuple[list[Provided[BenchmarkGroup]], list[Problem]])
catalog = Catalog.installed()
assert_type(catalog.find("mmlu"), Resolution)
benchmark = find_benchmark(catalog, "mmlu")
assert_type(benchmark, Benchmark)
assert_type(benchmark.samples_directory(), Path | None)
assert_type(benchmark.goldens_directory(), Path | None)
assert_type(build_task(benchmark, {"fewshot": 5}, sample=True), Task)
assert_type(get_task("mmlu", fewshot=5), Task)
assert_type(get_task("mmlu", sample=True), Task)
assert_type(openbench.list_benchmarks(alpha=True), list[Benchmark])
assert_type(openbench.eval(["mmlu", "simpleqa"], "openai/gpt-4.1", task_args={"fewshot": 5}, limit=10), list[EvalLog])
get_task(name="mmlu")  # type: ignore[call-arg]
assert_type(read_rows(source), Rows)
assert_type(load_samples(read_rows(source), record_to_mcq_sample, name="n"), Dataset)

executor: Executor = LocalExecutor(catalog)
plan = Plan(jobs=[Job(benchmark="mmlu", task_args={}, model=ModelSpec(name="baseline/random"))], sample=True)
assert_type(list(executor.execute(plan)), list[Result])
