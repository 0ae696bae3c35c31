"""The scorer of choices: one letter, or exactly all right ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.dataset import Sample
from inspect_ai.solver import multiple_choice

from openbench_scorers.choice import choice, named_letters, score_choices

OPTIONS = {"A": "red", "B": "green", "C": "blue", "D": "grey"}


@pytest.mark.parametrize(
    ("completion", "letters"),
    [
        ("ANSWER: A", "A"),
        ("answer: b", "B"),
        ("ANSWER: A, C", "AC"),
        ("ANSWER: A,B and D", "ABD"),
        ("**ANSWER: A & C**", "AC"),
        ("ANSWER: $AC$", "AC"),
        ("ANSWER: (A), (C).", "AC"),
        ("ANSWER: A, B\nNo, wait.\nANSWER: C, D", "CD"),
        ("ANSWER: A\nANSWER: B, C", "BC"),
        ("The answer is green", "B"),
        ("A", "A"),
        ("ANSWER: A, E", ""),
        ("ANSWER:", ""),
        ("ANSWER: a, c", "AC"),
        ("answer: a and c", "AC"),
        ("The final ANSWER: A, C", "AC"),
        ("ANSWER: [A, C]", "AC"),
        ("ANSWER: {A, C}", "AC"),
        ("ANSWER: A+C", "AC"),
        ("ANSWER: A/C", "AC"),
        ("ANSWER: A | C", "AC"),
        ('ANSWER: "A", "C"', "AC"),
        (r"ANSWER: \boxed{A, C}", "AC"),
        ("ANSWER:\nA, C", "AC"),
        ("ANSWER: A, C. Both fit.", "AC"),
        ("ANSWER: bad", ""),
        ("The wrong answer: A, C", ""),
        ("ANSWER：A，C", "AC"),  # noqa: RUF001 -- as a model of Chinese writes it
        ("答案：A、C", ""),  # noqa: RUF001 -- several letters, which only this form may name
        ("<think>ANSWER: A, C</think>ANSWER: B, D", "BD"),
        ("ANSWER: B, D\n</think>\nANSWER: A, C", "AC"),
        ("<think>ANSWER: A, C</think>", ""),
        ("ANSWER: A, C\n\nQuestion 2: What?\nANSWER: B, D", "AC"),
        ("ANSWER: A, C\nThe wrong answer: none of these", "AC"),
        ("I cannot tell", ""),
        ("", ""),
    ],
)
def test_letters_that_an_answer_names(completion, letters):
    assert named_letters(completion, OPTIONS) == set(letters)


@pytest.mark.parametrize(
    ("completion", "letter"),
    [("ANSWER: AB", "C"), ("ANSWER: A, B", "AB"), ("ANSWER: O", "D"), ("ANSWER: A", "A"), ("ANSWER: C", "C")],
)
def test_an_option_whose_text_is_the_answer(completion, letter):
    assert named_letters(completion, {"A": "A", "B": "B", "C": "AB", "D": "O"}) == set(letter)


@pytest.mark.parametrize(
    ("completion", "targets", "value"),
    [("ANSWER: C, A", "AC", "C"), ("ANSWER: A", "AC", "I"), ("ANSWER: A, C", "A", "I"), ("ANSWER: A", "A", "C")],
)
def test_exactly_the_right_choices_count(completion, targets, value):
    assert score_choices(completion, list(targets), OPTIONS).value == value


@pytest.mark.parametrize(("completion", "reason"), [("", "no_response"), ("Who knows?", "invalid_response_format")])
def test_no_answer_has_a_reason(completion, reason):
    made = score_choices(completion, ["A"], OPTIONS)
    assert (made.value, made.answer, made.reason) == ("I", None, reason)


@given(st.text(), st.text(alphabet="ABCDEF, &and:\n"))
def test_any_completion_names_options_only(before, after):
    assert named_letters(f"{before}\nANSWER: {after}", OPTIONS) <= OPTIONS.keys()


def test_a_log_scored_again_keeps_its_scores(tmp_path):
    samples = [
        Sample("1?", choices=list(OPTIONS.values()), target=["A", "C"], id="several"),
        Sample("2?", choices=list(OPTIONS.values()), target="B", id="one"),
    ]
    task = Task(samples, solver=multiple_choice(multiple_correct=True), scorer=choice())
    (log,) = inspect_eval(
        task, model="baseline/constant", model_args={"answer": "ANSWER: C, A"}, display="none", log_dir=str(tmp_path)
    )
    again = inspect_score(log, choice(), action="overwrite", display="none")
    for each in (log, again):
        assert {sample.id: sample.scores["choice"].value for sample in each.samples} == {"several": "C", "one": "I"}
