"""Becomes `bench`, in a child of a process that has imported the engine: that alone takes seconds.

`runpy` runs it, with `ARGUMENTS`, `FOLDER`, `VARIABLES` and `OUTPUT`, a path without suffix, among its globals.
"""

import atexit
import os
import sys

from openbench.cli.main import run


def become(arguments: list[str], folder: str, variables: dict[str, str], output: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[:0] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
    for descriptor, suffix in ((1, "out"), (2, "err")):
        file = os.open(f"{output}.{suffix}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, descriptor)
        os.close(file)
    sys.argv = ["bench", *arguments]
    code = run()
    atexit._run_exitfuncs()  # as Python would; multiprocessing does not
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


become(ARGUMENTS, FOLDER, VARIABLES, OUTPUT)  # noqa: F821 - given by who runs this
