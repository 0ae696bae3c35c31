"""Which files an eval is made of: what its Python imports and names, and what lies in its folder."""

import ast
import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

_LOG = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')
_MOST_FILES = 1000
"""Files of a folder that an eval names; one that names a larger folder does not read all of it as its own."""


def files_below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, sorted, without what is hidden, caches, installed packages, logs and runs."""
    for root, folders, names in os.walk(folder):
        if "run.0.jsonl" in names or "pyvenv.cfg" in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in {"__pycache__", "node_modules"})
        yield from (path for name in sorted(names) if name[0] != "." and not _is_output(path := Path(root, name)))


def named_files(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Return files, those that their Python imports or names, and what these import or name in turn, each once.

    A name is a path from the folder of the eval, or of the Python file; that of a folder stands for all files in it.
    """
    found = dict.fromkeys(path.resolve() for path in sources)
    waiting = list(found)
    for source in waiting:  # which grows
        for name in _names(source):
            for base in (source.parent, folder):
                with contextlib.suppress(OSError, ValueError):  # a text that cannot be a path
                    path = (base / name).resolve()
                    inside = islice(files_below(path), _MOST_FILES) if path.is_dir() else [path]
                    new = [each for each in inside if each not in found and each.is_file() and not _is_output(each)]
                    found |= dict.fromkeys(new)
                    waiting += new
    return list(found)


def _names(source: Path) -> set[str]:
    """Return the modules that a Python file imports, as paths, and its texts that may be relative paths."""
    names: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError, OSError):
        for node in ast.walk(ast.parse(source.read_bytes() if source.suffix == ".py" else b"")):
            if isinstance(node, ast.Import | ast.ImportFrom):
                above, module = "../" * (getattr(node, "level", 1) - 1), getattr(node, "module", None)
                for each in node.names:
                    parts = [*(module or "").split("."), *each.name.split(".")]
                    steps = ["/".join(filter(None, parts[:count])) for count in range(1, len(parts) + 1)]
                    names.update(above + step + end for step in steps if step for end in (".py", "/__init__.py"))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"[^/.].*\w", node.value):
                names.add(node.value)
    return names


def _is_output(path: Path) -> bool:
    """Return whether a file is a log, or made by Python of another one."""
    if path.suffix != ".json":
        return path.suffix in {".eval", ".log", ".pyc"}
    try:
        with path.open("rb") as file:
            return bool(_LOG.match(file.read(64)))
    except OSError:
        return True
