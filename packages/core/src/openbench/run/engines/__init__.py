"""Engines: who runs the samples of tasks that are ready.

`inspect` is inspect's own `eval()`, for anything. `direct` is a loop of ours for static benchmarks. A distribution adds
one through the entry-point group `openbench.engines`: the entry point's name is what `bench eval --engine` takes, and
names a subclass of `openbench.run.engines.engine.Engine`.
"""

from openbench.errors import UsageError
from openbench.registry.discovery import ENGINES, by_name

AUTO = "auto"
OURS = frozenset({AUTO, "direct", "inspect"})


def check_name(name: str) -> None:
    """Find out whether there is an engine of a name; nothing is loaded.

    Raises:
        UsageError: There is none.
    """
    known = sorted(OURS | by_name(ENGINES).keys())
    if name not in known:
        raise UsageError(f"--engine {name}: there is no such engine. Known: {', '.join(known)}.")
