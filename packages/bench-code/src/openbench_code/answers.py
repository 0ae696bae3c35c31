"""Reads the program in an answer: from a block of code, between marks, or from the whole text."""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openbench.scorers.cleaning import strip_reasoning

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_MARKED = re.compile(r"\[BEGIN\](.*?)(?:\[DONE\]|\Z)", re.DOTALL)
_DONE = "[DONE]"
_STARTS = re.compile(
    r"(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[:(]|from\s+[\w.]+\s+import\s+[\w(*]|import\s+[\w., ]+$"
    r"|@\w[\w.]*(?:\(.*\))?$|[A-Za-z_]\w*(?:\s*:\s*[\w\[\], .]+)?\s*=[^=]"
)
"""A line with which a program may begin."""
_MAX_CHARACTERS = 200_000


@dataclass(frozen=True)
class Block:
    """A block of code in an answer.

    Attributes:
        language: The word after the opening fence, in lower case.
        code: The lines between the fences.
        closed: Whether the block has a closing fence; without one, prose may follow the code.
    """

    language: str
    code: str
    closed: bool


def read_program(completion: str, *, entry_points: Sequence[str] = (), start: str = "") -> str | None:
    """Return the Python program in an answer.

    Of several blocks, it is the last one that defines an entry point, else the last one that continues `start`, else
    the last one. Without blocks, it is the part of the text that is valid Python. Code without a marked end, as in a
    truncated answer, is read up to the end of its valid Python.

    Args:
        completion: The answer.
        entry_points: Names of functions or classes; the program should define at least one of them.
        start: The beginning of a function that the model was asked to complete. Whether or not the answer repeats it,
            the program begins with it, so that its imports and definitions are available.

    Returns:
        The program, which may be invalid; None if the answer contains none.
    """
    text = _between_marks(strip_reasoning(completion))[:_MAX_CHARACTERS]
    blocks = [block for block in code_blocks(text) if block.code.strip()]
    programs = [program for block in blocks for program in _programs(block, entry_points, start)]
    for wanted in (_DEFINES, _CONTINUES, _OTHER):
        if found := [program for kind, program in programs if kind == wanted]:
            return found[-1]
    if blocks:
        return blocks[-1].code
    return _bare_program(text, entry_points, start)


def code_blocks(text: str) -> list[Block]:
    """Return the fenced blocks; the first may lack its opening fence, and the last its closing fence."""
    blocks: list[Block] = []
    lines: list[str] = []
    opened: re.Match[str] | None = None
    seen = False
    for line in _lines(text):
        fence = _FENCE.fullmatch(line)
        if fence and opened and fence[2].startswith(opened[2]) and not fence[3]:
            blocks.append(_block(opened, lines, closed=True))
            opened, lines = None, []
        elif fence and not opened:
            if not seen and not fence[3] and _is_python(textwrap.dedent("\n".join(lines))):
                blocks.append(Block("", "\n".join(lines), closed=True))  # the prompt opened it
            else:
                opened = fence
            seen, lines = True, []
        else:
            lines.append(line)
    if opened:
        blocks.append(_block(opened, lines, closed=False))
    return blocks


_DEFINES, _CONTINUES, _OTHER = range(3)


def _programs(block: Block, entry_points: Sequence[str], start: str) -> Iterator[tuple[int, str]]:
    code = block.code if block.closed else _valid_beginning(block.code)
    if defined_names(code) & set(entry_points):
        yield _DEFINES, _with_start(code, start)
    elif start and (whole := _continued(start, block.code, entry_points, cut=not block.closed)):
        yield _CONTINUES, whole
    elif not entry_points and code.strip() and block.language in {"", "py", "python", "python3"}:
        yield _OTHER, code


def _bare_program(text: str, entry_points: Sequence[str], start: str) -> str | None:
    continued = _continued(start, text, entry_points, cut=True) if start else None
    if continued and text.lstrip("\n")[:1].isspace():
        return continued
    lines = _lines(text)
    begins = next((number for number, line in enumerate(lines) if _STARTS.match(line)), 0)
    for number in sorted({0, begins}):
        code = _valid_beginning("\n".join(lines[number:]))
        if defined_names(code) & set(entry_points) or (not entry_points and _is_python(code)):
            return _with_start(code, start)
    return continued


def _continued(start: str, code: str, entry_points: Sequence[str], *, cut: bool) -> str | None:
    """Return the function that `start` begins and `code` continues; None if it has no body."""
    given = len(_body(start, entry_points))
    first, newline, rest = code.strip("\n").partition("\n")
    for body in (
        code.strip("\n"),
        f"    {first.lstrip()}{newline}{rest}",
        textwrap.indent(textwrap.dedent(code), "    "),
    ):
        whole = f"{start.rstrip(' ')}{body}\n" if start.rstrip(" ").endswith("\n") else f"{start}\n{body}\n"
        whole = _valid_beginning(whole) if cut else whole
        if any(map(_does_something, _body(whole, entry_points)[given:])):
            return whole
    return None


def _with_start(code: str, start: str) -> str:
    """Prepend `start` for its imports and definitions; `code` redefines the function that it begins."""
    return code if "from __future__" in code or not parsed(start) else f"{start}\n\n{code}"


def _between_marks(text: str) -> str:
    if marked := _MARKED.findall(text):
        return str(marked[-1]).strip("\n")
    return text.partition(_DONE)[0]


def _block(fence: re.Match[str], lines: Sequence[str], *, closed: bool) -> Block:
    indentation = fence[1]
    code = "".join(line.removeprefix(indentation) + "\n" for line in lines)
    return Block(fence[3].lower(), code, closed)


def _lines(text: str) -> list[str]:
    """Return the lines as Python counts them: a form feed does not end a line."""
    return text.replace("\r\n", "\n").rstrip("\n").split("\n")


def _valid_beginning(code: str) -> str:
    """Return the longest run of leading lines that is valid Python; it may be empty."""
    lines = _lines(code)
    while lines:
        try:
            parse("\n".join(lines))
        except SyntaxError as error:
            lines = lines[: min(len(lines) - 1, max((error.lineno or 1) - 1, 0))]
        except (ValueError, RecursionError, MemoryError):
            return ""
        else:
            return "\n".join(lines) + "\n"
    return ""


def parse(code: str) -> ast.Module:
    """Parse a program without showing Python's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escapes in the model's strings
        return ast.parse(code)


def parsed(code: str) -> Sequence[ast.stmt]:
    """Return the statements of a program; empty if it is not valid."""
    try:
        return parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def defined_names(code: str) -> set[str]:
    """Return the names that a program defines; if it is not valid, the names of its functions and classes."""
    statements = parsed(code)
    if not statements:
        return set(re.findall(r"^(?:async\s+)?(?:def|class)\s+(\w+)", code, re.MULTILINE))
    names: set[str] = set()
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return names


def _is_python(code: str) -> bool:
    """Return whether a text is a program: valid Python, and more than a word that could be a name."""
    return any(_does_something(statement) for statement in parsed(code))


def _body(code: str, entry_points: Sequence[str]) -> Sequence[ast.stmt]:
    """Return the body of the function that is an entry point; empty if there is none."""
    functions = [each for each in parsed(code) if isinstance(each, ast.FunctionDef) and each.name in entry_points]
    return functions[-1].body if functions else ()


def _does_something(statement: ast.stmt) -> bool:
    return not isinstance(statement, ast.Expr) or isinstance(statement.value, ast.Call | ast.Await | ast.Yield)
