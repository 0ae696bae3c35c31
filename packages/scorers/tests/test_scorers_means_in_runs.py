"""All metrics of means in real runs of Inspect."""

import math

import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, recompute_metrics
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import accuracy, scorer, stderr

from openbench.metrics import answered_rate
from openbench.scorers.pattern import pattern
from openbench_scorers.means import by_group, clustered_stderr, macro_average, micro_average, wilson

OURS = [
    by_group("subject"),
    macro_average(["subject"]),
    micro_average(),
    wilson(),
    clustered_stderr("subject"),
    answered_rate(),
]


@scorer(metrics=[accuracy(), stderr(), *OURS])
def number_scorer():
    return pattern(r"\d+")


def run(tmp_path, answers, targets, epochs):
    """Evaluate with inspect; returns the metrics of the one scorer by name, and the log as it was read again."""
    outputs = [ModelOutput.from_content("m", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [
        Sample(id=number, input="?", target=target, metadata={"subject": "ab"[number % 2]})
        for number, target in enumerate(targets)
    ]
    task = Task(samples, scorer=number_scorer(), epochs=Epochs(epochs) if epochs > 1 else None)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path), max_connections=1, max_samples=1)
    assert log.status == "success", log.error
    return named(log), read_eval_log(log.location)


def named(log):
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


def test_a_run_with_epochs(tmp_path):
    figures, log = run(tmp_path, ["1", "1", "3", "3", "1", "none", "3", ""], ["1", "2", "3", "4"], 2)
    assert figures["accuracy"] == figures["micro"] == figures["macro"] == 0.5
    assert (figures["a"], figures["b"], figures["a_count"]) == (1.0, 0.0, 2)
    assert figures["answered_rate"] == 0.75
    # What a log says of the metrics is enough to compute them again.
    recompute_metrics(log)
    assert named(log) == pytest.approx(figures, nan_ok=True)


def test_a_run_in_which_nothing_could_be_scored(tmp_path):
    figures, log = run(tmp_path, ["1", "2"], ["", " "], 1)
    assert all(math.isnan(value) for name, value in figures.items() if name != "clusters")
    assert [score.scored_samples for score in log.results.scores] == [0] * len(log.results.scores)
