"""The samples of a log that are read on each pass, not held in memory."""

import shutil

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import includes

from openbench.run import logs
from openbench.run.logs import LoggedSamples


@pytest.mark.parametrize("ids", [range(1, 13), [f"q{number}" for number in range(12)], ["b", 2, "a", 10]])
def test_they_are_those_of_the_log_in_the_order_of_the_dataset_on_each_pass(tmp_path, monkeypatch, ids):
    monkeypatch.setattr(logs, "_BATCH", 5)
    samples = [Sample(f"Question {id_}?", target="yes", id=id_) for id_ in ids]
    task = Task(MemoryDataset(samples), scorer=includes(), epochs=2)
    options = {"log_dir": str(tmp_path), "log_format": "eval", "display": "none"}
    (log,) = inspect_eval(task, model="mockllm/model", **options)
    found = {(sample.id, sample.epoch): sample for sample in read_eval_log(log.location).samples}
    whole = [found[sample.id, epoch] for epoch in (1, 2) for sample in samples]
    read = LoggedSamples(log)
    assert len(read) == len(whole) == 2 * len(samples)
    assert list(read) == whole
    log.location = shutil.move(log.location, tmp_path / "moved.eval")
    assert list(read) == whole
