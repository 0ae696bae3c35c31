"""How calls are read from text, and what is taken for a call that cannot be read."""

import pytest

from openbench_tools.calls import Call, is_attempt, parse_calls, read_calls, write_calls


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("f()", {}),
        ("f(a=-1, b=+2, c=2*60 + 1, d=7 // 2)", {"a": -1, "b": 2, "c": 121, "d": 3}),
        ("f(a=True, b=None, c='x' + 'y', d=...)", {"a": True, "b": None, "c": "xy", "d": "..."}),
        ("f(a=[1, (2, 3)], b={'k': [1]})", {"a": [1, (2, 3)], "b": {"k": [1]}}),
        ("f(a=name, b=some.thing, c=data['x'], d=g(), e=g(h=1))",
         {"a": "name", "b": "some.thing", "c": "data['x']", "d": "g()", "e": {"g": {"h": 1}}}),
        (r"f(a='\d')", {"a": r"\d"}),
    ],
)  # fmt: skip
def test_values(text, arguments):
    assert parse_calls(text) == [Call("f", arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "", "f", "'f'", "f(", "f(a=b for b in c)", "f(a=lambda: 1)", "f(a=not True)", "f(a=f'{b}')", "f(a=-'x')",
        "f(a=1/0)", "f(a=10**10**10)", "f(a=2**9999999)", "f(a=9**99*9**99)", "f(a={[1]: 2})", "f(a={**b})",
        "f(a=1 if b else 2)", "f()()", "f(" * 5000, "f(a=" + "9" * 5000 + ")", "f(a='\0')",
    ],
)  # fmt: skip
def test_what_is_no_list_of_calls(text):
    with pytest.raises(ValueError, match=r"^(not |arithmetic)"):
        parse_calls(text)


def test_nothing_is_run(tmp_path):
    target = tmp_path / "made"
    text = f"f(a=__import__('pathlib').Path({str(target)!r}).touch())"
    assert parse_calls(text)[0].arguments["a"].startswith("__import__")
    assert not target.exists()


@pytest.mark.parametrize(
    "text",
    [
        "[m.f(a=1), g()]", "m.f(a=1), g()", "`[m.f(a=1), g()]`", "```python\n[m.f(a=1),\n g()]\n```", "[m.f(a=1), g()",
        "<think>[h()]</think>\n[m.f(a=1), g()]", "These calls do it:\n\n[m.f(a=1), g()]\n\nEnjoy.",
        "Like this:\n```\n[m.f(a=1), g()]\n```\nThat is all.", "> **[m.f(a=1), g()]**",
    ],
)  # fmt: skip
def test_where_calls_are_read(text):
    assert write_calls(read_calls(text)) == "[m.f(a=1), g()]"


def test_an_empty_list_is_an_answer_without_a_call_and_words_are_none():
    assert read_calls("[]") == []
    assert read_calls("None of these fits: []") is None
    assert read_calls("No function fits.") is None


@pytest.mark.parametrize(
    ("text", "attempt"),
    [
        ("No function fits.", False),
        ("`m.f()` needs a width, and m.f(a, b) takes two. Is it wide (as a=1)?", False),
        ('A "name": "Ann" is in the question.', False),
        ("See [the manual](https://example.org).", False),
        ("<think>m.f(a=1)?</think> No function fits.", False),
        ("I call m.f(a=1).", True),
        ("m.f('x'", True),
        ('<tool_call>\n{"f": 1}', True),
        ("<|tool▁calls▁begin|>f", True),
        ("[TOOL_CALLS] []", True),
        ('{"name": "m.f"}', True),
        ('{"function": "h", "arguments": {"a": 1}}', True),
        ("['m.f'(a=1)]", True),
        ("[h(a=1), ...]", True),
    ],
)
def test_what_is_meant_as_a_call(text, attempt):
    assert is_attempt(text, ["m.f", "m_f"]) is attempt
