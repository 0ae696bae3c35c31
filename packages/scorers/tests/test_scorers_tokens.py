"""Token F1 and DROP: what the published definitions give, and the answers that models really write."""

# ruff: noqa: RUF001 -- quotes as answers have them

import itertools

import pytest
from inspect_ai.scorer import Score

from openbench.errors import UsageError
from openbench_scorers.alignment import best_alignment
from openbench_scorers.drop import drop, score_drop
from openbench_scorers.fallback import extractions
from openbench_scorers.token_f1 import score_token_f1, token_f1


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


@pytest.mark.parametrize(
    ("normalisation", "completion", "target", "f1", "exact"),
    [
        # Where TriviaQA has a space, SQuAD has nothing.
        ("squad", "rock-n-roll", "rock n roll", 0.0, 0.0),
        ("triviaqa", "rock-n-roll", "rock n roll", 1.0, 1.0),
        ("triviaqa", "snake_case", "Snake Case", 1.0, 1.0),
        ("triviaqa", "‘Hamlet’", "hamlet", 1.0, 1.0),
        ("squad", "‘Hamlet’", "hamlet", 0.0, 0.0),
        ("triviaqa", "U.S.A.", "usa", 0.0, 0.0),
        # NQ-Open takes accents apart, however they are written.
        ("nq", "Guerle\u0301dan", "Guerl\u00e9dan", 1.0, 1.0),
        ("squad", "Guerle\u0301dan", "Guerl\u00e9dan", 0.0, 0.0),
        # HotpotQA gives a yes no share in a longer answer.
        ("hotpotqa", "Yes.", "yes", 1.0, 1.0),
        ("hotpotqa", "yes, they are", "yes", 0.0, 0.0),
        ("hotpotqa", "no", "no man", 0.0, 0.0),
        ("hotpotqa", "no man is", "no man", 0.8, 0.0),
        ("squad", "yes, they are", "yes", 0.5, 0.0),
        # Where neither side has words, they are the same, and share none.
        ("squad", "the", "a", 1.0, 1.0),
        ("triviaqa", "the", "a", 0.0, 1.0),
        ("hotpotqa", "the", "a", 0.0, 1.0),
    ],
)
def test_words_are_those_of_the_original(normalisation, completion, target, f1, exact):
    value = score_token_f1(completion, [target], normalisation).value
    assert value == {"f1": pytest.approx(f1), "exact_match": exact}


@pytest.mark.parametrize(
    ("completion", "target", "exact"),
    [
        ("unanswerable", "unanswerable", 1.0),
        ("It is unanswerable: nothing is said of it.", "Unanswerable", 1.0),
        ("unanswerable", "", 1.0),
        ("unanswerable", "Paris", 0.0),
        ("Paris", "unanswerable", 0.0),
        ("unanswerables", "unanswerable", 0.0),
        ("", "unanswerable", 0.0),
        ("<think>unanswerable</think>", "unanswerable", 0.0),
    ],
)
def test_no_answer_has_a_word(completion, target, exact):
    score = score_token_f1(completion, [target], no_answer="unanswerable")
    assert score.value == {"f1": exact, "exact_match": exact}


def test_nothing_is_no_answer_to_a_question_whose_answer_has_no_words():
    score = score_token_f1("", ["---"])
    assert (score.value["exact_match"], score.reason) == (0.0, "no_response")
    assert score_token_f1("---", ["---"]).value["exact_match"] == 1.0


def test_announced_answers_are_read_on_request():
    completion = "Perhaps Lyon.\nThe answer is Paris.\n\nQuestion: And of Italy?\nAnswer: Rome"
    chain = extractions(["announced", "text"])
    assert score_token_f1(completion, ["Paris"], chain=chain).answer == "Paris"
    assert score_drop(completion, ["Paris"], chain=chain).value == {"f1": 1.0, "exact_match": 1.0}
    assert score_token_f1("Paris", ["Paris"], chain=chain).value["exact_match"] == 1.0
    assert score_token_f1("Paris", ["Paris"], chain=extractions(["boxed"])).reason == "invalid_response_format"
    assert score_token_f1(completion, ["Paris"]).value["exact_match"] == 0.0


@pytest.mark.parametrize("scorer", [token_f1, drop])
def test_an_unknown_extraction_is_refused(scorer):
    with pytest.raises(UsageError, match="Unknown extraction 'bold'"):
        scorer(chain=["bold"])


def test_lower_keeps_punctuation_and_articles():
    assert score_token_f1("The Cat", ["the cat"], "lower").value == {"f1": 1.0, "exact_match": 1.0}
    assert score_token_f1("the cat.", ["the cat"], "lower").value == {"f1": 0.5, "exact_match": 0.0}


@pytest.mark.parametrize(
    ("completion", "target", "f1", "exact"),
    [
        ("《바다의 눈》", "바다의 눈", 1.0, 1.0),
        ("'바다의' 눈.", "바다의 눈", 1.0, 1.0),
        ("바다의눈", "바다의 눈", 1.0, 0.0),  # characters are the same, words are not
        ("1,931년", "1931년", 1.0, 1.0),
        ("김두식이", "김두식", 6 / 7, 0.0),
        ("서울", "부산", 0.0, 0.0),
        ("...", "!!", 0.0, 1.0),  # the official script's values
    ],
)
def test_korquad_counts_characters(completion, target, f1, exact):
    assert score_token_f1(completion, [target], "korquad").value == {"f1": pytest.approx(f1), "exact_match": exact}


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
