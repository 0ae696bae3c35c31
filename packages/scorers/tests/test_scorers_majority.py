"""maj@k: the chance that the most frequent answer of k attempts is right."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score

from openbench.errors import UsageError
from openbench_scorers.majority import maj_at_k, most_frequent


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
    """Equal wrong answers count as one, and so do correct ones, whatever their notation; no answer has no vote."""

    def maj(k, *answers):
        values = [Score(value="C" if right else "I", answer=text) for text, right in answers]
        return maj_at_k(k)([SampleScore(score=score, sample_id="a") for score in values])[f"maj@{k}"]

    half, third = ("1/2", True), ("1/3", False)
    assert maj(3, half, third, ("\\frac{1}{3}", False)) == 0.0
    assert maj(3, half, third, ("x^2", False)) == pytest.approx(1 / 3)
    assert maj(4, half, ("0.5", True), third, ("\\frac13", False)) == 0.5
    assert maj(3, half, (None, False), ("", False)) == 1.0
    assert maj(1, half, third, third) == pytest.approx(1 / 3)
    assert math.isnan(maj(4, half, third))


def test_a_number_of_attempts_that_is_none_is_refused():
    with pytest.raises(UsageError, match=r"^k=0: expected a whole number of 1 or more, or several such numbers\.$"):
        maj_at_k(0)
