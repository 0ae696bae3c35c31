"""Which values and calls count as the accepted ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_tools.calls import Call, parse_calls, write_calls
from openbench_tools.matching import check_types, first_accepted, mismatch, value_fits

FUNCTION = {
    "name": "m.f",
    "description": "",
    "parameters": {
        "type": "dict",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a"],
    },
}


def schema(kind, items=None):
    return {"type": kind, **({"items": {"type": items}} if items else {})}


@pytest.mark.parametrize(
    ("kind", "accepted", "fitting", "unfit"),
    [
        (schema("integer"), [5], [5], [5.0, "5", True, None]),
        (schema("integer"), [1], [1], [True]),
        (schema("float"), [5.0, 2], [5, 5.0, 2.0], ["5", True]),
        (schema("boolean"), [True], [True], [1, "True"]),
        (schema("string"), ["New York, NY"], ["new york ny", "NEW_YORK,NY", "New York-NY."], ["New York; NY", 3]),
        (schema("string"), ["it's"], ['it"s'], ["its"]),
        (schema("string"), ["", None], ["", None], ["x"]),
        (schema("any"), ["x"], ["X"], [1]),
        (schema("array", "string"), [["a b", "C"]], [["A-B", "c"]], [["c", "ab"], ("ab", "c"), ["ab"], "ab"]),
        (schema("array", "float"), [[1.5, 2.0]], [[1.5, 2.0]], [[1.5, 2]]),
        (schema("array", "float"), [[1, 2]], [[1, 2], [1.0, 2.0]], [["1", 2]]),
        (schema("tuple", "integer"), [[1, 2]], [(1, 2), [1, 2]], [(2, 1)]),
        (schema("array", "integer"), ["", [1]], [[], [1]], [[2]]),
        (schema("array", "string"), ["names"], ["names"], ["Names", ["names"]]),
        (
            schema("dict"),
            [{"k": ["v", "w"], "n": [1, ""]}],
            [{"k": "V"}, {"k": "w", "n": 1}],
            [{}, {"k": "x"}, {"k": "v", "z": 1}, "v"],
        ),
        (
            schema("array", "dict"),
            [[{"k": [1]}, {"k": [2]}]],
            [[{"k": 1}, {"k": 2}]],
            [[{"k": 2}, {"k": 1}], [{"k": 1}], [1, 2]],
        ),
    ],
)
def test_values(kind, accepted, fitting, unfit):
    assert [value for value in fitting if not value_fits(value, kind, accepted)] == []
    assert [value for value in unfit if value_fits(value, kind, accepted)] == []


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("m.f(a=1, b='X')", None),
        ("m.f(a=1)", None),
        ("m.f(b='x')", "m.f: the required 'a' is missing"),
        ("m.f(a=2)", "m.f: a=2 is not accepted"),
        ("m.f(a=1, c=1)", "m.f: 'c' is unexpected"),
        ("m.f(1)", "m.f: 1 arguments have no name"),
        ("m_f(a=1)", "m_f is called, not m.f"),
        ("m.f(a=1), m.f(a=1)", "2 calls where 1 are expected"),
        ("[]", "0 calls where 1 are expected"),
    ],
)
def test_calls(call, why):
    assert mismatch(parse_calls(call), [FUNCTION], [{"m.f": {"a": [1], "b": ["x", ""]}}]) == why


def test_a_parameter_that_may_not_be_left_out_is_needed():
    assert mismatch([Call("m.f", {"a": 1})], [FUNCTION], [{"m.f": {"a": [1], "b": ["x"]}}]) == "m.f: 'b' is missing"


def test_several_calls_in_any_order_also_where_the_first_fit_would_use_up_a_call_that_another_needs():
    accepted = [{"m.f": {"a": [1, 2]}}, {"m.f": {"a": [1]}}]
    for calls in ("m.f(a=1), m.f(a=2)", "m.f(a=2), m.f(a=1)", "m.f(a=1), m.f(a=1)"):
        assert mismatch(parse_calls(calls), [FUNCTION], accepted) is None
    why = mismatch(parse_calls("m.f(a=2), m.f(a=2)"), [FUNCTION], accepted)
    assert why == "no call is left for m.f (call 2 of 2)"


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="f: the parameter 'x' has the type 'ArrayList'; expected one of string, int"):
        check_types([{"name": "f", "parameters": {"properties": {"x": {"type": "ArrayList"}}}}])


TEXTS = st.text("abc XY,.'\"\\_é", max_size=6)
SCALARS = {"integer": st.integers(-99, 99), "float": st.floats(-9, 9), "boolean": st.booleans(), "string": TEXTS}


@st.composite
def offered(draw):
    """Return a function, and what it accepts for each of its parameters."""
    properties, accepted, required = {}, {}, []
    for name in draw(st.lists(st.sampled_from("pqrst"), unique=True)):
        kind = draw(st.sampled_from([*SCALARS, "array", "dict"]))
        items = draw(st.sampled_from([*SCALARS]))
        filled = st.lists(SCALARS[items].filter(bool), min_size=1)
        value = {
            "array": st.lists(SCALARS[items], min_size=1, max_size=3),
            "dict": st.fixed_dictionaries({"k": filled}, optional={"l": filled}),
        }.get(kind, SCALARS.get(kind))
        values = draw(st.lists(value.filter(lambda each: each != ""), min_size=1, max_size=2))
        optional = draw(st.booleans())
        properties[name] = schema(kind, items if kind == "array" else None)
        accepted[name] = [*values, ""] if optional else values
        required += [] if optional else [name]
    return {"name": "f", "parameters": {"properties": properties, "required": required}}, {"f": accepted}


@given(offered())
def test_an_example_of_the_accepted_calls_is_accepted_as_it_is_and_as_text(offer):
    function, accepted = offer
    call = first_accepted(accepted, [function])
    assert mismatch([call], [function], [accepted]) is None
    assert mismatch(parse_calls(write_calls([call])), [function], [accepted]) is None
    assert mismatch([Call("f", {**call.arguments, "other": 1})], [function], [accepted]) == "f: 'other' is unexpected"
