"""COMET in a process: a package of its interface stands in for the model, which takes gigabytes."""

import asyncio
import sys

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample

from openbench.errors import OpenbenchError, UsageError
from openbench_scorers.comet import VARIABLE, CometModel, comet, comet_model

COMET = """
import types, sys
print("downloading")  # not a reply

def download_model(name):
    if name == "nowhere":
        raise KeyError("Model 'nowhere' not supported by COMET.")
    return name + "/checkpoints/model.ckpt"

class Model:
    def predict(self, samples, batch_size, gpus, progress_bar):
        if any(each["mt"] == "boom" for each in samples):
            raise RuntimeError("CUDA out of memory")
        if any(each["mt"] == "exit" for each in samples):
            import os; os._exit(9)
        same = [sum(a == b for a, b in zip(each["mt"].split(), each["ref"].split())) for each in samples]
        scores = [hits / len(each["ref"].split()) - len(samples) / 1000 for hits, each in zip(same, samples)]
        return types.SimpleNamespace(scores=scores, system_score=sum(scores) / len(scores))

def load_from_checkpoint(path):
    assert path.endswith("model.ckpt"), path
    return Model()
"""
TORCH = "class cuda:\n    is_available = staticmethod(lambda: False)\n"


@pytest.fixture
def python(tmp_path, monkeypatch):
    """An environment of its own that has the package."""
    comet_model.cache_clear()
    for name, text in (("comet", COMET), ("torch", TORCH)):
        (tmp_path / "lib" / name).mkdir(parents=True)
        (tmp_path / "lib" / name / "__init__.py").write_text(text, "utf-8")
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path / "lib"} exec {sys.executable} "$@"\n', "utf-8")
    path.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def test_the_way_out_where_it_is_missing(monkeypatch, tmp_path):
    comet_model.cache_clear()
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(
        UsageError, match=f"COMET needs unbabel-comet, which {sys.executable} does not have. .*{VARIABLE}"
    ):
        comet()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(UsageError, match=r"OPENBENCH_COMET_PYTHON=.*none: it cannot be run \(No such file"):
        comet()


def test_scores_come_in_batches(python):
    assert python
    items = [{"src": "x", "mt": "a b", "ref": ref} for ref in ("a b", "a c", "c d")]

    async def rated():
        model = CometModel("any")
        return await asyncio.gather(*map(model.rate, items))

    assert asyncio.run(rated()) == pytest.approx([0.997, 0.497, -0.003])


def test_the_best_reference_counts_and_none_is_unscored(python):
    assert python
    model = CometModel("any")
    score = asyncio.run(model.scored("a b", "x", "a b", ["c d", "a b"]))
    assert (score.value, score.answer) == (pytest.approx(0.998), "a b")
    assert str(asyncio.run(model.scored("a", "x", "a", [" "])).value) == "nan"
    assert asyncio.run(model.scored("", "x", "", ["a"])).reason == "no_response"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nowhere", "a", "COMET's nowhere, run by .*: KeyError: .*not supported by COMET"),
        ("any", "boom", "COMET's any, run by .*: RuntimeError: CUDA out of memory"),
        ("any", "exit", "COMET's any, run by .*: the process has ended"),
    ],
)
def test_what_goes_wrong_is_an_error_of_the_samples(python, name, text, message):
    assert python

    async def both():
        model = CometModel(name)
        item = {"src": "x", "mt": text, "ref": "a"}
        return await asyncio.gather(model.rate(item), model.rate(item), return_exceptions=True)

    for error in asyncio.run(both()):
        assert isinstance(error, OpenbenchError)
        with pytest.raises(OpenbenchError, match=message):
            raise error


def test_a_run(python, tmp_path):
    assert python
    samples = [Sample("Le chien", target="a b", id=1), Sample("Le chat", target="a c", id=2)]
    task = Task(samples, scorer=comet())
    (log,) = inspect_eval(
        task, model="baseline/constant", model_args={"answer": "a\nb"}, log_dir=str(tmp_path), display="none"
    )
    assert log.status == "success", log.error
    assert 0.74 < log.results.scores[0].metrics["mean"].value < 0.75
