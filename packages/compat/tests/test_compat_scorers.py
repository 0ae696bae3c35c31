"""Scorers and metrics: what is right, what is unanswered, and what is unscored."""

import asyncio
import math

import pytest
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, SampleScore, Score, Target, accuracy, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench_compat.metrics.grouped import grouped
from openbench_compat.scorers import mcq, qa
from openbench_compat.scorers.fallback_scorer import fallback_scorer
from openbench_compat.scorers.grade_school_math import grade_school_math_scorer
from openbench_compat.scorers.open_answer import create_open_answer_scorer, grouped_open_answer_scorer
from openbench_compat.scorers.robust_boxed import (
    aime_scorer,
    extract_boxed_answer,
    normalize_numeric_answer,
    robust_boxed_scorer,
)
from openbench_compat.scorers.score_boxed import score_boxed
from openbench_compat.scorers.score_last_number import score_last_integer, score_last_number


def scored(scorer, completion, target, metadata=None, prompt="Question?"):
    state = TaskState(
        "m", "s", 1, prompt, [], output=ModelOutput.from_content("m", completion), metadata=metadata or {}
    )
    return asyncio.run(scorer(state, Target(target)))


@pytest.mark.parametrize(
    ("scorer", "completion", "target", "value", "answer"),
    [
        (score_boxed(), r"So \boxed{\frac{1}{2}}.", r"\frac{1}{2}", CORRECT, r"\frac{1}{2}"),
        (score_boxed(), r"\boxed{1} or \fbox{ 2 }", "2", CORRECT, "2"),
        (score_boxed(), r"\boxed{0.5}", "1/2", INCORRECT, "0.5"),
        (score_boxed(), r"<think>\boxed{2}</think>\boxed{3}", "3", CORRECT, "3"),
        (score_boxed(), "2", "2", INCORRECT, None),
        (score_last_integer(), "3 apples, 12.5 kg, 7 pears", "7", CORRECT, "7"),
        (score_last_integer(), "none", "7", INCORRECT, None),
        (score_last_number(), "about 3.50", "3.5", CORRECT, "3.50"),
        (score_last_number(), "1,234", "1234", CORRECT, "1,234"),
        (score_last_number(), "minus: -7", "7", INCORRECT, "-7"),
        (robust_boxed_scorer(), r"\framebox{1,234}", "1234", CORRECT, "1234"),
        (robust_boxed_scorer(), "I get 3.5", "3", INCORRECT, "3.5"),
        (robust_boxed_scorer(), r"\boxed{3.50}", "3.5", CORRECT, "3.50"),
        (robust_boxed_scorer(normalize_numbers=False), r"\boxed{3.50}", "3.5", INCORRECT, "3.50"),
        (robust_boxed_scorer(fallback_to_last_number=False), "7", "7", INCORRECT, None),
        (robust_boxed_scorer(), r"\boxed{x, y}", "y", CORRECT, "y"),
        (aime_scorer(), r"\boxed{073}", "73", CORRECT, "073"),
        (aime_scorer(), r"\boxed{1073}", "1073", INCORRECT, "1073"),
        (aime_scorer(), "so 204", "204", CORRECT, "204"),
        (grade_school_math_scorer(), "Answer: 1,200.00 dollars", "1200", CORRECT, "1200.00"),
        (grade_school_math_scorer(), "42", "42", INCORRECT, None),
    ],
)
def test_numbers_and_boxes(scorer, completion, target, value, answer):
    score = scored(scorer, completion, target)
    assert (score.value, score.answer) == (value, answer)
    assert (score.reason is not None) == (answer is None)


def test_the_word_for_answer_is_the_samples_own():
    assert scored(grade_school_math_scorer(), "答え: 7", "7", {"answer_prefix": "答え"}).value == CORRECT


@pytest.mark.parametrize("scorer", [score_boxed(), score_last_number(), aime_scorer(), qa.qa_scorer()])
def test_a_sample_without_a_target_is_unscored(scorer):
    assert math.isnan(scored(scorer, r"\boxed{1}", " ").value)


def test_extraction_and_numbers():
    assert extract_boxed_answer(r"\boxed{\text{a}{b}} 7") == r"\text{a}{b}"
    assert (extract_boxed_answer("so -3.5"), extract_boxed_answer("7", fallback_to_last_number=False)) == ("-3.5", None)
    numbers = {"1,234": "1234", "007": "7", "-0.50": "-0.5", "-0": "0", "12 apples": "12", "3.": "3", ".5": "0.5"}
    assert {text: normalize_numeric_answer(text) for text in numbers} == numbers
    assert normalize_numeric_answer("x") is normalize_numeric_answer("") is None


@pytest.mark.parametrize(
    ("one", "other", "exact", "f1"),
    [
        ("The Eiffel Tower!", "eiffel tower", 1, 1),
        ("a well-known man", "well known man", 1, 1),
        ("1,000", "1000.0", 1, 1),
        ("3.50 km", "3.5 km", 1, 1),
        ("red green", "green blue", 0, 0.5),
        ("red red green", "red", 0, 0.5),
        ("the", "a", 1, 1),
        ("the", "red", 0, 0),
    ],
)
def test_short_answers(one, other, exact, f1):
    assert (qa.compute_exact_match(one, other), qa.compute_f1(one, other)) == (exact, pytest.approx(f1))


def test_a_short_answer_has_the_best_of_several_targets():
    score = scored(qa.qa_scorer(), "Thinking.\nAnswer: Ada Lovelace\nBye", "Byron|Lady Ada Lovelace")
    assert (score.value, score.answer) == (pytest.approx(0.8), "Ada Lovelace")
    assert score.metadata == {"exact_match": 0.0, "f1": pytest.approx(0.8)}
    assert scored(qa.qa_scorer(), "I think:\nByron", "Byron|x").value == 1
    assert scored(qa.qa_scorer(), " ", "Byron").reason == "no_response"


@pytest.mark.parametrize(
    ("completion", "target", "value"),
    [
        ("We add. So the answer is Paris.", "paris", 1),
        ("The total is 1,234.", "1234", 1),
        ("x = 0.5", "0.50", 1),
        ("The answer is 12.", "1", 0),
        ("The answer is London.", "Paris", 0),
        ("Paris", "Paris", 1),
    ],
)
def test_free_answers(completion, target, value):
    assert scored(create_open_answer_scorer()(), completion, target).value == value


def test_free_answers_by_metadata():
    scorer = create_open_answer_scorer(answer_key="gold")()
    assert scored(scorer, "It is red", "x", {"gold": ["blue", "red"]}).value == 1
    assert scored(grouped_open_answer_scorer("kind"), "It is 3", "x", {"answer": 3}).value == 1
    assert math.isnan(scored(scorer, "It is red", "x", {"gold": []}).value)


def test_the_first_scorer_that_fits_counts():
    def constant(value, answer):
        async def score(_state, _target):
            return value and Score(value=value, answer=answer)

        return score

    wrong, right, silent, none = constant("I", "w"), constant("C", "r"), constant("I", None), constant(None, None)
    assert scored(fallback_scorer([none, wrong, right]), "x", "x").answer == "r"
    assert scored(fallback_scorer([none, wrong, right], strategy="first_answer"), "x", "x").answer == "w"
    assert scored(fallback_scorer([silent, wrong, silent]), "x", "x").answer == "w"
    assert scored(fallback_scorer([silent], strategy="first_answer"), "x", "x").value == "I"
    with pytest.raises(UsageError, match=r"^fallback_scorer: strategy='best' with 1 scorers: expected first_correct"):
        fallback_scorer([right], strategy="best")


def test_letters():
    for scorer in (mcq.robust_mcq_scorer(), mcq.simple_mcq_scorer(), mcq.grouped_mcq_scorer("subject")):
        assert scored(scorer, "The answer is (B).", "B", {"subject": "x"}, "Which?\nA) a\nB) b").value == CORRECT


def test_metrics_by_group():
    scores = [
        SampleScore(score=Score(value=value), sample_id=number, sample_metadata={"kind": kind})
        for number, (kind, value) in enumerate([("a", 1), ("a", 0), ("a", 0), ("b", 1)])
    ]
    assert grouped(accuracy(), "kind")(scores) == {"accuracy": 0.5, "a_accuracy": pytest.approx(1 / 3), "b_accuracy": 1}
    assert grouped(accuracy(), "kind", all="groups", all_label="macro")(scores)["macro"] == pytest.approx(2 / 3)
    several = grouped([accuracy(), stderr()], "kind", all=False, group_namer=lambda group, name: f"{name}:{group}")
    assert [*several(scores)] == ["accuracy:a", "accuracy:b", "stderr:a", "stderr:b"]
    with pytest.raises(ValueError, match=r"^the sample 0 has no 'topic' in its metadata$"):
        grouped(accuracy(), "topic")(scores)
