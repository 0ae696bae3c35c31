import numpy as np
import pytest

from openbench_analysis.audit.option_order import option_order
from openbench_analysis.runs import read_run

LETTERS = "ABCD"


def run(make_log, name, chances, model="m", shift=0, seed=0, contents=""):
    """Return the run of a system that is right with a chance by the letter of the right option."""
    rng = np.random.default_rng(seed)
    targets = {f"s{number}": LETTERS[(number + shift) % 4] for number in range(400)}
    scores = {id_: ["C" if rng.random() < chances[letter] else "I"] for id_, letter in targets.items()}
    metadata = {id_: {"openbench_content": f"{id_} {contents}"} for id_ in targets}
    return model, read_run(str(make_log(name, scores, model=model, target=targets, metadata_of=metadata)))


def chances(*values):
    return dict(zip(LETTERS, values, strict=True))


def test_the_right_letter_may_matter(make_log):
    [found] = option_order([run(make_log, "a.json", chances(0.95, 0.7, 0.7, 0.5))]).findings
    assert (found.kind, found.severity) == ("position bias", "severe")
    assert found.figures["p_value"] < 1e-6
    assert found.figures["A"] > found.figures["D"]


@pytest.mark.parametrize("seed", range(5))
def test_without_a_bias_there_is_no_finding(make_log, seed):
    clean = [run(make_log, f"{n}.json", chances(*[0.7] * 4), model=f"m{n}", seed=10 * seed + n) for n in range(5)]
    check = option_order(clean)
    assert check.findings == []
    assert check.looked_at == "5 runs by the right letter"


def test_runs_with_another_order_are_compared(make_log):
    one = run(make_log, "a.json", chances(*[0.9] * 4))
    two = run(make_log, "b.json", chances(*[0.6] * 4), shift=1, seed=1, contents="turned")
    [found] = option_order([one, two]).findings
    assert (found.kind, found.severity) == ("option order", "severe")
    assert found.figures["samples"] == 400
    assert found.figures["changed"] == len(found.rows)
    assert found.figures["before"] == pytest.approx(0.9, abs=0.05)


def test_targets_that_are_no_letters(make_log):
    log = make_log("a.json", {"x": ["C"]}, target={"x": "Paris"})
    check = option_order([("m", read_run(str(log)))])
    assert (check.done, check.looked_at) == (
        False,
        "no run has letters as targets and scores that are right or wrong.",
    )
