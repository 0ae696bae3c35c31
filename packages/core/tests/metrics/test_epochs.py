"""Metrics of several attempts, and rates; and all of them in real runs of inspect."""

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalScore, read_eval_log, recompute_metrics
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score, accuracy, pass_at, pass_k, scorer, stderr

from openbench.errors import UsageError
from openbench.metrics import (
    answered_rate,
    by_group,
    clustered_stderr,
    macro_average,
    micro_average,
    pass_at_k,
    pass_hat_k,
    unscored_rate,
    wilson,
)
from openbench.metrics.passing import all_of, one_of
from openbench.scorers.exact import score_exact
from openbench.scorers.pattern import pattern


def attempts(**samples):
    """Make the scores of each sample's attempts, written as `CCI`."""
    return [
        SampleScore(score=Score(value=value), sample_id=name) for name, values in samples.items() for value in values
    ]


@given(st.integers(1, 9), st.data())
def test_estimates_are_those_of_all_choices(count, data):
    """The definition: the share of all choices of k attempts in which one is right, or all are."""
    right, k = data.draw(st.integers(0, count)), data.draw(st.integers(1, count))
    choices = list(itertools.combinations([True] * right + [False] * (count - right), k))
    assert one_of(count, right, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert all_of(count, right, k) == pytest.approx(sum(map(all, choices)) / len(choices))
    values = [Score(value=float(n < right)) for n in range(count)]
    assert one_of(count, right, k) == pytest.approx(pass_at(k)(values).value)
    assert all_of(count, right, k) == pytest.approx(pass_k(k)(values).value)


def test_passing():
    scores = attempts(a="CCII", b="IIII", c="CCCC")
    # The standard errors are those of the samples' values: 1/2, 0, 1; 5/6, 0, 1; 1/6, 0, 1.
    assert pass_at_k([1, 2])(scores) == pytest.approx(
        {"pass@1": 0.5, "pass@1_stderr": sem(1 / 2, 0, 1), "pass@2": 11 / 18, "pass@2_stderr": sem(5 / 6, 0, 1)}
    )
    assert pass_hat_k([1, 2])(scores) == pytest.approx(
        {"pass^1": 0.5, "pass^1_stderr": sem(1 / 2, 0, 1), "pass^2": 7 / 18, "pass^2_stderr": sem(1 / 6, 0, 1)}
    )


def sem(*values):
    return statistics.stdev(values) / math.sqrt(len(values))


def test_samples_of_too_few_attempts_are_left_out():
    told = pass_at_k(3)(attempts(a="CI", b="CII"))
    assert told == pytest.approx({"pass@3": 1.0, "pass@3_stderr": math.nan}, nan_ok=True)
    assert all(map(math.isnan, pass_at_k(3)(attempts(a="CI")).values()))
    assert all(map(math.isnan, pass_hat_k()([]).values()))


def test_many_attempts():
    assert one_of(10_000, 1, 5_000) == pytest.approx(0.5)
    assert pass_at_k(1, threshold=0.5)(attempts(a=[0.4, 0.6]))["pass@1"] == 0.5


def test_answered_rate():
    scores = [SampleScore(score=score_exact(text, ["x"])) for text in ("x", "y", "", "z")]
    assert answered_rate()(scores) == 0.75
    assert math.isnan(answered_rate()([]))


def test_unscored_rate():
    assert unscored_rate(EvalScore(name="s", scorer="s", scored_samples=3, unscored_samples=1)) == 0.25
    assert math.isnan(unscored_rate(EvalScore(name="s", scorer="s")))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pass_at_k(0), "k=0: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_hat_k([]), "k=[]: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k("2"), "k='2': expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k(1.5), "k=1.5: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_hat_k([1, True]), "k=[1, True]: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k(1, threshold="1"), "threshold='1': expected a number, such as 1.0."),
    ],
)
def test_wrong_arguments_are_refused_before_the_run(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == message


OURS = [
    by_group("subject"),
    macro_average(["subject"]),
    micro_average(),
    wilson(),
    clustered_stderr("subject"),
    answered_rate(),
    pass_at_k([1, 2]),
    pass_hat_k(2),
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
    told, log = run(tmp_path, ["1", "1", "3", "3", "1", "none", "3", ""], ["1", "2", "3", "4"], 2)
    assert told["accuracy"] == told["micro"] == told["macro"] == 0.5
    assert (told["a"], told["b"], told["a_count"]) == (1.0, 0.0, 2)
    assert told["answered_rate"] == 0.75
    assert (told["pass@1"], told["pass@2"], told["pass^2"]) == (0.5, 0.5, 0.5)
    # What a log says of the metrics is enough to compute them again.
    recompute_metrics(log)
    assert named(log) == pytest.approx(told, nan_ok=True)


def test_a_run_in_which_nothing_could_be_scored(tmp_path):
    told, log = run(tmp_path, ["1", "2"], ["", " "], 1)
    assert all(math.isnan(value) for name, value in told.items() if name != "clusters")
    assert [unscored_rate(score) for score in log.results.scores] == [1.0] * len(log.results.scores)
