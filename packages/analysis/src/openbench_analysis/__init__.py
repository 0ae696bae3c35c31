"""Compares runs of benchmarks: what their scores say, and what they do not.

Importing this package costs nothing: what needs inspect-ai, numpy or pandas is imported when it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openbench_analysis.frames import Frames, frames_of, load
    from openbench_analysis.runs import Run, SampleResult, find_logs, read_run, read_runs
    from openbench_analysis.study import Study
    from openbench_analysis.study import study as compare
    from openbench_analysis.systems import System, read_systems

__all__ = [
    "Frames",
    "Run",
    "SampleResult",
    "Study",
    "System",
    "compare",
    "find_logs",
    "frames_of",
    "load",
    "read_run",
    "read_runs",
    "read_systems",
]

_PLACES = {
    "frames": ["Frames", "frames_of", "load"],
    "runs": ["Run", "SampleResult", "find_logs", "read_run", "read_runs"],
    "study": ["Study"],
    "systems": ["System", "read_systems"],
}
_MODULES = {name: (module, name) for module, names in _PLACES.items() for name in names} | {
    "compare": ("study", "study")
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _MODULES[name]
    return getattr(importlib.import_module(f"{__name__}.{module}"), attribute)


def __dir__() -> list[str]:
    return __all__
