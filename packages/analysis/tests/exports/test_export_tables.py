"""The tables of runs, and `bench export parquet`."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openbench.errors import LogError
from openbench_analysis.exports.origin import require_runs, slug
from openbench_analysis.exports.parquet import write_parquet
from openbench_analysis.exports.tables import RESULTS, SAMPLES, STATS
from openbench_analysis.runs import read_run


@pytest.fixture(scope="module")
def tables(ours, theirs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    counts = write_parquet([read_run(str(ours)), read_run(str(theirs))], folder)
    assert {path.name: rows for path, rows in counts.items()} == {
        "results.parquet": 2,
        "stats.parquet": 2,
        "samples.parquet": 14,
    }
    return {path.stem: pq.read_table(path) for path in counts}


def test_columns_have_their_types(tables):
    assert tables["results"].schema.equals(RESULTS)
    assert tables["stats"].schema.equals(STATS)
    assert tables["samples"].schema.equals(SAMPLES)
    assert tables["samples"].schema.field("score").type == pa.float64()


def test_results_say_what_produced_them(tables, ours):
    first, second = tables["results"].to_pylist()
    run = read_run(str(ours))
    assert (first["benchmark"], first["model"], first["metric"]) == ("quiz", "openai-api/local/m", "accuracy")
    assert first["score"] == pytest.approx(1 / 3)
    assert first["score"] == run.summary.score
    assert first["stderr"] == pytest.approx(run.summary.stderr)
    assert {(each["scorer"], each["metric"]): each["value"] for each in first["metrics"]} == {
        ("mcq_scorer", name): value for name, value in run.summary.metrics["mcq_scorer"].items()
    }
    assert (first["samples"], first["epochs"], first["errors"], first["unanswered"]) == (6, 2, 0, 0)
    assert (first["rule"], first["dataset"], first["dataset_rows"]) == ("path", "rows.jsonl", 6)
    assert first["dataset_sha256"] == run.provenance.dataset["sha256"]
    assert json.loads(first["generate_config"])["temperature"] == 0.5
    assert (second["benchmark"], second["score"], second["rule"], second["core"]) == ("capitals", 0.5, None, None)
    assert json.loads(second["task_args"]) == {}
    assert json.loads(second["generate_config"]) == {"extra_headers": {"X-Key": "[redacted]"}}


def test_samples_hold_texts_and_scores_without_secrets(tables, ours):
    rows = tables["samples"].to_pylist()
    run = read_run(str(ours))
    assert [(row["sample_id"], row["epoch"]) for row in rows[:12]] == [(r.id, r.epoch) for r in run.results]
    assert [row["content"] for row in rows[:12]] == [result.content for result in run.results]
    assert sum(row["score"] for row in rows[:12]) == 4
    assert {row["completion"] for row in rows[:12]} == {"Answer: A"}
    assert json.loads(rows[0]["messages"])[-1]["content"] == "Answer: A"
    paris, rome = rows[12:]
    assert (paris["sample_id"], paris["target"], paris["score"], paris["input_tokens"]) == ("1", "Paris", 1.0, 7)
    assert json.loads(paris["metadata"]) == {"topic": "geo", "api_key": "[redacted]"}
    assert (rome["target"], rome["score"], rome["completion"]) == ("Rome\nRoma", 0.0, "My key is [redacted]")
    assert json.loads(rome["messages"])[-1]["content"] == "My key is [redacted]"
    assert "abcdef" not in json.dumps(rows[12:])


def test_the_same_logs_give_the_same_bytes(ours, theirs, tmp_path):
    runs = [read_run(str(path)) for path in (theirs, ours)]
    for folder in ("a", "b"):
        write_parquet(runs, tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_bench_export_parquet_goes_on_without_a_corrupt_log(bench, ours, tmp_path):
    (tmp_path / "bad.json").write_text("{", "utf-8")
    done = bench("export", "parquet", ours, "bad.json", "-o", "out", cwd=tmp_path)
    assert (done.code, done.out) == (
        0,
        "out/results.parquet: 1 row\nout/stats.parquet: 1 row\nout/samples.parquet: 12 rows\n",
    )
    assert done.err.startswith("Warning: bad.json cannot be read as a log: ")
    assert pq.read_table(tmp_path / "out" / "samples.parquet").num_rows == 12
    with pytest.raises(LogError, match="cannot be read as a log"):
        require_runs([str(tmp_path / "bad.json")])


def test_names_of_files_hold_nothing_special():
    assert slug("mmlu", "org/a model:1", "..") == "mmlu_org-a-model-1_-"
