"""`bench export wandb` and `bench export mlflow`, into the trackers' own local stores."""

import importlib.util
import json

import pyarrow.parquet as pq
import pytest

from openbench.errors import UsageError
from openbench_analysis.exports.tracking import figures_of, load_extra, settings_of
from openbench_analysis.runs import read_run


def test_a_missing_library_is_named_with_its_extra():
    with pytest.raises(UsageError) as error:
        load_extra("no_such_tracker")
    assert str(error.value) == (
        "bench export no_such_tracker needs a library: pip install 'openbench-analysis[no_such_tracker]'"
    )


def test_settings_and_figures(ours, theirs):
    run = read_run(str(ours))
    settings, figures = settings_of(run), figures_of(run)
    assert (settings["benchmark"], settings["rule"], settings["dataset"]) == ("quiz", "path", "rows.jsonl")
    assert settings["dataset_sha256"] == run.provenance.dataset["sha256"]
    assert settings["generate_config"]["temperature"] == 0.5
    assert figures["score"] == figures["mcq_scorer/accuracy"] == run.summary.score
    assert figures["samples"] == 6
    assert "cost" not in figures
    assert "abcdef" not in json.dumps(settings_of(read_run(str(theirs))))


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="mlflow is not installed")
def test_mlflow_has_one_run_for_a_log(bench, ours, tmp_path):
    export = ["export", "mlflow", ours, "--experiment", "e", "--tracking-uri", (tmp_path / "runs").as_uri()]
    first, second = (bench(*export, *more, cwd=tmp_path) for more in ([], ["--samples"]))
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert first.out == second.out
    (meta,) = (tmp_path / "runs").glob("*/*/meta.yaml")
    run, folder = read_run(str(ours)), meta.parent
    assert f"{folder.parent.name}/{folder.name}\n" == first.out
    assert float((folder / "metrics" / "score").read_text("utf-8").split()[1]) == run.summary.score
    assert (folder / "metrics" / "mcq_scorer" / "accuracy").exists()
    assert (folder / "tags" / "dataset_sha256").read_text("utf-8") == run.provenance.dataset["sha256"]
    assert (folder / "tags" / "openbench.eval_id").read_text("utf-8") == run.log.eval.eval_id
    assert pq.read_table(folder / "artifacts" / "samples.parquet").num_rows == 12


@pytest.mark.skipif(importlib.util.find_spec("wandb") is None, reason="wandb is not installed")
def test_wandb_writes_a_run_offline(bench, ours, tmp_path):
    done = bench("export", "wandb", ours, "--project", "p", "--samples", cwd=tmp_path)
    assert done.code == 0, done.err
    (folder,) = (tmp_path / "wandb").glob("offline-run-*")
    assert done.out == f"{folder}\n"
    run = read_run(str(ours))
    (record,) = folder.glob(f"run-{run.log.eval.eval_id}.wandb")
    content = record.read_bytes()
    for text in ("mcq_scorer/accuracy", run.provenance.dataset["sha256"], str(run.summary.score)):
        assert text.encode() in content
    (table,) = (folder / "files" / "media" / "table").glob("samples_*.table.json")
    assert len(json.loads(table.read_text("utf-8"))["data"]) == 12
    assert not [path.name for path in (folder / "files").iterdir() if path.name != "media"]  # nothing of this machine
