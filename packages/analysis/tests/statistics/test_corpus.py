import bz2
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from openbench_analysis.statistics import (
    approximate_randomization,
    bca_interval,
    differences,
    mean_of,
    paired_bootstrap,
    sign_flip,
)
from openbench_analysis.statistics.resampling import resampled_sums

rows = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=n, max_size=n)] * 2)
)


def ratio(sums):
    return sums[0] / sums[1]


def counts(metric, texts):
    """Return the numbers of each text that add up to those of the corpus, and the metric as their function."""
    rows = np.array(metric._extract_corpus_statistics(texts, None), dtype=float)
    return rows, lambda sums: metric._compute_score_from_stats(sums.tolist()).score


def translations(seed=0, sentences=80):
    """Make references and the outputs of two systems, of which the second is a little better."""
    rng = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(200)]
    references, systems = [], ([], [])
    for _ in range(sentences):
        reference = rng.choice(words, size=rng.integers(6, 25))
        references.append(" ".join(reference))
        for system, noise in zip(systems, (0.30, 0.26), strict=True):
            wrong = rng.random(reference.size) < noise
            system.append(" ".join(np.where(wrong, rng.choice(words, size=reference.size), reference)))
    return [references], *systems


def theirs(kind, systems, metrics, trials):
    named = [(str(number), texts) for number, texts in enumerate(systems)]
    return PairedTest(named, metrics, None, test_type=kind, n_samples=trials)()[1]


def sacrebleus_bootstrap_p_value(before, after, metric, resamples):
    """Return sacrebleu's p-value of the paired bootstrap, from our draws: it centres absolute differences."""
    sums = resampled_sums(np.hstack([before, after]), resamples, np.random.default_rng(0))
    halves = (np.split(each, 2) for each in sums)
    moved = np.array([abs(metric(of_after) - metric(of_before)) for of_before, of_after in halves])
    observed = abs(metric(after.sum(axis=0)) - metric(before.sum(axis=0)))
    return (np.count_nonzero(moved - moved.mean() > observed) + 1) / (resamples + 1)


@pytest.mark.parametrize("seed", [0, 1])
def test_p_values_agree_with_sacrebleus_for_made_translations(seed):
    references, first, second = translations(seed)
    metrics = {"BLEU": BLEU(references=references, tokenize="none"), "chrF2": CHRF(references=references)}
    randomized = theirs("ar", (first, second), metrics, 1_500)
    bootstrapped = theirs("bs", (first, second), metrics, 1_000)
    for name, metric in metrics.items():
        (before, figure), (after, _) = counts(metric, first), counts(metric, second)
        assert figure(after.sum(axis=0)) == pytest.approx(randomized[name][1].score)
        ours = approximate_randomization(before, after, figure, trials=1_500)
        assert ours.p_value == pytest.approx(randomized[name][1].p_value, abs=0.05)
        ours = sacrebleus_bootstrap_p_value(before, after, figure, 1_000)
        assert ours == pytest.approx(bootstrapped[name][1].p_value, abs=0.05)


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}: expected lists and texts alone")


@pytest.fixture(scope="module")
def wmt17():
    """Read 16 systems of WMT17 from English to German, which sacrebleu's own tests use."""
    path = Path(os.environ.get("OPENBENCH_REAL_DATA", ""), "raw", "sacrebleu", "wmt17_en_de_systems.pkl.bz2")
    if "OPENBENCH_REAL_DATA" not in os.environ or not path.is_file():
        pytest.skip("OPENBENCH_REAL_DATA holds no raw/sacrebleu/wmt17_en_de_systems.pkl.bz2, of sacrebleu's tests")
    with bz2.open(path) as file:
        *systems, (_, references) = _PlainUnpickler(file).load()
    metric = BLEU(references=references, tokenize="none")
    found = {name.split(".")[1]: counts(metric, texts) for name, texts in systems}
    return {name: before for name, (before, _) in found.items()}, next(figure for _, figure in found.values())


@pytest.mark.parametrize(
    ("system", "multeval", "moses"),
    [
        # p-values against LIUM-NMT that sacrebleu's tests quote: of MultEval's approximate randomization with 10,000
        # trials, and of Moses' paired bootstrap with 2,000 resamples
        ("C-3MA", 0.0001, 0.00000),
        ("FBK", 0.0218, 0.01267),
        ("KIT", 0.0410, 0.02233),
        ("LMU-nmt-reranked", 0.09029, 0.04383),
        ("LMU-nmt-single", 0.58494, 0.20783),
        ("online-A", 0.0001, 0.00000),
        ("online-B", 0.94111, 0.38100),
        ("RWTH-nmt-ensemble", 0.0207, 0.01167),
        ("SYSTRAN", 0.59914, 0.20983),
        ("uedin-nmt", 0.0001, 0.00000),
        ("xmu", 0.71073, 0.25483),
    ],
)
def test_p_values_are_those_that_were_published(wmt17, system, multeval, moses):
    rows, figure = wmt17
    before, after = rows["LIUM-NMT"], rows[system]
    assert approximate_randomization(before, after, figure).p_value == pytest.approx(multeval, abs=0.02)
    assert sacrebleus_bootstrap_p_value(before, after, figure, 2_000) == pytest.approx(moses, abs=0.03)
    # our test of the bootstrap asks what approximate randomization asks, and agrees with it
    assert paired_bootstrap(before, after, figure).significance.p_value == pytest.approx(multeval, abs=0.04)


def test_of_a_mean_they_agree_with_what_is_known_of_means():
    rng = np.random.default_rng(0)
    before = rng.random(80)
    after = before + rng.normal(0.02, 0.1, size=80)

    def mean(sums):
        return sums[0] / 80

    drawn = paired_bootstrap(before[:, None], after[:, None], mean, resamples=4_000)
    known = mean_of(differences(before, after))
    assert drawn.standard_error == pytest.approx(known.standard_error, rel=0.05)
    bca = bca_interval(differences(before, after), resamples=4_000)
    assert (drawn.interval.low, drawn.interval.high) == pytest.approx((bca.low, bca.high), abs=0.003)
    p_value = sign_flip(differences(before, after)).p_value
    assert drawn.significance.p_value == pytest.approx(p_value, abs=0.04)
    exchanged = approximate_randomization(before[:, None], after[:, None], mean, trials=4_000)
    assert exchanged.p_value == pytest.approx(p_value, abs=0.03)


def test_the_standard_error_does_not_shrink_with_more_resamples():
    rng = np.random.default_rng(0)
    before, after = rng.integers(1, 9, size=(2, 50, 2))
    few, many = (paired_bootstrap(before, after, ratio, resamples=resamples) for resamples in (500, 8_000))
    assert few.standard_error == pytest.approx(many.standard_error, rel=0.15)


@given(rows)
def test_runs_can_be_swapped_and_samples_come_in_any_order(pair):
    before, after = np.array(pair[0]), np.array(pair[1])
    order = np.random.default_rng(0).permutation(len(before))
    exchanged = approximate_randomization(before, after, ratio, trials=40)
    assert 0 < exchanged.p_value <= 1
    assert approximate_randomization(before[order], after[order], ratio, trials=40) == exchanged
    drawn = paired_bootstrap(before, after, ratio, resamples=40)
    assert drawn.interval.low <= drawn.interval.estimate <= drawn.interval.high
    assert 0 < drawn.significance.p_value <= 1
    again = paired_bootstrap(before[order], after[order], ratio, resamples=40)
    assert (again.interval.low, again.interval.high) == pytest.approx((drawn.interval.low, drawn.interval.high))
    # the difference of a swapped pair is the negative
    assert paired_bootstrap(after, before, ratio, resamples=40).interval.estimate == -drawn.interval.estimate


def test_a_run_compared_with_itself_is_not_different():
    run = np.random.default_rng(0).integers(1, 9, size=(50, 2))
    assert approximate_randomization(run, run, ratio, trials=200).p_value == 1
    same = paired_bootstrap(run, run, ratio, resamples=200)
    assert (same.significance.p_value, same.standard_error, same.interval.low, same.interval.high) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([[1, 2]], [[1, 2], [1, 2]], r"shapes \(1, 2\) and \(2, 2\): expected a row of numbers for each sample"),
        ([1, 2], [1, 2], r"shapes \(2,\) and \(2,\)"),
        ([[]], [[]], "expected a row of numbers"),
        ([[1, 2]], [[math.nan, 2]], "after: 1 rows hold NaN or infinite numbers"),
        ([[1, 2]], [[1, 0]], "the metric is NaN or infinite for the sums"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_rows_that_cannot_be_compared_are_refused(before, after, message):
    for function in (approximate_randomization, paired_bootstrap):
        with pytest.raises(ValueError, match=message):
            function(before, after, ratio)
