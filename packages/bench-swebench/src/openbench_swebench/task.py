"""SWE-bench Verified: 500 issues of Python repositories, with tests verified by humans, in one answer each.

Jimenez et al. (2023), https://arxiv.org/abs/2310.06770
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from openbench.datasets import load_samples, read_parts, read_rows
from openbench.errors import DataError, UsageError
from openbench_swebench.metadata import CONTEXTS, VERIFIED
from openbench_swebench.scorer import swebench_server_scorer
from openbench_swebench.solver import swebench_patch_solver

Context = Literal["bm25_13k", "bm25_40k"]

WAIVERS = {
    "reference": "Patches are scored by a server or in Docker, of which a check has neither: the package's tests score "
    "the reference by a server of their own.",
}


@task
def swebench_verified(
    context: Context = "bm25_13k",
    server_url: str | None = None,
    timeout_sec: int = 1800,
    predictions: str = "predictions",
) -> Task:
    """Ask for a patch, given files retrieved by BM25 for the issue, and run the repository's tests.

    Args:
        context: The maximum size of the files, in tokens of cl100k_base: `bm25_13k` or `bm25_40k`.
        server_url: The scoring server; by default the environment variable SWE_SERVER_URL, else Docker.
        timeout_sec: The time limit for the tests of a patch.
        predictions: The folder for unscored predictions; none if empty.
    """
    if context not in get_args(Context):
        raise UsageError(f"context={context!r}: expected one of {', '.join(get_args(Context))}.")
    rows = read_parts(VERIFIED, lambda: _rows(context))
    return Task(
        dataset=load_samples(rows, record_to_sample, name="swebench_verified"),
        solver=swebench_patch_solver(),
        scorer=swebench_server_scorer(server_url, timeout_sec, predictions=predictions),
        config=GenerateConfig(temperature=0.0),
        name="swebench_verified",
    )


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row: the issue, the patch that resolved it, and all columns as metadata, with the prompt as `text`."""
    return Sample(
        id=record["instance_id"],
        input=record["problem_statement"],
        target=record["patch"],
        metadata={name: value for name, value in record.items() if name != "patch"},
    )


def wrong(_: Sample) -> str:
    """Return an answer without a patch."""
    return "The issue cannot be reproduced."


def _rows(context: Context) -> Sequence[dict[str, Any]]:
    """Return the rows of SWE-bench Verified, with prompts from the dataset of a context."""
    files = {"test": "data/test-*.parquet"}  # the other splits are twenty times as large
    texts = {row["instance_id"]: row["text"] for row in read_rows(CONTEXTS[context], data_files=files).rows}
    rows = read_rows(VERIFIED).rows
    if absent := [row["instance_id"] for row in rows if row["instance_id"] not in texts]:
        raise DataError(f"{CONTEXTS[context].source} has no prompt for {absent[0]}")
    return [{**row, "text": texts[row["instance_id"]]} for row in rows]
