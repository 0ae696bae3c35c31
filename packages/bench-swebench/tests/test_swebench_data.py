"""Rows of two datasets, joined as they come from a Hub: of the larger one, the test split's file alone is fetched."""

import io
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq

from openbench_testing import HubServer

from .conftest import sample_rows

PROGRAM = """
import dataclasses, sys
from openbench_swebench import metadata, task

task.VERIFIED = dataclasses.replace(metadata.VERIFIED, revision=sys.argv[1])
task.CONTEXTS = {"bm25_13k": dataclasses.replace(metadata.CONTEXTS["bm25_13k"], revision=sys.argv[2])}
for sample in task.swebench_verified().dataset:
    print(sample.id, sample.metadata["text"].count("<issue>"))
"""


def parquet(rows):
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def test_prompts_are_joined_by_the_instance(tmp_path):
    rows = [*sample_rows().values()]
    verified = [{name: value for name, value in row.items() if name != "text"} for row in rows[1:]]
    with HubServer() as hub:
        commits = [
            hub.commit("princeton-nlp/SWE-bench_Verified", {"data/test-0.parquet": parquet(verified)}),
            hub.commit(
                "princeton-nlp/SWE-bench_bm25_13K",
                {"data/test-0.parquet": parquet(rows), "data/train-0.parquet": b"far too much"},
            ),
        ]
        environment = {**os.environ, **hub.environment(tmp_path)}
        command = [sys.executable, "-c", PROGRAM, *commits]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["sample__kitchen-2 1", "sample__kitchen-3 1"], done.stderr
    assert not any("train-0" in path for _, path in hub.requests)
