"""Runs `bench` command lines in forked children of a process that has already imported everything.

An evaluation imports for five seconds and runs for one. Each line on stdin is a JSON object (`arguments`, `cwd`,
`environment`, `output`, `seconds`, and `user`, a user's id or null); each is answered by a line with the child's exit
code, negative for a signal. A line `{"import": [names]}` imports modules for all later children, and is answered by 0.
A child is a separate process with its own environment, directory, standard streams and signals.
"""

import atexit
import contextlib
import importlib
import json
import os
import signal
import sys
from typing import Any

from openbench.cli.main import main as bench
from openbench.registry import versions

# inspect announces the hooks that exist when the first model is created, so these are imported late, as in real runs.
HOOKS = (
    "openbench.run.hooks",
    "openbench_retries.hooks",
    "openbench_fast.inspect_bootstrap",
    "openbench_fast.backoff",
)
LATE = (*HOOKS, "openbench_local_", "_cython")
FIRST = ["inspect_ai", "inspect_ai.model"]  # the slowest imports, done before the first child
FIRST_PAUSE = 0.05
"""The pause before the first retry in every child, in seconds, a tenth of that for users."""
# The functions that cache which distributions are installed.
_INSTALLED = [found for found in vars(versions).values() if hasattr(found, "cache_clear")]


def main() -> None:
    """Answer lines until stdin ends; the first line, a small evaluation, determines what to import."""
    learn = True
    _import_all(FIRST)
    for line in sys.stdin:
        request = json.loads(line)
        if "import" in request:
            _import_all(request["import"])
            _answer(0)
            continue
        read, write = os.pipe() if learn else (-1, -1)
        child = os.fork()
        if child == 0:
            code = _become(request)
            if learn:
                with os.fdopen(write, "w") as pipe:
                    json.dump([*sys.modules], pipe)
            _leave(code)
        if learn:
            os.close(write)
            with os.fdopen(read) as pipe:
                _import_all(json.loads(pipe.read() or "[]"))
            _remember()
        _, status = os.waitpid(child, 0)
        learn = False
        _answer(os.waitstatus_to_exitcode(status))


def _answer(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _become(request: dict[str, Any]) -> int:
    signal.alarm(request["seconds"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if added := [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]:
        sys.path[:0] = added
        _forget()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for descriptor, name in ((1, "out"), (2, "err")):
        file = os.open(f"{request['output']}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, descriptor)
        os.close(file)
    if request["user"] is not None:
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
    sys.argv = ["bench", *request["arguments"]]
    try:
        bench()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else ending.code is not None
    return 0


def _remember() -> None:
    """Read Inspect's models, the installed distributions and the answer patterns once for all children."""
    importlib.import_module("inspect_ai.model").get_model_info("openai/gpt-4o")
    phrases = importlib.import_module("openbench.scorers.answer_phrases")
    phrases.patterns_of(phrases.ENGLISH)
    versions.packages()
    versions.local_origins(versions.needed_versions(versions.ALWAYS))
    if retries := sys.modules.get("openbench_retries.policy"):
        vars(retries).update(FIRST_PAUSE=FIRST_PAUSE)


def _forget() -> None:
    """Clear the caches of installed distributions: a child with another path finds other ones."""
    for cached in _INSTALLED:
        cached.cache_clear()


def _leave(code: int) -> None:
    """End the child as Python would, but without clearing a thousand modules one by one."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _import_all(names: list[str]) -> None:
    for name in names:
        if not name.startswith(LATE) and name not in sys.modules:
            with contextlib.suppress(Exception):  # modules created at run time may be missing
                importlib.import_module(name)


if __name__ == "__main__":
    main()
