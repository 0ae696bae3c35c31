"""Horangi's subset of IFEval-Ko."""

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench_authoring.declarative.weave import published_rows
from openbench_horangi import tasks
from openbench_horangi.metadata import BENCHMARKS
from openbench_instruct.prompts import record_to_sample, wrong
from openbench_instruct.scorer import instruction_following

__all__ = ["WAIVERS", "horangi_ifeval_ko", "wrong"]

WAIVERS = tasks.WAIVERS


@task
def horangi_ifeval_ko() -> Task:
    """Instruction following on Horangi's subset of IFEval-Ko: unchanged prompts, strict and loose checks."""
    source = BENCHMARKS["horangi_ifeval_ko"].dataset
    assert source is not None  # noqa: S101 - every entry has one
    rows = read_rows(source, fetch=lambda: published_rows(source.source))
    return Task(
        name="horangi_ifeval_ko",
        dataset=load_samples(rows, lambda row: record_to_sample(row, "ifeval"), name="horangi_ifeval_ko"),
        solver=generate(),
        scorer=instruction_following(),
        config=GenerateConfig(temperature=0.0),
    )
