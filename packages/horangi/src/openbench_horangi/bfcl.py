"""Horangi's subset of BFCL."""

from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench_authoring import BenchmarkConfig, create_benchmark
from openbench_horangi import tasks
from openbench_horangi.configurations import declaration
from openbench_scorers.options import one_of
from openbench_tools.calls import write_calls
from openbench_tools.matching import CATEGORY, GROUND_TRUTH, TOOLS, reference_calls

Ask = Literal["native", "text"]

WAIVERS = tasks.WAIVERS


@task
def horangi_bfcl(shuffle: bool = False, limit: int | None = None, ask: Ask = "native") -> Task:
    """Function calling on Horangi's subset of BFCL.

    Args:
        shuffle: Shuffle the samples.
        limit: The number of samples, balanced across categories.
        ask: `native` passes the functions as tools of the provider's API; `text` lists them in the prompt.
    """
    one_of("ask", ask, get_args(Ask))
    config = declaration("bfcl")
    if ask == "text":
        config = BenchmarkConfig(solver="bfcl_text_solver", base=config)
    return create_benchmark("horangi_bfcl", config, shuffle=shuffle, limit=limit)


def wrong(_: Sample) -> str:
    """Return a call to a function that does not exist."""
    return "[no_such_function(value=0)]"


def reference(sample: Sample) -> str:
    """Return the accepted calls."""
    metadata = sample.metadata or {}
    return write_calls(reference_calls(metadata[CATEGORY], metadata[TOOLS], metadata[GROUND_TRUTH]))
