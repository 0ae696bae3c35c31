import math

import numpy as np
import pytest

from openbench.errors import LogError, UsageError
from openbench_analysis.pilot import measured
from openbench_analysis.systems import read_systems


def systems(*places):
    return read_systems([str(place) for place in places]).systems


def scored(rng, truths, epochs):
    return {f"s{number}": list(map(int, rng.random(epochs) < truth)) for number, truth in enumerate(truths)}


def test_scores_of_0_and_1_have_a_discordance(make_log):
    before = {f"s{number}": [int(number < 60)] for number in range(100)}
    after = {f"s{number}": [int(number % 3 > 0)] for number in range(100)}
    logs = make_log("a.json", before), make_log("b.eval", after, model="local/b")
    [(target, found)], problems = measured(systems(*logs), ["QUIZ"])
    assert problems == []
    assert (target.benchmark, target.samples) == ("quiz", 100)
    assert found.discordance == sum(before[id_] != after[id_] for id_ in before) / 100
    assert (found.epochs, found.pilot, found.design_effect) == (1, "local/a and local/b", None)
    [(target, split)], _ = measured(systems(*logs), [], samples=500, within=0.25)
    assert (target.samples, split.epochs) == (500, None)
    assert split.components.within == pytest.approx(0.25 * found.discordance)


def test_epochs_say_how_much_of_the_variance_is_noise(make_log):
    rng = np.random.default_rng(0)
    truths = rng.beta(1, 1, (2, 3_000))
    logs = [make_log(f"{name}.json", scored(rng, of, 3), model=name) for name, of in zip("ab", truths, strict=True)]
    [(_, found)], _ = measured(systems(*logs), [])
    assert found.components.within == pytest.approx(2 / 6, rel=0.05)
    assert found.components.between == pytest.approx(2 / 12, rel=0.1)
    assert found.epochs is None
    # what it says of three epochs is what three epochs have
    means = [np.mean(list(scored(rng, of, 3).values()), axis=1) for of in truths]
    assert found.deviation(3) == pytest.approx(np.std(means[1] - means[0]), rel=0.05)


def test_one_system_says_how_much_its_epochs_differ(make_log):
    rng = np.random.default_rng(0)
    log = make_log("a.json", scored(rng, rng.random(3_000), 4))
    [(_, found)], _ = measured(systems(log), [])
    assert found.pilot == "local/a, its own epochs"
    assert found.discordance == pytest.approx(1 / 3, abs=0.01)
    assert found.deviation(4) == pytest.approx(found.deviation(1) / 2)
    assert found.exact is None


def test_clusters_have_a_design_effect(make_log):
    rng = np.random.default_rng(0)
    clusters = {f"s{number}": f"c{number // 10}" for number in range(1_000)}
    shift = np.repeat(rng.normal(0, 1, 100), 10)
    before = {id_: [float(value)] for id_, value in zip(clusters, rng.normal(0, 1, 1_000), strict=True)}
    after = {id_: [before[id_][0] + s + float(rng.normal(0, 1))] for id_, s in zip(clusters, shift, strict=True)}
    logs = [
        make_log(f"{model}.json", scores, model=model, clusters=clusters)
        for model, scores in (("a", before), ("b", after))
    ]
    [(_, found)], _ = measured(systems(*logs), [])
    assert found.design_effect == pytest.approx(1 + 9 * 0.5, rel=0.15)  # half of the variance is the cluster's
    assert found.deviation(1) == pytest.approx(math.sqrt(2 * found.design_effect), rel=0.15)
    alone = {id_: id_ for id_ in clusters}
    logs = [
        make_log(f"{model}.json", scores, model=model, clusters=alone)
        for model, scores in (("a", before), ("b", after))
    ]
    [(_, found)], _ = measured(systems(*logs), [])
    assert found.design_effect is None


def test_unscored_samples_are_left_out(make_log):
    before = {f"s{number}": [number % 2] for number in range(50)} | {"x": [None]}
    after = {f"s{number}": [int(number % 5 == 0)] for number in range(50)} | {"x": [1]}
    logs = make_log("a.json", before), make_log("b.json", after, model="b")
    [(_, found)], _ = measured(systems(*logs), [])
    assert found.discordance == sum(before[f"s{number}"] != after[f"s{number}"] for number in range(50)) / 50


def test_logs_that_say_nothing_are_named(make_log, tmp_path):
    scores = {f"s{number}": [number % 2] for number in range(10)}
    one = make_log("a.json", scores)
    assert measured(systems(one), []) == (
        [],
        [
            (
                f"{tmp_path}/a.json is the only run of quiz, in one epoch. "
                "Name a second run, or one with several epochs, to measure how much scores differ."
            )
        ],
    )
    same = make_log("b.json", scores, model="b")
    assert measured(systems(one, same), [])[1] == [
        f"{tmp_path}/a.json and {tmp_path}/b.json: all 10 samples score the same in both."
    ]
    other = make_log("b.json", {"other": [1], "s1": [0]}, model="b")
    assert measured(systems(one, other), [])[1] == [
        f"{tmp_path}/a.json and {tmp_path}/b.json: 1 samples have a score in both; two are the fewest that vary."
    ]
    repeated = make_log("c.json", {id_: [1, 1] for id_ in scores}, model="c")
    assert measured(systems(repeated), [])[1] == [f"{tmp_path}/c.json: all epochs of each sample score the same."]
    corpus = make_log("d.json", scores, model="d", metric="bleu")
    assert measured(systems(one, corpus), [])[1] == [
        f"{tmp_path}/d.json: bleu is not a mean of samples' scores, so that their variance says nothing."
    ]
    with pytest.raises(UsageError) as raised:
        measured(systems(one), ["gsm8k"])
    assert str(raised.value) == "gsm8k: no log is of this benchmark. The logs are of quiz."
    with pytest.raises(LogError):
        read_systems([str(tmp_path / "conftest.json")]) if (tmp_path / "conftest.json").write_text("{}") else None
