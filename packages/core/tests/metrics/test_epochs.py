"""Metrics of several attempts, rates, labels and confidence; and all of them in real runs of inspect."""

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
    macro_f1,
    maj_at_k,
    micro_average,
    pass_at_k,
    pass_hat_k,
    unscored_rate,
    wilson,
)
from openbench.metrics.passing import all_of, most_frequent, one_of
from openbench.metrics.rates import macro_f1_of
from openbench.scorers.exact import score_exact
from openbench.scorers.numeric import numeric


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


@given(st.text("RRABC-", min_size=1, max_size=7), st.data())
def test_majorities_are_those_of_all_choices(answers, data):
    """The definition: of every choice of k attempts, the most frequent answer, and a share where several are."""
    k = data.draw(st.integers(1, len(answers)))
    shares = []
    for chosen in itertools.combinations(answers, k):
        votes = [vote for vote in chosen if vote != "-"]
        most = [vote for vote in {*votes} if votes.count(vote) == max(map(votes.count, votes))]
        shares.append(1 / len(most) if "R" in most else 0.0)
    wrong = [answers.count(letter) for letter in "ABC" if letter in answers]
    chance = most_frequent(answers.count("R"), wrong, len(answers), k)
    assert chance == pytest.approx(sum(shares) / len(shares))


def test_the_most_frequent_answer_decides():
    """Equal wrong answers are one, however they are written; right ones are one; no answer is no vote."""

    def told(k, *answers):
        values = [Score(value="C" if right else "I", answer=text) for text, right in answers]
        return maj_at_k(k)([SampleScore(score=score, sample_id="a") for score in values])[f"maj@{k}"]

    half, third = ("1/2", True), ("1/3", False)
    assert told(3, half, third, ("\\frac{1}{3}", False)) == 0.0
    assert told(3, half, third, ("x^2", False)) == pytest.approx(1 / 3)
    assert told(4, half, ("0.5", True), third, ("\\frac13", False)) == 0.5
    assert told(3, half, (None, False), ("", False)) == 1.0
    assert told(1, half, third, third) == pytest.approx(1 / 3)
    assert math.isnan(told(4, half, third))


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


def test_macro_f1():
    # a: 2 hits of 3 right and 3 given; b: 1 of 2 and 2; c is given only.
    pairs = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    assert macro_f1_of(pairs) == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert macro_f1_of([*pairs, ("b", "c"), ("b", None)]) == pytest.approx((4 / 6 + 2 / 6) / 2)
    assert macro_f1_of(pairs, ["a", "b", "c"]) == pytest.approx((4 / 6 + 2 / 4 + 0) / 3)
    assert math.isnan(macro_f1_of([]))


LABELS = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(LABELS, LABELS | st.none()), min_size=1))
def test_macro_f1_is_the_mean_of_harmonic_means(pairs):
    figures = []
    for label in sorted({gold for gold, _ in pairs}):
        hits = sum(pair == (label, label) for pair in pairs)
        given_, right = (sum(pair[part] == label for pair in pairs) for part in (1, 0))
        precision, recall = (hits / given_ if given_ else 0), hits / right
        figures.append(2 * precision * recall / (precision + recall) if hits else 0)
    assert macro_f1_of(pairs) == pytest.approx(sum(figures) / len(figures))
    assert macro_f1_of(pairs[::-1]) == macro_f1_of(pairs)


def test_macro_f1_reads_answers_and_gold_labels():
    told = [("a", {"gold": "a"}), ("b", {"gold": "a"}), ("x", None), (None, {"gold": "b"})]
    scores = [SampleScore(score=Score(value=0, answer=answer, metadata=metadata)) for answer, metadata in told]
    assert macro_f1()(scores) == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pass_at_k(0), "k=0: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_hat_k([]), "k=[]: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k("2"), "k='2': expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k(1.5), "k=1.5: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_hat_k([1, True]), "k=[1, True]: expected a whole number of attempts of 1 or more, or several."),
        (lambda: pass_at_k(1, threshold="1"), "threshold='1': expected a number, such as 1.0."),
        (lambda: macro_f1([]), "macro_f1: labels=[]: expected at least one label, or None for all that occur."),
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
    macro_f1(),
]


@scorer(metrics=[accuracy(), stderr(), *OURS])
def number_scorer():
    return numeric()


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
    told, log = run(tmp_path, ["1", "2"], ["one", "two"], 1)
    assert all(math.isnan(value) for name, value in told.items() if name != "clusters")
    assert [unscored_rate(score) for score in log.results.scores] == [1.0] * len(log.results.scores)
