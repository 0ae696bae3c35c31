import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import exact, includes

from openbench.scorers.mcq import create_mcq_scorer
from openbench.utils.mcq import MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt
from openbench_analysis.audit.phrasings import kind_of, phrased
from openbench_analysis.audit.scorer import scorer

NUMBERS = [
    Sample(id=f"n{number}", input=f"What is 7 times {number}?", target=str(7 * number)) for number in range(1, 8)
]
QUIZ = [
    MCQSample(
        id=f"q{number}",
        input=create_dynamic_multiple_choice_prompt(f"Which of {number}?", ["red", "green", "blue"]),
        target="ABC"[number % 3],
    )
    for number in range(7)
]


def task(samples, scorer_):
    return lambda: Task(dataset=MemoryDataset(list(samples)), scorer=scorer_, name="quiz")


def test_a_scorer_that_reads_answers_has_no_finding():
    check = scorer(task(QUIZ, create_mcq_scorer()()))
    assert check.findings == []
    assert check.looked_at == "260 completions of answers to 5 rows"


def test_a_scorer_that_looks_for_the_target_anywhere_accepts_wrong_answers():
    [found] = scorer(task(NUMBERS, includes())).findings
    assert (found.kind, found.severity) == ("wrong answers accepted", "severe")
    assert "<think>Is it {other}? No.</think>\n\nAnswer: {answer}" in found.figures
    assert set(found.rows) <= {sample.id for sample in NUMBERS}


def test_a_scorer_that_compares_the_whole_completion_refuses_right_answers():
    [found] = scorer(task(NUMBERS, exact())).findings
    assert (found.kind, found.severity) == ("right answers refused", "warning")
    assert "The answer is {answer}." in found.message
    assert found.figures["phrasings"] == 24


def test_what_no_phrasing_fits():
    code = [Sample(id=1, input="Write it.", target="def f(x):\n    return x + 1\n")]
    check = scorer(task(code, exact()))
    assert not check.done
    assert check.looked_at == "no answer is a letter, a number or a short text, which can be rephrased."


@pytest.mark.parametrize(
    ("target", "options", "kind"),
    [("B", {"A": "x", "B": "y"}, "letter"), ("1,234.5", {}, "number"), ("-3", {}, "number"), ("New York", {}, "text")],
)
def test_kinds_of_answers_have_twenty_phrasings_and_more(target, options, kind):
    assert kind_of(target, options) == kind
    found = phrased(kind, target, "other", "text")
    assert len(set(found.values())) >= 20
    assert all(target in completion for completion in found.values())


@pytest.mark.parametrize("target", ["", "a\nb", "one two three four five six seven"])
def test_long_answers_have_no_kind(target):
    assert kind_of(target, {}) is None
