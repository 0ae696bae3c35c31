"""Tests of reading the program in an answer."""

# ruff: noqa: E501 -- answers are easier to read on one line

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_code.answers import code_blocks, read_program

START = 'from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    """Add two numbers."""\n'
TEXTS = {
    "whole function in a block": "Sure!\n\n```python\ndef add(a, b):\n    return a + b\n```\n\nIt adds.",
    "block without a language": "```\ndef add(a, b):\n    return a + b\n```",
    "upper case language, words after it": "```Python title=x\ndef add(a, b):\n    return a + b\n```",
    "tildes": "~~~py\ndef add(a, b):\n    return a + b\n~~~",
    "windows line ends": "```python\r\ndef add(a, b):\r\n    return a + b\r\n```\r\n",
    "indented in a list": "1. Code:\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n",
    "example of use in another block": "```python\ndef add(a, b):\n    return a + b\n```\nUse:\n```python\nadd(1, 2)\n```",
    "shell block first": "```bash\npip install x\n```\n```python\ndef add(a, b):\n    return a + b\n```",
    "a better one later": "```python\ndef add(a, b):\n    return a - b\n```\nNo:\n```python\ndef add(a, b):\n    return a + b\n```",
    "unclosed block": "```python\ndef add(a, b):\n    return a + b\n",
    "unclosed block, cut off in a second function": "```python\ndef add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return (a -",
    "block that began in the prompt": "def add(a, b):\n    return a + b\n```\nIt adds.",
    "body in a block that began in the prompt": "    return a + b\n```\nIt adds.",
    "no block": "def add(a, b):\n    return a + b\n",
    "no block, prose around": "Here it is:\n\ndef add(a, b):\n    return a + b\n\nThis adds the numbers.",
    "import before it": "Here it is:\nimport math\n\ndef add(a, b):\n    return math.fsum([a, b])\n",
    "body in a block": "```python\n    return a + b\n```",
    "body in a block, not indented": "```python\nreturn a + b\n```",
    "body": "    return a + b\n",
    "body, stripped": "return a + b",
    "body of two lines, stripped": "total = a + b\n    return total",
    "body with a block of its own, not indented": "if a:\n    return a + b\nreturn b",
    "body, then prose": "    return a + b\n\nThis adds the numbers.",
    "body, then another function cut off": "    return a + b\n\n\ndef sub(a, b):\n    return (a",
    "reasoning before": "<think>\n```python\ndef add(a, b):\n    return 0\n```\n</think>\n```python\ndef add(a, b):\n    return a + b\n```",
    "assigned": "```python\nadd = lambda a, b: a + b\n```",
    "type of the start used without its import": "```python\ndef add(a: List, b: List) -> List:\n    return a + b\n```",
    "future import": "```python\nfrom __future__ import annotations\ndef add(a: int, b: int):\n    return a + b\n```",
    "escape that Python warns of": '```python\ndef add(a, b):\n    "\\d"\n    return a + b\n```',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_function_is_found(text):
    program = read_program(text, entry_points=["add"], start=START)
    names = {}
    with warnings.catch_warnings(action="ignore"):  # about the escape
        exec(program, names)  # noqa: S102
    assert names["add"](2, 3) == 5


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("[BEGIN]\nx = 1\n[DONE]\nMore.", "x = 1\n"),
        ("x = 1\n[DONE]\nx = 2", "x = 1\n"),
        ("[BEGIN]\n```python\nx = 1\n```\n[DONE]", "x = 1\n"),
        (
            "Read the numbers.\n```python\nprint(input())\n```\nThen:\n```python\nprint(int(input()))\n```",
            "print(int(input()))\n",
        ),
        ("```python\nprint(1)\n```\nIt prints:\n```text\n1\n```", "print(1)\n"),
        ("print(input())", "print(input())\n"),
        (
            "The program:\n\nimport sys\nprint(sys.stdin.read())\n\nIt copies.",
            "import sys\nprint(sys.stdin.read())\n\n",
        ),
    ],
)
def test_the_last_program_is_read_without_an_entry_point(text, program):
    assert read_program(text) == program


@pytest.mark.parametrize(
    "text", ["", "  \n", "I cannot do that.", "Sorry", "The answer is 5.", "<think>def add(a, b): return 1"]
)
@pytest.mark.parametrize(("entry_points", "start"), [([], ""), (["add"], ""), (["add"], START)])
def test_an_answer_without_code_has_no_program(text, entry_points, start):
    assert read_program(text, entry_points=entry_points, start=start) is None


def test_broken_code_is_not_skipped_for_the_code_after_it():
    text = "def half(n):\n    return (n / 2\n\n\ndef add(a, b):\n    return a + b\n"
    assert read_program(text, entry_points=["add"]) is None


def test_a_block_that_is_not_python_is_an_answer():
    assert read_program("```python\ndef add(a b): retur\n```", entry_points=["add"], start=START).endswith(
        "def add(a b): retur\n"
    )
    assert read_program("```js\nlet add = 1\n```", entry_points=["add"], start=START) == "let add = 1\n"


@given(
    st.lists(
        st.sampled_from(["```", "```python", "~~~", "def add(a, b):", "    return a", "words", "", "[DONE]"]),
        max_size=12,
    )
)
def test_any_text_is_read(lines):
    text = "\n".join(lines)
    for block in code_blocks(text):
        assert all(line in lines for line in block.code.splitlines())
    program = read_program(text, entry_points=["add"], start=START)
    assert program is None or program.strip()


@given(st.text())
def test_a_program_from_plain_text_is_valid_python(text):
    program = read_program(text)
    if program is not None and "```" not in text and "~~~" not in text:
        assert ast.parse(program)
