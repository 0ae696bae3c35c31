"""Runs tests of a program in a jail; the program cannot forge the verdict.

There are two processes. One runs the tests and never a line of the program; it cannot be inspected, and it alone knows
the word that makes a verdict valid. The other, forked before the first has read anything, runs the program. All calls
and results pass between them as plain data. A program can answer, fail to answer, or kill; it cannot see the expected
results, change the comparison, or end the tests early.

Standard library only.
"""

import builtins
import itertools
import json
import os
import socket
import symtable
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from openbench_sandbox import kernel

MOST_ITEMS = 1_000_000
MOST_BYTES = 64 << 20
"""The maximum size of an answer."""

Keep = Callable[[Any], int]
"""Assigns a number to a value that is not plain data."""
Find = Callable[[Any], Any]
"""Returns the value of a number."""


class CannotBeSentError(Exception):
    """The tests pass an object to the program that is not plain data."""


class ProgramError(Exception):
    """The program raised its own exception, or ended."""


def main() -> NoReturn:
    """Read a word, the program and its tests from standard input; write the word and the verdict to standard output."""
    kernel.set_dumpable(dumpable=False)
    tests_end, program_end = socket.socketpair()
    if os.fork() == 0:
        _run_program(program_end)
    program_end.close()
    task = json.load(sys.stdin)
    verdict = os.dup(1)
    os.dup2(2, 1)
    outcome, detail = _outcome(Program(tests_end), task["program"], task["tests"], task["names"])
    os.write(verdict, f"{task['word']} {json.dumps([outcome, detail])}\n".encode())
    os._exit(0)


def _outcome(program: "Program", source: str, tests: str, names: list[str]) -> tuple[str, str]:
    code = compile(tests, "<tests>", "exec")
    needed = sorted(wanted(tests) | set(names))
    if not needed:
        return "error", "the tests do not use the program"
    try:
        exec(code, {"__name__": "tests", **program.load(source, needed)})  # noqa: S102
    except CannotBeSentError as error:
        return "error", str(error)
    except BaseException as error:  # noqa: BLE001  (any exception means that the tests did not pass)
        return "failed", f"{type(error).__name__}: {error}"[:2000]
    return "passed", ""


def wanted(tests: str) -> set[str]:
    """Return the names that tests use but neither define nor get from Python: those of the program."""
    top = symtable.symtable(tests, "<tests>", "exec")
    scopes, used = [top], set()
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        used |= {
            symbol.get_name()
            for symbol in scope.get_symbols()
            if symbol.is_referenced() and (scope is top or symbol.is_global())
        }
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return used - bound - set(dir(builtins))


class Program:
    """The program, as seen by the tests."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rwb")

    def load(self, source: str, names: list[str]) -> dict[str, Any]:
        """Run the program, and return its objects with these names: functions and classes to call, and plain data.

        Modules are not taken from the program; the standard module of that name is imported instead.
        """
        found = self.ask("load", source, names)
        return {
            name: __import__(value["module"], fromlist=["_"])
            if isinstance(value, dict) and value.get("module") in sys.stdlib_module_names
            else self._decode(value)
            for name, value in found.items()
            if name in names  # no others, which could replace Python's built-in functions
        }

    def ask(self, *request: Any) -> Any:
        """Send a request, and return the raw answer."""
        try:
            self._file.write(json.dumps(request).encode() + b"\n")
            self._file.flush()
            line = self._file.readline(MOST_BYTES)
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise ProgramError("the program ended, or its answer was too large")
        kind, answer = json.loads(line)
        if kind == "value":
            return answer
        name, message = answer
        error = getattr(builtins, str(name), None)
        if isinstance(error, type) and issubclass(error, Exception) and not issubclass(error, UnicodeError):
            raise error(message)
        raise ProgramError(f"{name}: {message}")

    def call(self, target: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the program, and apply its changes to lists, dicts and sets here."""
        value, changed = self.ask("call", target, encode(args, _refuse), encode(kwargs, _refuse))
        for old, new in zip(args, self._decode(changed), strict=False) if changed else ():
            if type(old) is type(new) and isinstance(old, list | bytearray):
                old[:] = new
            elif type(old) is type(new) and isinstance(old, dict | set):
                old.clear()
                old.update(new)
        return self._decode(value)

    def _decode(self, data: Any) -> Any:
        return decode(data, lambda number: Remote(self, number))


class Remote:
    """An object of the program that is not plain data. It equals only itself; attributes and calls are forwarded."""

    def __init__(self, program: Program, number: int) -> None:
        self._program, self._number = program, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it in the program."""
        return self._program.call(self._number, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that the program's object has."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self._program._decode(self._program.ask("attribute", self._number, name))  # noqa: SLF001

    def __iter__(self) -> Iterator[Any]:
        """Iterate over at most a million of its items."""
        return iter(self._program._decode(self._program.ask("items", self._number)))  # noqa: SLF001


def _refuse(value: object) -> int:
    if isinstance(value, Remote):
        return value._number  # noqa: SLF001
    raise CannotBeSentError(f"the tests pass the program a {type(value).__name__}, which is not plain data")


def encode(value: Any, keep: Keep) -> Any:
    """Return a value as JSON data; an object that is not plain data becomes the number that `keep` returns."""
    for kind, plain in _ENCODED:
        if isinstance(value, kind):
            return plain(value, lambda item: encode(item, keep))
    return {"kept": keep(value)}


def decode(data: Any, find: Find) -> Any:
    """Return the value encoded by `encode`."""
    if isinstance(data, list):
        return [decode(item, find) for item in data]
    if not isinstance(data, dict):
        return data
    [(kind, content)] = data.items()
    return find(content) if kind == "kept" else _DECODED[kind](content, lambda item: decode(item, find))


# An instance of a subclass is sent as its base class, read by the base's own methods. bool precedes int, its base.
_ENCODED: tuple[tuple[Any, Callable[[Any, Callable[[Any], Any]], Any]], ...] = (
    (bool | None, lambda value, _: value),
    (int, lambda value, _: int(value) if -1 << 63 < value < 1 << 63 else {"int": hex(value)}),
    (float, lambda value, _: float(value)),
    (str, lambda value, _: str.__str__(value)),
    (complex, lambda value, _: {"complex": [value.real, value.imag]}),
    (dict, lambda value, one: {"dict": [[one(key), one(item)] for key, item in dict.items(value)]}),
    (list, lambda value, one: [one(item) for item in list.__iter__(value)]),
    (tuple, lambda value, one: {"tuple": [one(item) for item in tuple.__iter__(value)]}),
    (set, lambda value, one: {"set": [one(item) for item in set.__iter__(value)]}),
    (frozenset, lambda value, one: {"frozenset": [one(item) for item in frozenset.__iter__(value)]}),
    (bytes, lambda value, _: {"bytes": bytes.hex(value)}),
    (bytearray, lambda value, _: {"bytearray": bytearray.hex(value)}),
)
_DECODED: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "int": lambda content, _: int(content, 16),
    "complex": lambda content, _: complex(*content),
    "dict": lambda content, one: {one(key): one(item) for key, item in content},
    "tuple": lambda content, one: tuple(one(item) for item in content),
    "set": lambda content, one: {one(item) for item in content},
    "frozenset": lambda content, one: frozenset(one(item) for item in content),
    "bytes": lambda content, _: bytes.fromhex(content),
    "bytearray": lambda content, _: bytearray.fromhex(content),
}


def _run_program(connection: socket.socket) -> NoReturn:
    """Answer requests in the program's process; its output goes to standard error."""
    kernel.set_dumpable(dumpable=True)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.dup2(connection.detach(), 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    answer = Answer()
    with open(3, "rb") as requests, open(3, "wb", closefd=False) as answers:
        for line in requests:
            try:
                kind, *rest = json.loads(line)
                reply = json.dumps(["value", getattr(answer, kind)(*rest)])
            except BaseException as error:  # noqa: BLE001  (an exit is also an answer of the program)
                reply = json.dumps(["error", [type(error).__name__, _text(error)]])
            answers.write(reply.encode() + b"\n")
            answers.flush()
    os._exit(0)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except BaseException:  # noqa: BLE001
        return ""


class Answer:
    """The requests that the program's process answers."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def load(self, source: str, names: list[str]) -> dict[str, Any]:
        """Run the program as a module, and return its objects with these names."""
        module = types.ModuleType("program")
        sys.modules["program"] = module
        exec(compile(source, "<program>", "exec"), module.__dict__)  # noqa: S102
        found = {name: module.__dict__[name] for name in names if name in module.__dict__}
        return {
            name: {"module": value.__name__} if isinstance(value, types.ModuleType) else encode(value, self._keep)
            for name, value in found.items()
        }

    def call(self, target: int, args: Any, kwargs: Any) -> list[Any]:
        """Call a kept object; return its value, and the arguments if they changed."""
        given, named = self._decode(args), self._decode(kwargs)
        value = encode(self.kept[target](*given, **named), self._keep)
        now = (
            encode(given, self._keep_none)
            if any(isinstance(arg, list | dict | set | bytearray) for arg in given)
            else args
        )
        return [value, now if now != args else None]

    def attribute(self, target: int, name: str) -> Any:
        """Return an attribute of a kept object."""
        return encode(getattr(self.kept[target], name), self._keep)

    def items(self, target: int) -> Any:
        """Return the items of a kept object."""
        return encode(list(itertools.islice(self.kept[target], MOST_ITEMS)), self._keep)

    def _decode(self, data: Any) -> Any:
        return decode(data, lambda number: self.kept[number])

    def _keep(self, value: Any) -> int:
        self.kept.append(value)
        return len(self.kept) - 1

    def _keep_none(self, value: Any) -> int:
        return next((number for number, kept in enumerate(self.kept) if kept is value), -1)
