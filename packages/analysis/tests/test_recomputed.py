"""Headline metrics that are not means of the samples' scores: computed anew, or shown without a test."""

import numpy as np
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

from openbench_analysis.comparison import Method, compare_runs
from openbench_analysis.runs import read_run
from openbench_scorers.means import macro_average

from .conftest import changed_log

overlap = pytest.importorskip("openbench_scorers.overlap")
significance = pytest.importorskip("sacrebleu.significance")

WORDS = [f"w{number}" for number in range(200)]


def translations(count=80):
    """Make references and the outputs of two systems, of which the second is a little better."""
    rng = np.random.default_rng(0)
    references, systems = [], ([], [])
    for _ in range(count):
        reference = rng.choice(WORDS, size=rng.integers(6, 25))
        references.append(" ".join(reference))
        for system, noise in zip(systems, (0.30, 0.26), strict=True):
            wrong = rng.random(reference.size) < noise
            system.append(" ".join(np.where(wrong, rng.choice(WORDS, size=reference.size), reference)))
    return references, *systems


@solver
def says(texts):
    """Answer with given texts."""

    async def solve(state, _):
        state.output = ModelOutput.from_content("mockllm/model", texts[state.sample_id - 1])
        return state

    return solve


def ran(folder, model, texts, targets, scorer, metric, log_format="json", **task):
    """Return a real run whose headline is the metric."""
    samples = [
        Sample(id=number, input=f"Translate {number}.", target=target, metadata={"group": str(number % 4)})
        for number, target in enumerate(targets, 1)
    ]
    made = Task(
        dataset=MemoryDataset(samples),
        solver=says(texts),
        scorer=scorer,
        name="made",
        headline_metric=HeadlineMetric(metric=metric),
        **task,
    )
    options = {"log_dir": str(folder), "log_format": log_format, "display": "none"}
    (log,) = inspect_eval(made, model=f"mockllm/{model}", **options)
    assert log.status == "success", log.error
    return read_run(log.location.removeprefix("file://"))


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_corpus_metrics_have_the_p_values_of_sacrebleu(name, tmp_path):
    references, *systems = translations()
    options = {"tokenize": "none"} if name == "bleu" else {}
    runs = [
        (label, ran(tmp_path, label, texts, references, getattr(overlap, name)(**options), f"corpus_{name}", kind))
        for label, texts, kind in zip("ab", systems, ("eval", "json"), strict=True)
    ]
    found = compare_runs("made", *runs)
    metrics = pytest.importorskip("sacrebleu.metrics")
    theirs = getattr(metrics, {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}[name])(references=[references], **options)
    named = list(zip("ab", systems, strict=True))
    _, results = significance.PairedTest(named, {name: theirs}, None, test_type="ar", n_samples=3_000)()
    first, second = next(each for key, each in results.items() if key != "System")
    assert found.scores == pytest.approx((first.score / 100, second.score / 100))
    assert found.p_value == pytest.approx(second.p_value, abs=0.035)
    assert found.difference.low < found.difference.estimate < found.difference.high
    assert found.test.method == "approximate randomization, 10,000 trials"
    assert found.detectable == pytest.approx(2.8 * found.estimate.standard_error, rel=0.01)
    assert compare_runs("made", *runs, Method(seed=0)).p_value == found.p_value


def labels(noise, seed):
    rng = np.random.default_rng(seed)
    gold = [str(label) for label in rng.choice(["cat", "dog", "eel"], 60, p=[0.6, 0.3, 0.1])]
    given = [str(rng.choice(["cat", "dog", "eel"])) if rng.random() < noise else label for label in gold]
    return gold, given


def test_a_metric_without_sums_is_computed_from_the_scores_that_were_drawn(tmp_path):
    scorer = pytest.importorskip("openbench_scorers.macro_f1").macro_f1(["cat", "dog", "eel"])
    gold, first = labels(0.6, 0)
    second = [right if number % 2 else given for number, (right, given) in enumerate(zip(gold, first, strict=True))]
    runs = [
        (label, ran(tmp_path, label, texts, gold, scorer, "macro_f1")) for label, texts in (("a", first), ("b", second))
    ]
    found = compare_runs("made", *runs)
    assert found.scores == pytest.approx(tuple(run.headline.value for _, run in runs))
    assert found.test.method == "approximate randomization, 1,000 trials"
    assert found.verdict == "better"
    assert 0 < found.difference.low < found.difference.estimate < found.difference.high < 0.8
    again = compare_runs("made", *runs[::-1])
    assert again.difference.estimate == pytest.approx(-found.difference.estimate)


def test_a_metric_of_several_values_is_found_by_its_key(tmp_path):
    rng = np.random.default_rng(0)
    runs = [
        (label, ran(tmp_path, label, list(said), ["x"] * 38, match(), "macro", metrics=[macro_average("group")]))
        for label, said in (("a", rng.choice(["x", "y"], 38)), ("b", ["x"] * 35 + ["y"] * 3))
    ]
    found = compare_runs("made", *runs)
    assert found.tested
    assert found.scores == pytest.approx(tuple(run.headline.value for _, run in runs))
    assert found.verdict == "better"


def test_a_metric_that_cannot_be_computed_anew_is_shown_without_a_test(make_log):
    def other_metric(value):
        def change(log):
            metric = log.results.scores[0].metrics.pop("accuracy")
            metric.name, metric.value = "acme/elo", value
            log.results.scores[0].metrics["elo"] = metric

        return change

    values = {str(number): [float(number % 2)] for number in range(10)}
    paths = [changed_log(make_log(f"{value}.json", values), other_metric(value)) for value in (1200.0, 1250.0)]
    runs = [(path.stem, read_run(str(path))) for path in paths]
    found = compare_runs("made", *runs, Method(margin=100, by=["group"]))
    assert (found.scores, found.tested, found.verdict) == ((1200.0, 1250.0), False, "no difference shown")
    assert found.difference.estimate == 50
    assert found.detectable is None
    assert found.caveats[-1] == (
        f"the difference has no test: the metric elo of {paths[0]} is not installed, so that it cannot be computed anew"
    )
