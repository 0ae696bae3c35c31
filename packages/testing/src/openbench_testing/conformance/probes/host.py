"""Forks probes, which saves them the import of Inspect: `python -m …`.

Each line on standard input is a JSON object: `probe`, its `arguments`, its standard `input`, the file for its `errors`,
and its timeout in `seconds`. Each is answered by the probe's exit code, negative for a signal.

An evaluation imports further modules of Inspect and reads its table of models, which takes a second. The host does so
once, after the first probe.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai.model import get_model_info

from openbench_testing.conformance.probes import again, evaluate

IMPORTED = ".imported"
"""The suffix of the file in which the first probe leaves the names of the modules of Inspect that it imported."""

_NEW_OBJECTS = 50_000
"""Objects that are created before the garbage collector runs."""

PROBES: Mapping[str, Callable[..., None]] = {"again": again.main, "evaluate": evaluate.main}


def main() -> None:
    """Answer lines until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_NEW_OBJECTS)
    learned = False
    for line in sys.stdin:
        request = json.loads(line)
        gc.freeze()  # a collection in a probe would copy all that this process holds
        child = os.fork()
        if child == 0:
            _become(request, teaches=not learned)
        _, status = os.waitpid(child, 0)
        if not learned:
            learned = True
            _learn(Path(request["errors"]).with_suffix(IMPORTED))
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(request: dict[str, Any], *, teaches: bool) -> None:
    """Run a probe, and end this process without Python's usual steps, such as waiting for threads.

    A probe that teaches leaves the names of the modules that it imported.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.alarm(request["seconds"])
    errors = os.open(request["errors"], os.O_WRONLY | os.O_CREAT)
    for descriptor, file in ((0, os.open(os.devnull, os.O_RDONLY)), (1, errors), (2, errors)):
        os.dup2(file, descriptor)
    sys.stdin = io.StringIO(request["input"])
    code = 0
    try:
        PROBES[request["probe"]](*request["arguments"])
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else ending.code is not None
    except BaseException:  # noqa: BLE001 - the host continues after any error
        traceback.print_exc()
        code = 1
    if teaches:
        imported = [name for name in sys.modules if name.startswith("inspect_ai.")]
        with contextlib.suppress(OSError):
            Path(request["errors"]).with_suffix(IMPORTED).write_text(json.dumps(imported), "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _learn(imported: Path) -> None:
    """Import the modules of Inspect that the first probe needed: those of plugins are each probe's own."""
    with contextlib.suppress(Exception):
        for name in json.loads(imported.read_text("utf-8")):
            importlib.import_module(name)
        get_model_info("openai/gpt-4o")


if __name__ == "__main__":
    main()
