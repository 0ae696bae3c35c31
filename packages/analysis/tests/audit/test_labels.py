import numpy as np
import pytest

from openbench_analysis.audit.labels import labels
from openbench_analysis.runs import read_run

SAMPLES = 150


def simulated(seed, planted=0, systems=12):
    """Return the scores and answers of systems by the Rasch model; the first samples are right for the weaker half."""
    rng = np.random.default_rng(seed)
    ability, difficulty = np.linspace(-1.5, 2.5, systems), rng.normal(0, 1.2, SAMPLES)
    right = rng.random((systems, SAMPLES)) < 1 / (1 + np.exp(difficulty - ability[:, None]))
    right[:, :planted] = (np.arange(systems) < systems // 2)[:, None]
    answers = np.where(right, "A", rng.choice(["B", "C", "D"], (systems, SAMPLES)))
    return right, answers


def runs(make_log, right, answers):
    found = []
    for system, (scores, given) in enumerate(zip(right, answers, strict=True)):
        ids = [f"s{number}" for number in range(len(scores))]
        values = {id_: ["C" if score else "I"] for id_, score in zip(ids, scores, strict=True)}
        answered = dict(zip(ids, map(str, given), strict=True))
        log = make_log(f"{system}.json", values, model=f"m{system}", answer=answered)
        found.append((f"m{system}", read_run(str(log))))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_clean_samples_are_no_finding(make_log, seed):
    check = labels(runs(make_log, *simulated(seed)))
    assert check.findings == []
    assert check.looked_at == "150 samples of 12 systems"


def test_samples_that_only_weak_systems_have_right_are_found(make_log):
    [found] = labels(runs(make_log, *simulated(0, planted=3))).findings
    assert (found.kind, found.severity) == ("suspected labels", "warning")
    assert sorted(found.rows) == ["s0", "s1", "s2"]
    assert "s0 (right: m0, m1, m2, m3, m4, m5)" in found.message


def test_samples_on_which_systems_agree_on_another_answer_are_found(make_log):
    right, answers = simulated(0, systems=16)
    right[:, 7], answers[:, 7] = False, "C"
    [found] = labels(runs(make_log, right, answers)).findings
    assert (found.kind, found.severity, found.rows) == ("agreement on another answer", "warning", ["s7"])
    assert found.message == "1 sample where systems agree on another answer than the target: s7 (16 systems: 'c')."


def test_two_systems_say_nothing(make_log):
    check = labels(runs(make_log, *(each[:2] for each in simulated(0))))
    assert (check.done, check.looked_at) == (False, "2 systems: at least 3 on the same samples are needed.")
    assert not labels([]).done
