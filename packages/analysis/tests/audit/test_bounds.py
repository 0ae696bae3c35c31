import pytest

from openbench_analysis.audit.bounds import bounds
from openbench_analysis.runs import read_run


def test_the_score_with_faults_as_wrong_as_right_and_left_out(make_log):
    scores = {f"s{number}": ["C" if number < 70 else "I"] for number in range(95)}
    scores |= {f"u{number}": [None] for number in range(3)} | {"t0": ["I"], "t1": ["C"]}
    reasons = {f"u{number}": "grader_failed" for number in range(2)}
    cut = {id_: {"stop_reason": "truncated"} for id_ in ("t0", "t1")}
    log = make_log("a.json", scores, reason=reasons, score_metadata=cut)
    [found] = bounds([("m", read_run(str(log)))]).findings
    assert (found.kind, found.severity) == ("faults", "severe")
    assert found.figures["score"] == pytest.approx(71 / 97)
    assert found.figures["as_wrong"] == pytest.approx(70 / 100)
    assert found.figures["as_right"] == pytest.approx(75 / 100)
    assert found.figures["left_out"] == pytest.approx(70 / 95)
    assert (found.figures["grader_failed"], found.figures["unscored"], found.figures["truncated"]) == (2, 1, 2)
    assert sorted(found.rows) == ["t0", "t1", "u0", "u1", "u2"]
    assert found.message == (
        "m: 2 grader failed, 2 truncated, 1 unscored of 100 samples. The score is 0.7320, and would be 0.7000 with "
        "these counted as wrong, 0.7500 as right, 0.7368 without them."
    )


def test_a_run_without_faults_is_no_finding(make_log):
    log = make_log("a.json", {f"s{number}": ["C"] for number in range(9)})
    check = bounds([("m", read_run(str(log)))])
    assert (check.findings, check.looked_at) == ([], "1 run")
