"""Numbers in the notations of people and models: exact values, and nothing else is read as a number."""

# ruff: noqa: RUF001 -- look-alike characters are what is read

import itertools
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_scorers.numerals import find_numbers, first_number, last_number, read_number


def values(text, decimal="."):
    return [str(number.value) for number in find_numbers(text, decimal)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # plain
        ("42", "42"),
        ("42.", "42"),
        ("3.50", "7/2"),
        (".5", "1/2"),
        ("007", "7"),
        ("+7", "7"),
        ("The answer is 42.", "42"),
        ("**42**", "42"),
        ("$42$", "42"),
        ("\\(42\\)", "42"),
        ("\\boxed{42}", "42"),
        ("#### 42", "42"),
        ("x=42", "42"),
        ("(42)", "42"),
        ("答案是42。", "42"),
        ("정답은 42입니다", "42"),
        # signs
        ("-5", "-5"),
        ("−5", "-5"),
        ("–5", "-5"),
        ("x = -5", "-5"),
        ("(-5)", "-5"),
        ("**-5**", "-5"),
        ("- 5", "5"),  # an item of a list
        # thousands
        ("1,234", "1234"),
        ("12,345,678.9", "123456789/10"),
        ("1{,}234", "1234"),
        ("1\\,234", "1234"),
        ("1,\\!234", "1234"),
        ("1~234", "1234"),
        ("1_234_567", "1234567"),
        ("1'234'567", "1234567"),
        ("1’234", "1234"),
        ("1\u00a0234", "1234"),
        ("1\u202f234", "1234"),
        ("12 345", "12345"),
        ("250 000 km", "250000"),
        ("5 000 000", "5000000"),
        ("1,00,000", "100000"),
        ("12,34,567", "1234567"),
        ("1.234.567", "1234567"),
        ("1.234.567,89", "123456789/100"),
        # signs in words
        ("minus 5", "-5"),
        ("Negative 2.5", "-5/2"),
        ("It is minus $5", "-5"),
        ("fell to minus 1,200 m", "-1200"),
        ("the answer is **negative 5**", "-5"),
        ("x = minus 1/2", "-1/2"),
        ("x minus 5", "5"),
        ("he tested negative 3 times", "3"),
        # money
        ("$5", "5"),
        ("\\$5", "5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("US$5", "5"),
        ("USD 5", "5"),
        ("€1,000.50", "2001/2"),
        ("5 €", "5"),
        ("Rs. 500", "500"),
        ("₹1,00,000", "100000"),
        # percent
        ("50%", "50"),
        ("50 %", "50"),
        ("50\\%", "50"),
        ("50 percent", "50"),
        ("0.5 per cent", "1/2"),
        # fractions
        ("1/2", "1/2"),
        ("-3/4", "-3/4"),
        ("1 / 3", "1/3"),
        ("1 1/2", "3/2"),
        ("-1 1/2", "-3/2"),
        ("\\frac{1}{2}", "1/2"),
        ("-\\dfrac{3}{4}", "-3/4"),
        ("\\frac{-3}{4}", "-3/4"),
        ("\\frac12", "1/2"),
        ("1\\frac{1}{2}", "3/2"),
        ("\\frac{1,000}{3}", "1000/3"),
        ("½", "1/2"),
        ("1½", "3/2"),
        ("1⁄2", "1/2"),
        # powers of ten
        ("1.5e3", "1500"),
        ("1E-2", "1/100"),
        ("1.5 x 10^3", "1500"),
        ("1.5 × 10^{3}", "1500"),
        ("1.5 \\times 10^{-3}", "3/2000"),
        ("-2\\cdot10^4", "-20000"),
        ("3*10**8", "300000000"),
        ("3×10⁸", "300000000"),
        ("10^6", "1000000"),
        ("10⁻³", "1/1000"),
        # scales
        ("3 million", "3000000"),
        ("1.5 billion", "1500000000"),
        ("120k", "120000"),
        ("$5M", "5000000"),
        ("$2.5B", "2500000000"),
        ("5M", "5"),
        # units
        ("18 dollars", "18"),
        ("5km", "5"),
        ("5 m^2", "5"),
        ("5 m²", "5"),
        ("5\\text{ cm}^2", "5"),
        ("60 km/h", "60"),
        ("37°C", "37"),
        ("\\boxed{45^\\circ}", "45"),
        ("45^{\\circ}", "45"),
        ("45\\degree", "45"),
        ("the 3rd", "3"),
        # digits of other scripts
        ("４２", "42"),
        ("३५", "35"),
        ("٣٫٥", "7/2"),
        ("٤٢", "42"),
    ],
)
def test_one_number(text, value):
    assert values(text) == [value]
    number = read_number(text)
    assert number is not None
    assert str(number.value) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1, 2 and 3", ["1", "2", "3"]),
        ("1,2,3", ["1", "2", "3"]),
        ("(3, -4)", ["3", "-4"]),
        ("100 200 300", ["100", "200", "300"]),
        ("3 12 345 6", ["3", "12", "345", "6"]),
        ("5-10", ["5", "10"]),
        ("5–10", ["5", "10"]),
        ("12:45", ["12", "45"]),
        ("3/4/2020", ["3", "4", "2020"]),
        ("2020-01-05", ["2020", "1", "5"]),
        ("5 + 7 = 12", ["5", "7", "12"]),
        ("5 - 7 = -2", ["5", "7", "-2"]),
        ("2^10 = 1024", ["1024"]),
        ("r^2 = 0.95", ["19/20"]),
        ("$x_{1} = 3$, $x_2 = 4$", ["3", "4"]),
        ("\\sqrt{2} is about 1.41", ["141/100"]),
        # nothing
        ("", []),
        ("none", []),
        ("GPT-4", []),
        ("H2O and CO2", []),
        ("x2", []),
        ("1.2.3", []),
        ("2^{10}", []),
        ("2**10", []),
        ("2\\sqrt{3}", []),
        ("2√3", []),
        ("2π", []),
        ("1/0", []),
        ("\\frac{1}{0}", []),
        ("1e999999999", []),
        ("10^{999999999}", []),
        ("9" * 2000, []),
        ("nan, inf, Infinity", []),
        ("²³", []),
    ],
)
def test_several_or_none(text, expected):
    assert values(text) == expected
    assert (read_number(text) is None) == (len(expected) != 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3,5", ["7/2"]),
        ("1.234,5", ["2469/2"]),
        ("1 234,5", ["2469/2"]),
        ("1.234", ["1234"]),
        ("1,234,567.8", ["6172839/5"]),
        ("1, 2", ["1", "2"]),
    ],
)
def test_decimal_comma(text, expected):
    assert values(text, ",") == expected


def test_first_and_last():
    text = "First 2.5, then 3, then 4.0, then 1/2"
    assert first_number(text).text == "2.5"
    assert last_number(text).text == "1/2"
    assert first_number(text, whole=True).text == "3"
    assert last_number(text, whole=True).text == "4.0"
    assert last_number("7.5", whole=True) is None
    assert first_number("none") is None


def test_the_attributes_of_a_number():
    number = read_number("about 1,200 km away")
    assert (number.text, number.after, number.percent, number.whole) == ("1,200", " km away", False, True)
    assert read_number("12.5 %").percent


@given(st.text())
def test_never_raises(text):
    numbers = list(find_numbers(text))
    assert all(isinstance(number.value, Fraction) for number in numbers)
    assert last_number(text) == (numbers[-1] if numbers else None)


@given(st.text(alphabet="0123456789.,-+/eE^{}()\\frac% x×*10 ½²$kM'_\u00a0", max_size=60))
def test_never_raises_on_what_looks_like_numbers(text):
    list(find_numbers(text))
    list(find_numbers(text, ","))


@given(st.integers(-(10**30), 10**30))
def test_integers_in_all_groupings(number):
    for written in (str(number), f"{number:,}", f"{number:_}", f"{number:,}".replace(",", "\u202f")):
        assert [found.value for found in find_numbers(f"It is {written}.")] == [number]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9))
def test_decimals(number):
    assert read_number(f"{number:f}").value == Fraction(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats(number):
    assert read_number(repr(number)).value == Fraction(repr(number))


PIECES = [
    "1",
    "1,111",
    "1,11,",
    "11 111 ",
    "1/",
    "1.1.",
    "1.111",
    "^1",
    "-",
    "$1",
    "\\frac{",
    "\\frac{1}{2",
    "{,}",
    "US",
]


def seconds(text):
    times = []
    for _ in range(3):
        start = time.process_time()
        list(find_numbers(text))
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("piece", [*PIECES, *map("".join, itertools.pairwise(PIECES))])
def test_time_grows_as_the_length_does(piece):
    short, long = (seconds(piece * (length // len(piece))) for length in (4_000, 32_000))
    assert long < 8 * short * 3 + 0.01
