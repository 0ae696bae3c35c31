"""Numbers compared by value; boxes; and chains of places to look at."""

import math
from functools import partial

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from inspect_ai.scorer import CORRECT, INCORRECT

from openbench.errors import UsageError
from openbench.scorers.cleaning import cut_run_on
from openbench.scorers.reasons import is_answered
from openbench_scorers.boxed import normalise_latex, same_formula, score_boxed
from openbench_scorers.boxes import last_boxed
from openbench_scorers.fallback import DEFAULT_CHAIN, announced, extractions, fallback, score_fallback
from openbench_scorers.numerals import NumberRule
from openbench_scorers.numeric import number_reader, numeric, score_numeric

LENGTHS = NumberRule(units={"m": 1, "km": 1000, "cm": 0.01})


def right(completion, target, **options):
    return score_numeric(completion, [target], **options).value == CORRECT


@pytest.mark.parametrize(
    ("completion", "target"),
    [
        ("42", "42"),
        ("The answer is 42.", "42"),
        ("5 + 7 = 12", "12"),
        ("That makes $1,234.50 in total.", "1234.5"),
        ("1234.5", "$1,234.50"),
        ("It is 0.5", "1/2"),
        ("\\boxed{\\frac{1}{2}}", "0.5"),
        ("1.5 \u00d7 10³ m", "1,500"),
        ("3 million people", "3000000"),
        ("18", "18 dollars"),
        ("-7", "−7"),  # noqa: RUF001 - as typeset
        ("<think>41 or 43</think> 42", "42"),
        ("The answer is 42.\n\nQuestion 2: What is 1 + 1?\nAnswer: 2", "42"),
        ("50%", "50"),
        ("50%", "0.5"),
        ("0.5", "50%"),
        ("0.50", "0.5"),
    ],
)
def test_same_value(completion, target):
    assert right(completion, target)


@pytest.mark.parametrize(
    ("completion", "target"),
    [
        ("42", "43"),
        ("42 or 43", "42"),
        ("-42", "42"),
        ("142", "42"),
        ("4.2", "42"),
        ("0.333", "1/3"),
        ("2^{10}", "10"),
        ("123456789", "123456790"),
        ("0.1", "0.10000000000000001"),
    ],
)
def test_another_value(completion, target):
    assert not right(completion, target)


@pytest.mark.parametrize(
    ("rule", "completion", "target", "expected"),
    [
        (NumberRule(absolute=0.1), "1.1", "1", True),
        (NumberRule(absolute=0.3), "1.3", "1", True),
        (NumberRule(absolute=0.1), "1.11", "1", False),
        (NumberRule(relative=0.01), "101", "100", True),
        (NumberRule(relative=0.01), "-101", "-100", True),
        (NumberRule(relative=0.01), "102", "100", False),
        (NumberRule(relative=0.01), "0.001", "0", False),
        (NumberRule(absolute=0.01, relative=0.01), "0.001", "0", True),
        (NumberRule(percent="exact"), "50%", "0.5", True),
        (NumberRule(percent="exact"), "50%", "50", False),
        (NumberRule(percent="exact"), "50%", "50 percent", True),
        (LENGTHS, "1.5 km", "1500 m", True),
        (LENGTHS, "1.5\\text{ km}", "1500 m", True),
        (LENGTHS, "150000cm", "1.5 km", True),
        (LENGTHS, "1500", "1.5 km", True),
        (LENGTHS, "1.5 m", "1.5 km", False),
        (LENGTHS, "1500 miles", "1500 m", True),  # another unit counts as none
        (LENGTHS, "1.5 kmh", "1.5 km", False),
    ],
)
def test_rules(rule, completion, target, expected):
    assert right(completion, target, rule=rule) == expected


@pytest.mark.parametrize(
    ("extract", "completion", "answer"),
    [
        ("last_number", "2 and 3.5", "3.5"),
        ("first_number", "2 and 3.5", "2"),
        ("last_integer", "2 and 3.5", "2"),
        ("first_integer", "2.5 and 3", "3"),
        ("boxed", "\\boxed{x = 5 \\text{ of } 7} in 3 steps", "5"),
        ("announced", "Answer: 18 dollars in 2 days\nI used 3 steps.", "18"),
        ("announced", "The answer is 3 + 4 = 7.", "7"),
        (["boxed", "announced", "last_number"], "Answer: 5. Thanks, 9", "5"),
        (["boxed", "announced", "last_number"], "The answer is below.\n7 apples, 9 pears", "9"),
        (["boxed", "announced", "last_number"], "7 apples, 9 pears", "9"),
        (["boxed"], "7 apples", None),
        ("pattern:([0-9]+) apples", "7 apples, 9 pears", "7"),
    ],
)
def test_where_the_number_is(extract, completion, answer):
    result = score_numeric(completion, ["1000"], read=number_reader(extract))
    assert (result.value, result.answer) == (INCORRECT, answer)
    assert result.reason == (None if answer else "invalid_response_format")


def test_decimal_comma():
    read = number_reader(decimal=",")
    assert score_numeric("Das sind 1.234,5 km.", ["1.234,50"], read=read, decimal=",").value == CORRECT


@pytest.mark.parametrize(
    ("completion", "target", "value"),
    [
        ("Das sind 1,22 Euro.", "1,22", CORRECT),
        ("That is 1.22", "1,22", CORRECT),
        ("1,23", "1,22", INCORRECT),
        ("1,234.5", "1.234,50 €", CORRECT),
        ("-0,75", "-0,75", CORRECT),
        ("1234", "1,234", CORRECT),
        ("1.234", "1,234", INCORRECT),
        ("I do not know", "1,22", INCORRECT),
    ],
)
def test_a_decimal_comma_in_a_target(completion, target, value):
    other = number_reader(decimal=",")
    assert score_numeric(completion, [target], read_other=other).value == value


def test_a_comma_in_brackets_separates():
    assert math.isnan(score_numeric("3.4", ["(3,4)"]).value)


def test_a_target_without_one_number_is_unscored():
    for targets in ([""], ["five"], ["between 5 and 10"]):
        result = score_numeric("5", targets)
        assert math.isnan(result.value)
        assert (
            result.explanation
            == f"Not scored: no target consists of one number: {targets!r}. Check the dataset's mapping."
        )
    assert score_numeric("5", ["five", "5"]).value == CORRECT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"absolute": -1}, "absolute=-1: expected a number of 0 or more."),
        ({"relative": math.nan}, "relative=nan: expected a number of 0 or more."),
        ({"relative": "1%"}, "relative='1%': expected a number of 0 or more."),
        ({"percent": "no"}, "percent='no': expected one of either, exact."),
        ({"decimal": ";"}, "decimal=';': expected '.' or ','."),
        ({"units": {"m": 0}}, "units: 'm': 0: expected a name and a number above 0, as in m: 1, km: 1000."),
        (
            {"extract": "last"},
            (
                "Unknown extraction 'last'. Known: boxed, announced, first_number, last_number, first_integer, "
                "last_integer, last_line, text and pattern:REGEX."
            ),
        ),
    ],
)
def test_wrong_arguments_are_refused_before_the_run(options, message):
    with pytest.raises(UsageError) as error:
        numeric(**options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("\\boxed{5}", "5"),
        ("\\boxed{ 5 }.", "5"),
        ("\\boxed {5}", "5"),
        ("\\fbox{5}", "5"),
        ("\\boxed{1} and \\boxed{2}", "2"),
        ("\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("\\boxed{\\{1, 2\\}}", "\\{1, 2\\}"),
        ("\\boxed{\\boxed{3}}", "3"),
        ("\\boxed{x = \\boxed{3}}", "3"),
        ("\\boxed{1} then \\boxed{2", "1"),  # cut off
        ("\\boxed{1 then \\boxed{2}", "2"),
        ("{ \\boxed{2} ", "2"),
        ("} \\boxed{2} }", "2"),
        ("\\boxed 5.", "5"),
        ("\\boxed{}", None),
        ("\\boxed{ }", None),
        ("boxed", None),
        ("\\boxed", None),
        ("", None),
    ],
)
def test_last_boxed(text, held):
    assert last_boxed(text) == held


def test_many_open_boxes_take_no_time():
    assert last_boxed("\\boxed{" * 100_000) is None
    assert last_boxed("\\boxed{" * 50_000 + "5" + "}" * 50_000) == "5"


@pytest.mark.parametrize(
    ("answer", "target", "same"),
    [
        ("\\dfrac12", "\\frac{1}{2}", True),
        ("0.5", "\\frac{1}{2}", True),
        ("1,234", "1234", True),
        ("x^{2}", "$x^2$", True),
        ("5", "\\boxed{5}", True),
        ("50\\%", "50", True),
        ("(1, 2)", "(1,2)", True),
        ("\\text{Evelyn}", "Evelyn", True),
        ("32, 349", "32349", False),
        ("5x", "5", False),
        ("2\\sqrt{3}", "2", False),
        ("(2, 1)", "(1,2)", False),
    ],
)
def test_same_formula(answer, target, same):
    assert same_formula(answer, target) == same
    assert (score_boxed(f"So \\boxed{{{answer}}}.", [target]).value == CORRECT) == same


def test_without_a_box_there_is_no_answer():
    result = score_boxed("The answer is 5.", ["5"])
    assert (result.value, result.answer, result.reason) == (INCORRECT, None, "invalid_response_format")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is 5.", "5"),
        ("The answer is **5**.", "5"),
        ("**Final answer:** $x=3$", "x=3"),
        ("Answer: 1\nAnswer: 2\nBye", "2"),
        ("## Answer\n\n", None),
        ("## Answer:\n\n42\n", "42"),
        ("#### 1,234", "1,234"),
        ("The final answer to this question is: Paris", "Paris"),
        ("Respuesta: 7.", None),
        ("Nothing is announced", None),
        ("answers", None),
        ("", None),
    ],
)
def test_announced(text, answer):
    assert announced(text) == answer


def test_a_chain_takes_the_first_that_finds_something():
    chain = extractions(["boxed", "pattern:<a>(.*)</a>", "last_line"])
    completions = ["\\boxed{1} <a>2</a>", "<a>2</a>\n3", "2\n3.", " "]
    assert [score_fallback(each, ["1"], chain).answer for each in completions] == ["1", "2", "3", None]
    result = score_fallback("So \\boxed{\\frac12}", ["0.5"], chain)
    assert (result.value, result.answer) == (CORRECT, "\\frac12")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fallback([]), "The chain of extractions is empty. Name at least one of boxed,"),
        (lambda: fallback(["boxes"]), "Unknown extraction 'boxes'. Known: boxed,"),
        (lambda: fallback(["pattern:("]), "pattern '(' is not a regular expression of Python's re:"),
        (lambda: fallback(compare="like"), "fallback: compare='like': expected one of exact, normalised, formula."),
    ],
)
def test_wrong_chains_are_refused_before_the_run(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value).startswith(message)


SCORERS = {
    "boxed": score_boxed,
    "fallback": partial(score_fallback, chain=extractions(DEFAULT_CHAIN)),
    "numeric": score_numeric,
    "numeric, chain": partial(score_numeric, read=number_reader(["boxed", "announced", "first_integer"])),
}
TEXTS = st.text() | st.text(alphabet="\\boxed{}frac12 answer:is$.,-%\n<think>/x^_", max_size=80)


@pytest.mark.parametrize("name", SCORERS)
@given(completion=TEXTS, targets=st.lists(TEXTS, max_size=3))
@example(completion="\ud800", targets=["\ud800"])
@example(completion="İ" * 10, targets=["İ"])
def test_any_text_has_a_score(name, completion, targets):
    score = SCORERS[name](completion, targets)
    if isinstance(score.value, float):
        assert math.isnan(score.value)
        assert score.reason == "scoring_failed"
    else:
        assert score.value in {CORRECT, INCORRECT}
        assert score.explanation == completion
        assert score.value == INCORRECT or is_answered(score)


@given(target=st.text(alphabet="abc123+-^{}\\ ().,", min_size=1))
def test_a_boxed_target_is_a_right_answer(target):
    depths = [target[:end].count("{") - target[:end].count("}") for end in range(len(target) + 1)]
    assume(target.strip() and "\\" not in target and min(depths) == 0 == depths[-1])
    assert score_boxed(f"It is \\boxed{{{target}}}.", [target]).value == CORRECT


@pytest.mark.parametrize("name", ["numeric", "fallback"])
@given(number=st.integers() | st.fractions() | st.decimals(allow_nan=False, allow_infinity=False, places=4))
def test_a_number_is_a_right_answer(name, number):
    for completion in (f"{number}", f"The answer is {number}.", f"5 apples\nAnswer: **{number}**"):
        assert cut_run_on(completion) == completion
        assert SCORERS[name](completion, [f"{number}"]).value == CORRECT


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("$\\dfrac{1}{2}$", "\\frac{1}{2}"),
        ("\\frac12", "\\frac{1}{2}"),
        ("\\frac1{25}", "\\frac{1}{25}"),
        ("\\frac{12}5", "\\frac{12}{5}"),
        ("\\left( 1, 2 \\right]", "(1,2]"),
        ("\\leftarrow", "\\leftarrow"),
        ("5\\text{ cm}", "5cm"),
        ("\\sqrt3", "\\sqrt{3}"),
        ("x^{2}", "x^2"),
        ("x^{10}", "x^{10}"),
        ("1{,}234", "1234"),
        ("1,234", "1234"),
        ("32, 349", "32,349"),
        ("90^\\circ", "90"),
        ("90^{\\circ}", "90"),
        ("50\\%", "50%"),
        ("x \\leq 3", "x\\le3"),
        ("x \\left\\{ 1 \\right\\}", "x\\{1\\}"),
        ("1 \\\\ 2", "1\\\\2"),
        ("3.", "3"),
    ],
)
def test_normal_form_of_formulas(text, normal):
    assert normalise_latex(text) == normal
