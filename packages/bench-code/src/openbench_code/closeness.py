"""A replacement for the parts of numpy that EvalPlus's tests use, since the sandbox lacks numpy."""

import inspect
from typing import Any


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08) -> bool:
    """Return whether numbers, or those at the same places of two lists, differ by at most `atol + rtol * abs(b)`.

    As numpy has it: NaN is close to nothing, and an infinite number to itself. Unlike numpy, lists of different lengths
    are not close, nor is a number to a list.
    """
    if isinstance(a, list | tuple) or isinstance(b, list | tuple):
        return len(a) == len(b) and all(allclose(x, y, rtol, atol) for x, y in zip(a, b, strict=True))
    return bool(a == b or abs(a - b) <= atol + rtol * abs(b) < float("inf"))


NUMPY = f"""\
import sys
from types import ModuleType
from typing import Any


{inspect.getsource(allclose)}

sys.modules["numpy"] = ModuleType("numpy")
sys.modules["numpy"].allclose = allclose
sys.modules["numpy"].ndarray = type("ndarray", (), {{}})  # of which no value is one
"""
"""Python code that creates a module `numpy` for tests that use only these parts."""
