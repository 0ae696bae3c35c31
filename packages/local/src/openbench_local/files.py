"""Finds the files of a local eval: those that its Python files import or name, and those in its folder."""

import ast
import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

_LOG = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')
_MAX_FILES = 1000
"""Maximum number of files in a folder named by an eval; larger folders are not considered part of it."""


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, sorted, without hidden files, caches, installed packages, logs and runs."""
    for root, folders, names in os.walk(folder):
        if "run.0.jsonl" in names or "pyvenv.cfg" in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in {"__pycache__", "node_modules"})
        yield from (path for name in sorted(names) if name[0] != "." and not _is_output(path := Path(root, name)))


def named_files(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Return files together with those that they import or name, recursively, each once.

    A name is a path relative to the folder of the eval or of the Python file. A folder's name stands for all its files.
    """
    found = dict.fromkeys(path.resolve() for path in sources)
    waiting = list(found)
    for source in waiting:  # grows in the loop
        for name in _names(source):
            for base in (source.parent, folder):
                with contextlib.suppress(OSError, ValueError):  # the text is not a path
                    path = (base / name).resolve()
                    inside = islice(files_below(path), _MAX_FILES) if path.is_dir() else [path]
                    new = [each for each in inside if each not in found and each.is_file() and not _is_output(each)]
                    found |= dict.fromkeys(new)
                    waiting += new
    return list(found)


def _names(source: Path) -> set[str]:
    """Return the modules that a Python file imports, as paths, and its string literals that may be relative paths."""
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
    """Return whether a file is a log or compiled Python."""
    if path.suffix != ".json":
        return path.suffix in {".eval", ".log", ".pyc"}
    try:
        with path.open("rb") as file:
            return bool(_LOG.match(file.read(64)))
    except OSError:
        return True
