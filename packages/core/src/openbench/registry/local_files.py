"""Which files a local eval is made of: those that it imports, and those that it names to read them."""

import ast
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from pathlib import Path

MOST_FILES = 1_000
"""Files that are looked at in one folder."""

_LOG = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')


def files_below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, sorted, without what is hidden, caches, installed packages, logs and runs."""
    for root, folders, names in os.walk(folder):
        if "run.0.jsonl" in names or "pyvenv.cfg" in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in {"__pycache__", "node_modules"})
        yield from (path for name in sorted(names) if name[0] != "." and not _is_output(path := Path(root, name)))


def named_files(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Return files, what their Python imports or names, and what that imports or names in turn, each once.

    A name is a path or a pattern, from the folder of the eval or of the Python file; a folder's is that of all in it.
    """
    waiting = [path.resolve() for path in sources]
    found = dict.fromkeys(waiting)
    for source in waiting:  # which grows
        for name in _names(source):
            for base in {source.parent, folder}:
                with suppress(OSError, ValueError):  # a text that can be no path
                    waiting += (new := [path for path in _files(base, name) if path not in found])
                    found |= dict.fromkeys(new)
    return list(found)


def _files(base: Path, name: str) -> Iterator[Path]:
    for path in islice(base.glob(name), MOST_FILES) if "*" in name else [base / name]:
        inside = islice(files_below(path), MOST_FILES) if path.is_dir() else [path]
        yield from (each.resolve() for each in inside if each.is_file() and not _is_output(each))


def _names(source: Path) -> set[str]:
    """Return the modules and the texts of a Python file, as paths; a value in an f-string is a star."""
    names: set[str] = set()
    with suppress(SyntaxError, ValueError, OSError):
        for node in ast.walk(ast.parse(source.read_bytes() if source.suffix == ".py" else b"")):
            if isinstance(node, ast.Import | ast.ImportFrom):
                above, module = "../" * (getattr(node, "level", 1) - 1), getattr(node, "module", None)
                paths = [f"{module}.{each.name}" if module else each.name for each in node.names]
                steps = [above + step for path in paths for step in accumulate(path.split("."), posixpath.join)]
                names.update(step + end for step in steps for end in (".py", "/__init__.py"))
            elif isinstance(node, ast.JoinedStr):
                parts = (str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
                names.add(re.sub(r"\*+", "*", "".join(parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names |= {node.value, source.stem + node.value if node.value[:1] == "." else ""}  # or a suffix
    return {name for name in names if re.match(r"(?!/).*\w", name) and ("." in name or "*" not in name)}


def _is_output(path: Path) -> bool:
    """Return whether a file is a log, or made by Python of another one."""
    if path.suffix != ".json":
        return path.suffix in {".eval", ".log", ".pyc"}
    try:
        with path.open("rb") as file:
            return bool(_LOG.match(file.read(64)))
    except OSError:
        return True
