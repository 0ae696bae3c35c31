"""Several attempts at each sample: pass@k and pass^k."""

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, recompute_metrics
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score, pass_at, pass_k, scorer

from openbench.errors import UsageError
from openbench.scorers.pattern import pattern
from openbench_scorers.passing import all_of, one_of, pass_at_k, pass_hat_k


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
    figures = pass_at_k(3)(attempts(a="CI", b="CII"))
    assert figures == pytest.approx({"pass@3": 1.0, "pass@3_stderr": math.nan}, nan_ok=True)
    assert all(map(math.isnan, pass_at_k(3)(attempts(a="CI")).values()))
    assert all(map(math.isnan, pass_hat_k()([]).values()))


def test_many_attempts():
    assert one_of(10_000, 1, 5_000) == pytest.approx(0.5)
    assert pass_at_k(1, threshold=0.5)(attempts(a=[0.4, 0.6]))["pass@1"] == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pass_at_k(0), "k=0: expected a whole number of 1 or more, or several such numbers."),
        (lambda: pass_hat_k([]), "k=[]: expected a whole number of 1 or more, or several such numbers."),
        (lambda: pass_at_k("2"), "k='2': expected a whole number of 1 or more, or several such numbers."),
        (lambda: pass_at_k(1.5), "k=1.5: expected a whole number of 1 or more, or several such numbers."),
        (lambda: pass_hat_k([1, True]), "k=[1, True]: expected a whole number of 1 or more, or several such numbers."),
        (lambda: pass_at_k(1, threshold="1"), "threshold='1': expected a number, such as 1.0."),
    ],
)
def test_wrong_arguments_are_refused_before_the_run(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == message


@scorer(metrics=[pass_at_k([1, 2]), pass_hat_k(2)])
def number_scorer():
    return pattern(r"\d+")


def test_a_run_with_epochs(tmp_path):
    outputs = [ModelOutput.from_content("m", answer) for answer in ("1", "1", "3", "3", "1", "none", "3", "")]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    samples = [Sample(id=number, input="?", target=str(number)) for number in range(1, 5)]
    task = Task(samples, scorer=number_scorer(), epochs=Epochs(2))
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path), max_connections=1, max_samples=1)
    log = read_eval_log(log.location)
    error = 0.5 / math.sqrt(3)
    expected = {"pass@1": 0.5, "pass@1_stderr": error, "pass@2": 0.5, "pass@2_stderr": error}
    expected |= {"pass^2": 0.5, "pass^2_stderr": error}
    for _ in range(2):
        found = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
        assert found == pytest.approx(expected)
        recompute_metrics(log)  # from what the log says of the metrics
