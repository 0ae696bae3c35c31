"""Token F1 and DROP: what the published definitions give, and the answers that models really write."""

import itertools

import pytest
from inspect_ai.scorer import Score

from openbench_scorers.alignment import best_alignment
from openbench_scorers.drop import score_drop
from openbench_scorers.token_f1 import score_token_f1


@pytest.mark.parametrize(
    ("completion", "targets", "f1", "exact"),
    [
        ("Paris", ["Paris"], 1.0, 1.0),
        ("The Paris!", ["paris"], 1.0, 1.0),
        ("in Paris", ["Paris"], 2 / 3, 0.0),
        ("Paris Paris", ["Paris"], 2 / 3, 0.0),  # a multiset: the second is too many
        ("Rome", ["Paris", "Rome, Italy"], 2 / 3, 0.0),
        ("Rome", ["Paris", "Rome"], 1.0, 1.0),  # the best target
        ("London", ["Paris"], 0.0, 0.0),
        ("u.s.a", ["USA"], 1.0, 1.0),
        ("", [""], 1.0, 1.0),  # SQuAD 2: there is no answer, and none is given
        ("Paris", [""], 0.0, 0.0),
        ("the", ["a"], 1.0, 1.0),  # neither has words
        ("<think>London? No.</think>Paris", ["Paris"], 1.0, 1.0),
        ("c b", ["b c"], 1.0, 0.0),
    ],
)
def test_squad(completion, targets, f1, exact):
    assert score_token_f1(completion, targets).value == {"f1": pytest.approx(f1), "exact_match": exact}


def test_lower_keeps_punctuation_and_articles():
    assert score_token_f1("The Cat", ["the cat"], "lower").value == {"f1": 1.0, "exact_match": 1.0}
    assert score_token_f1("the cat.", ["the cat"], "lower").value == {"f1": 0.5, "exact_match": 0.0}


def test_no_answer_and_no_target():
    assert score_token_f1("", ["Paris"]).reason == "no_response"
    assert score_token_f1("<think>hm", ["Paris"]).reason == "invalid_response_format"
    assert score_token_f1("", [""]).reason is None
    assert_unscored(score_token_f1("Paris", []))


@pytest.mark.parametrize(
    ("completion", "targets", "f1", "exact"),
    [
        ("12", ["12"], 1.0, 1.0),
        ("12.0", ["12"], 1.0, 1.0),
        ("1,200 yards", ["1200 yards"], 1.0, 1.0),
        ("$5", ["5"], 1.0, 1.0),
        ("12 yards", ["13 yards"], 0.0, 0.0),  # another number shares nothing
        ("yards", ["13 yards"], 0.0, 0.0),
        ("13", ["13 yards"], 0.67, 0.0),
        ("the Bears", ["Bears"], 1.0, 1.0),
        ("Chicago Bears", ["Bears"], 0.67, 0.0),
        ("Bears|Lions", ["Lions|Bears"], 1.0, 1.0),  # spans in any order
        ("Lions", ["Lions|Bears"], 0.5, 0.0),
        ("Lions|Lions", ["Lions|Bears"], 0.5, 0.0),  # each span is aligned once
        ("Lions|Bears|Packers", ["Lions|Bears"], 0.67, 0.0),
        ("July-August", ["July August"], 1.0, 1.0),
        ("Bears", ["Lions", "Bears"], 1.0, 1.0),
        ("Bears", ["", "Bears"], 1.0, 1.0),
        ("bears bears", ["Bears"], 1.0, 0.0),  # sets, not multisets
    ],
)
def test_drop(completion, targets, f1, exact):
    assert score_drop(completion, targets).value == {"f1": f1, "exact_match": exact}


def test_drop_without_answer_or_target():
    assert score_drop(" ", ["12"]).value == {"f1": 0.0, "exact_match": 0.0}
    assert score_drop(" ", ["12"]).reason == "no_response"
    assert_unscored(score_drop("12", []))
    assert_unscored(score_drop("12", [" "]))


def test_another_separator():
    assert score_drop("Bears; Lions", ["Lions;Bears"], ";").value == {"f1": 1.0, "exact_match": 1.0}


def test_hostile_numbers():
    for text in ("nan", "inf", "1e999", "-", "٣", "1_000", "|||", "9" * 5000):
        assert isinstance(score_drop(text, ["12"]), Score)


def test_many_spans_take_no_time():
    assert score_drop("x|" * 100_000, ["a|b|c"]).value == {"f1": 0.0, "exact_match": 0.0}


def test_alignment_is_the_best_of_all():
    weights = [[0.7, 0.6, 0.0], [0.6, 0.1, 0.0]]
    assert best_alignment(weights) == [(0, 1), (1, 0)]
    assert best_alignment(list(zip(*weights, strict=True))) == [(0, 1), (1, 0)]
    assert (best_alignment([]), best_alignment([[]])) == ([], [])


@pytest.mark.parametrize("seed", range(30))
def test_alignment_against_all_permutations(seed):
    rows, columns = 1 + seed % 4, 1 + seed % 5
    weights = [[((seed + 3) * (r * 7 + c * 13 + 1) % 11) / 10 for c in range(columns)] for r in range(rows)]
    total = sum(weights[row][column] for row, column in best_alignment(weights))
    short, wide = (weights, columns) if rows <= columns else (list(zip(*weights, strict=True)), rows)
    best = max(sum(short[r][c] for r, c in enumerate(p)) for p in itertools.permutations(range(wide), len(short)))
    assert total == pytest.approx(best)


def assert_unscored(score):
    assert str(score.value) == "nan"
    assert score.reason == "scoring_failed"
    assert score.explanation
