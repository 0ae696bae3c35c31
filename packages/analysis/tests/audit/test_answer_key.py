import os
import random
from pathlib import Path

import pytest

from openbench_analysis.audit.answer_key import answer_key
from openbench_analysis.audit.findings import LEVEL
from openbench_analysis.audit.items import Item


def item(number, letter, letters="ABCD", texts=None):
    options = {each: (texts or {}).get(each, f"option {each} of {number}") for each in letters}
    return Item(f"q{number}", f"Question {number}?", options, [letter])


def keys(check):
    return [(finding.kind, finding.severity) for finding in check.findings]


def test_a_constant_key_is_severe():
    check = answer_key([item(number, "A") for number in range(30)])
    [found] = check.findings
    assert (found.kind, found.severity) == ("constant key", "severe")
    assert found.message == "The answer is A in all 30 rows: a model that always gives it has every point."


def test_a_skewed_key_is_found_and_its_gain_told():
    check = answer_key([item(number, "A" if number % 5 < 2 else "BCD"[number % 3]) for number in range(600)])
    [found] = check.findings
    assert (found.kind, found.severity) == ("skewed key", "severe")
    assert found.figures["letter"] == "A"
    assert found.figures["gain"] == pytest.approx(0.15)
    assert found.figures["p_value"] < 1e-9


@pytest.mark.parametrize("options", ["ABCD", "mixed"])
def test_keys_by_chance_are_no_finding_more_often_than_the_level(options):
    rng = random.Random(0)  # noqa: S311 - no secret

    def clean():
        offered = ["ABCD" if options == "ABCD" else rng.choice(["ABC", "ABCD", "ABCDEFGHIJ"]) for _ in range(120)]
        return [item(number, rng.choice(letters), letters) for number, letters in enumerate(offered)]

    found = sum(bool(answer_key(clean()).findings) for _ in range(600))
    assert found <= 600 * LEVEL * 2.5


def test_with_equally_many_options_the_test_is_pearsons():
    from scipy.stats import chisquare

    letters = "A" * 50 + "B" * 20 + "C" * 20 + "D" * 10
    [found] = answer_key([item(number, letter) for number, letter in enumerate(letters)]).findings
    theirs = chisquare([50, 20, 20, 10])
    assert found.figures["chi_square"] == pytest.approx(theirs.statistic)
    assert found.figures["p_value"] == pytest.approx(theirs.pvalue)


def test_labels_may_have_classes_of_any_size():
    texts = {"A": "yes", "B": "no"}
    check = answer_key([item(number, "AAB"[number % 3], "AB", texts) for number in range(300)])
    [found] = check.findings
    assert (found.kind, found.severity) == ("unequal classes", "note")
    assert found.message == (
        "The label 'yes' is right in 66.7% of 300 rows with the same 2 options: the score of a model that always gives "
        "it."
    )


def test_answers_in_free_form():
    def rows(answers):
        return [Item(number, f"Question {number}?", {}, [answer]) for number, answer in enumerate(answers)]

    assert keys(answer_key(rows(map(str, range(50))))) == []
    assert keys(answer_key(rows(["0"] * 50))) == [("constant key", "severe")]
    assert keys(answer_key(rows(["0"] * 60 + list(map(str, range(40)))))) == [("common answer", "warning")]
    check = answer_key(rows(["", "", "7"]))
    assert (check.done, check.looked_at) == (False, "1 row with a single target: at least 10 are needed.")


REAL = Path(os.environ.get("OPENBENCH_REAL_DATA", ""))


@pytest.mark.skipif(not (REAL / "hub").is_dir(), reason="OPENBENCH_REAL_DATA names no folder with hub/")
def test_the_key_of_mmlu_is_nearly_balanced():
    from openbench.datasets import bundled_rows
    from openbench_analysis.audit.items import items_of
    from openbench_mmlu.mmlu import mmlu

    with bundled_rows(REAL / "hub" / "cais" / "mmlu" / "all"):
        items = items_of(list(mmlu().dataset))
    [found] = answer_key(items).findings
    assert (found.kind, found.severity) == ("skewed key", "note")
    assert found.figures["letter"] == "D"
    assert found.figures["gain"] == pytest.approx(0.019, abs=0.001)
