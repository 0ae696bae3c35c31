"""The provider `openbench-hf` in whole runs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import includes

import openbench
from openbench.errors import UsageError
from openbench_loglikelihood.local.forward import Forward
from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.request import Request
from openbench_ranking.perplexity import perplexity, read
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank


@pytest.mark.usefixtures("quiz")
@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_a_run_has_the_values_of_the_model(saved, local, engine):
    [log] = openbench.eval(
        "./quiz.py", f"openbench-hf/{saved}", engine=engine, log_dir="logs", model_args={"device": "cpu"}
    )
    assert log.status == "success", log.error
    for sample in log.samples:
        ranked = sample.metadata["openbench_ranking"]["continuations"]
        context = f"{sample.input[0].text}\nAnswer:"
        [(_, expected)] = local.loglikelihoods([Request(context, ranked)])
        recorded = sample.output.metadata
        assert recorded["loglikelihoods"] == pytest.approx([each.loglikelihood for each in expected], abs=1e-4)
        assert recorded["tokens"] == [each.tokens for each in expected]
        assert recorded["greedy"] == [each.greedy for each in expected]
        lines = sample.scores["ranking"].explanation.splitlines()
        assert [line.split("`")[1] for line in lines] == [f"{value:.4f}" for value in recorded["loglikelihoods"]]
        assert [line.endswith(" (right)") for line in lines] == [text[1:] in sample.target for text in ranked]
    assert log.results.scores[0].scored_samples == 40
    assert log.eval.metadata["openbench"]["versions"].keys() >= {"torch", "transformers"}


@pytest.mark.usefixtures("quiz")
def test_options_are_ranked_without_the_question_too(saved):
    [log] = openbench.eval(
        "./quiz.py",
        f"openbench-hf/{saved}",
        task_args={"style": "cloze_unconditional"},
        engine="direct",
        log_dir="logs",
    )
    assert log.status == "success", log.error
    assert "acc_uncond" in {each.name for each in log.results.scores}


def test_texts_are_read(tmp_path, saved, local):
    texts = ["The capital of France is Paris.", "one two three " * 60]
    task = Task([Sample(text) for text in texts], solver=read(), scorer=perplexity())
    [log] = inspect_eval(task, model=f"openbench-hf/{saved}", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    expected = dict(local.rolling(texts))
    for index, sample in enumerate(log.samples):
        assert sample.output.metadata["loglikelihood"] == pytest.approx(expected[index].loglikelihood, abs=1e-3)
        assert sample.output.metadata["tokens"] == expected[index].tokens


def test_it_generates_too(tmp_path, saved):
    task = Task([Sample("one two", target="x"), Sample("Paris", target="y")], scorer=includes())
    model = get_model(f"openbench-hf/{saved}", memoize=False)
    [log] = inspect_eval(task, model=model, max_tokens=5, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    used = log.stats.model_usage[f"openbench-hf/{saved}"]
    assert 0 < used.output_tokens <= 10


def test_a_request_that_cannot_be_scored_costs_no_other(tmp_path, saved):
    samples = [
        ranking_sample(input=f"Question {n}?", continuations=[" a", " b" if n != 2 else " long" * 200], gold=[0], id=n)
        for n in range(5)
    ]
    task = Task(samples, solver=rank(), scorer=ranking(), fail_on_error=False)
    [log] = inspect_eval(task, model=f"openbench-hf/{saved}", log_dir=str(tmp_path), display="none")
    failed = {sample.id: sample.error.message for sample in log.samples if sample.error}
    assert list(failed) == [2]
    assert "continuation 1" in failed[2]
    assert "tokens, and the model reads at most 128. Shorten it." in failed[2]


def ranked_task(*contexts):
    samples = [
        ranking_sample(input=text, continuations=[" a", " b"], gold=[0], id=number)
        for number, text in enumerate(contexts)
    ]
    return Task(samples, solver=rank(), scorer=ranking(), fail_on_error=False)


def test_a_sample_whose_logits_are_nan_is_named_and_costs_no_other(tmp_path, saved, tokenizer):
    model = LocalModel.load(str(saved), device="cpu").model
    with torch.no_grad():
        model.get_input_embeddings().weight[tokenizer.encode("東")[-1]] = torch.nan
    model.save_pretrained(tmp_path / "broken")
    tokenizer.save_pretrained(tmp_path / "broken")
    task = ranked_task("one", "東", "two")
    [log] = inspect_eval(task, model=f"openbench-hf/{tmp_path}/broken", log_dir=str(tmp_path / "logs"), display="none")
    [failed] = [sample for sample in log.samples if sample.error]
    assert failed.id == 1
    assert "the model's logits are NaN. Load it with another dtype" in failed.error.message


def test_a_sample_that_is_too_large_for_memory_alone_costs_no_other(tmp_path, saved, monkeypatch):
    run = Forward._run

    def guarded(self, rows, **inputs):
        if inputs["input_ids"].numel() > 30:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(self, rows, **inputs)

    monkeypatch.setattr(Forward, "_run", guarded)
    task = ranked_task("one", "one two three " * 12, "two")
    [log] = inspect_eval(task, model=f"openbench-hf/{saved}", log_dir=str(tmp_path), display="none")
    [failed] = [sample for sample in log.samples if sample.error]
    assert failed.id == 1
    assert "memory does not suffice for this request alone (40 tokens). Use a smaller dtype" in failed.error.message
    assert all(sample.scores for sample in log.samples if sample.id != 1)


def test_one_continuation_is_ranked(tmp_path, saved, local):
    sample = ranking_sample(input="one two", continuations=[" three"], gold=[0], id=1)
    task = Task([sample], solver=rank(), scorer=ranking())
    [log] = inspect_eval(task, model=f"openbench-hf/{saved}", log_dir=str(tmp_path), display="none")
    [(_, [expected])] = local.loglikelihoods([Request("one two", [" three"])])
    [found] = log.samples[0].output.metadata["loglikelihoods"]
    assert found == pytest.approx(expected.loglikelihood, abs=1e-4)


ASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata(
    name="Ask", description="Questions.", category="core", tags=[], module_path="ask", function_name="ask"
)


@task
def ask():
    return Task([Sample("Who wrote it?", target="Ada", id=n) for n in range(3)], solver=generate(), scorer=includes())
"""


def test_one_loaded_model_generates_and_ranks_in_one_run(quiz, saved, monkeypatch):
    (quiz / "ask.py").write_text(ASK, "utf-8")
    loaded = []
    load = LocalModel.load
    monkeypatch.setattr(LocalModel, "load", lambda name, **options: loaded.append(name) or load(name, **options))
    asked, ranked = openbench.eval(["./ask.py", "./quiz.py"], f"openbench-hf/{saved}", max_tokens=4, log_dir="logs")
    assert loaded == [str(saved)]
    assert (asked.status, ranked.status) == ("success", "success")
    assert all(sample.output.usage.output_tokens <= 4 for sample in asked.samples)
    assert len(ranked.samples[0].output.metadata["loglikelihoods"]) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"dtypes": "float32"},
            "openbench-hf has no argument 'dtypes'. Arguments (-M): chat_template, few_shot_as, system_message,",
        ),
        ({"dtype": "float3"}, "dtype: expected auto, float32, bfloat16, float16, not 'float3'."),
    ],
)
def test_wrong_arguments(saved, arguments, message):
    with pytest.raises(UsageError) as caught:
        get_model(f"openbench-hf/{saved}", memoize=False, **arguments)
    assert str(caught.value).startswith(message)


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(UsageError, match="the tokenizer cannot be loaded"):
        get_model(f"openbench-hf/{tmp_path}", memoize=False)


def test_an_interrupted_run_is_resumed(quiz, saved):
    """Whatever was recorded before a kill is kept, and the scores are those of an uninterrupted run."""
    command = [str(Path(sys.executable).parent / "bench"), "eval", "./quiz.py", "--model", f"openbench-hf/{saved}"]
    command += ["-M", "batch_tokens=64", "--log-dir", "logs"]
    started = subprocess.Popen(command, cwd=quiz, env={**os.environ, "OMP_NUM_THREADS": "1"})
    runs = quiz / "logs" / "runs"
    while not list(runs.glob("*")) and started.poll() is None:
        time.sleep(0.01)
    time.sleep(0.5)
    started.send_signal(signal.SIGKILL)
    started.wait()
    [run] = runs.iterdir()
    resumed = subprocess.run(
        [command[0], "eval", "--resume", str(run)], cwd=quiz, capture_output=True, text=True, check=False
    )
    assert resumed.returncode == 0, resumed.stderr
    [whole] = openbench.eval("./quiz.py", f"openbench-hf/{saved}", log_dir="whole")
    log = read_eval_log(list_eval_logs(str(quiz / "logs"))[0])
    assert len(log.samples) == 40
    accuracy = [each.results.scores[0].metrics["mean"].value for each in (log, whole)]
    assert accuracy[0] == accuracy[1]
