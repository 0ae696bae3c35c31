"""Verdicts: what tests may use of a program, and the details of programs that fail."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbench_sandbox import Limits, check
from openbench_sandbox.checker import decode, encode, wanted

pytestmark = pytest.mark.anyio

PASSING = {
    "a function": ("def f(x): return x + 1", "def check(candidate):\n    assert candidate(1) == 2\ncheck(f)"),
    "several functions": (
        "def double(x): return 2 * x\ndef half(x): return x / 2",
        "assert half(double(3)) == 3 and isinstance(half(1), float)",
    ),
    "keywords and defaults": ("def f(a, *, b=2): return (a, b)", "assert f(1) == (1, 2) and f(1, b=3) == (1, 3)"),
    "a list that is changed in place": ("def f(x): x.sort(); x.append(9)", "x = [2, 1]\nf(x)\nassert x == [1, 2, 9]"),
    "a dict that is changed in place": ("def f(x): x['b'] = [1]", "x = {}\nassert f(x) is None and x == {'b': [1]}"),
    "a class": (
        "class Solution:\n    def __init__(self, n=0): self.n = n\n    def add(self, x): self.n += x; return self.n",
        "s = Solution(1)\nassert s.add(2) == 3 and s.add(4) == 7 and s.n == 7 and Solution().n == 0",
    ),
    "an instance given back": (
        "class P:\n    def __init__(self, x): self.x = x\ndef far(a, b): return abs(a.x - b.x)",
        "assert far(P(1), P(5)) == 4",
    ),
    "a generator": ("def f(n):\n    yield from range(n)", "assert list(f(3)) == [0, 1, 2] and f(3) != [0, 1, 2]"),
    "a function that is returned": ("def f(n): return lambda x: x + n", "assert f(2)(3) == 5"),
    "an exception of Python's": (
        "def f(): raise ValueError('no')",
        "try:\n    f()\n    raise SystemExit\nexcept ValueError as error:\n    assert str(error) == 'no'",
    ),
    "subclasses of plain types": (
        (
            "import collections, enum\nP = collections.namedtuple('P', 'a b')\nclass E(enum.IntEnum): A = 1\n"
            "def f(): return [P(1, 2), collections.Counter('aab'), E.A, collections.defaultdict(list, a=[1])]"
        ),
        "assert f() == [(1, 2), {'a': 2, 'b': 1}, 1, {'a': [1]}]",
    ),
    "a constant": ("LIMIT = {1: (2, 3)}", "assert LIMIT == {1: (2, 3)}"),
    "a module that the program imports": ("import math\ndef f(): return math.pi", "assert math.isclose(f(), math.pi)"),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int = 1",
        "assert D(5).x == 5",
    ),
    "recursion and memory of calls": (
        "import functools\n@functools.cache\ndef f(n): return n if n < 2 else f(n-1) + f(n-2)",
        "assert f(90) == 2880067194370816120",
    ),
    "prints and input": (
        "def f():\n    print('noise')\n    try: input()\n    except EOFError: return 'end'",
        "assert f() == 'end'",
    ),
}


@pytest.mark.parametrize("case", PASSING)
async def test_tests_may_use(case, kind):
    program, tests = PASSING[case]
    verdict = await check(program, tests, kind=kind)
    assert verdict.outcome == "passed", verdict


@pytest.mark.parametrize(
    ("program", "tests", "detail"),
    [
        ("def f(x): return x", "assert f(1) == 2, 'one'", "AssertionError: one"),
        ("def f(x): return x", "assert g(1) == 2", "NameError: name 'g' is not defined"),
        ("def f(x): raise KeyError(x)", "f('a')", "KeyError: \"'a'\""),
        ("class Own(Exception): pass\ndef f(): raise Own('it')", "f()", "ProgramError: Own: it"),
        ("def f(:", "f()", "SyntaxError: invalid syntax"),
        ("raise OSError('at once')", "f()", "OSError: at once"),
        ("def f(): return bytearray(1 << 30)", "f()", "MemoryError: "),
    ],
)
async def test_the_detail_is_what_ended_the_tests(program, tests, detail):
    verdict = await check(program, tests, limits=Limits(memory=256 << 20))
    assert verdict.outcome == "failed"
    assert verdict.detail.startswith(detail)


async def test_the_detail_names_an_exceeded_limit():
    verdict = await check("import os\ndef f():\n    while True: os.write(1, b'x' * 9999)", "f()")
    assert (verdict.outcome, verdict.detail) == ("failed", "limit exceeded: output")


@pytest.mark.parametrize(
    ("tests", "detail"),
    [
        ("assert f(lambda x: x)", "the tests pass the program a function, which is not plain data"),
        ("assert 1 == 1", "the tests do not use the program"),
    ],
)
async def test_tests_that_cannot_be_run_so_say_nothing_of_the_program(tests, detail):
    verdict = await check("def f(g): return g(1)", tests)
    assert (verdict.outcome, verdict.detail) == ("error", detail)


async def test_tests_that_are_not_python_are_refused():
    with pytest.raises(ValueError, match="the tests are not valid Python: line 2: invalid syntax"):
        await check("def f(): pass", "f()\nassert (=")


async def test_a_function_with_a_name_of_pythons_is_named():
    program = "def sum(a, b): return a + b"
    assert (await check(program, "assert sum(10, 15) == 25", names=["sum"])).outcome == "passed"
    assert (await check(program, "assert sum([10, 15]) == 25 and f()")).outcome == "failed"


def test_the_names_that_tests_want_are_those_that_they_do_not_bind():
    tests = """
import math, os.path as p
from re import match as m
x = [f(y) for y in range(3)]
def check(candidate, *rest):
    local = g(candidate) + len(rest)
    return [z for z in h]
class C: k = q
f2 = lambda a: a + b
"""
    assert wanted(tests) == {"f", "g", "h", "q", "b"}


plain = (
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text()
        | st.binary()
        | st.complex_numbers(allow_nan=False),
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
        max_leaves=20,
    )
    | st.sets(st.integers())
    | st.frozensets(st.text())
)


def refuse(value):
    raise AssertionError(value)


@settings(deadline=None)
@given(plain)
def test_plain_data_comes_as_it_was(value):
    import json

    sent = json.loads(json.dumps(encode(value, refuse)))
    back = decode(sent, refuse)
    assert back == value
    assert repr(back) == repr(value) or isinstance(value, set | frozenset)
