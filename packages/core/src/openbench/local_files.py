"""Which files a local eval is made of: those that it imports, and those that it names to read them."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

MOST_FILES = 1_000
"""Files that are looked at in one folder."""

_LOG = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')
_OUTPUTS = {".eval", ".log", ".pyc"}
_MODULE = re.compile(r"\w+(\.\w+)*")
_LONGEST = 255


def files_below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, sorted, without what is hidden, caches, installed packages, logs and runs."""
    for root, folders, names in os.walk(folder):
        if "run.0.jsonl" in names or "pyvenv.cfg" in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in {"__pycache__", "node_modules"})
        yield from (path for name in sorted(names) if name[0] != "." and not _is_output(path := Path(root, name)))


def named_files(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Return files that sources are, import or name, and what these do in turn, each once.

    A text in a Python file names a file or folder if it is its path from the folder of the eval or of that Python file,
    a pattern that it matches, where an f-string has a star for each value, or a suffix in the place of its own.

    Args:
        sources: The files to begin with.
        folder: The folder of the eval.
    """
    found = dict.fromkeys(path.resolve() for path in sources)
    waiting = list(found)
    while waiting:
        source = waiting.pop()
        for text in _texts_of(source):
            for base in {source.parent, folder}:
                with suppress(OSError, ValueError):  # a text that cannot be a path, or a pattern
                    found |= dict.fromkeys(path.resolve() for path in _files(text, base, source))
                    modules = dict.fromkeys(path.resolve() for path in _modules(text, base))
                    waiting += [path for path in modules if path not in found]
                    found |= modules
    return list(found)


def _texts_of(source: Path) -> set[str]:
    try:
        tree = ast.parse(source.read_bytes()) if source.suffix == ".py" else None
    except (SyntaxError, ValueError, OSError):
        return set()
    texts = {text for node in ast.walk(tree) for text in _texts(node)} if tree else set()
    usable = (text for text in texts if len(text) <= _LONGEST and text.isprintable() and not text.startswith("/"))
    return {text for text in usable if any(map(str.isalnum, text))}


def _texts(node: ast.AST) -> Iterator[str]:
    """Return the texts that may name files: of modules, with the folders above, and of constants."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = "../" * (node.level - 1)
        modules = [node.module] if node.module else []
        yield from (above + ".".join([*modules, *more]) for more in ([], *([alias.name] for alias in node.names)))
    elif isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "*" for part in node.values]
        yield re.sub(r"\*+", "*", "".join(map(str, parts)))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _modules(text: str, base: Path) -> Iterator[Path]:
    above, _, name = text.rpartition("../")
    parts = name.split(".") if _MODULE.fullmatch(name) else []
    for end in range(1, len(parts) + 1):
        module = base.joinpath(above, *parts[:end])
        yield from filter(Path.is_file, (module.with_suffix(".py"), module / "__init__.py"))


def _files(text: str, base: Path, source: Path) -> Iterator[Path]:
    if re.fullmatch(r"\.\w+", text):
        yield from filter(Path.is_file, [source.with_suffix(text)])
    elif "*" in text:
        matching = islice(base.glob(text), MOST_FILES) if "." in text and " " not in text else ()
        yield from (path for path in matching if path.is_file() and not _is_output(path))
    elif (path := base / text).is_dir():
        yield from islice(files_below(path), MOST_FILES)
    elif path.is_file() and not _is_output(path):
        yield path


def _is_output(path: Path) -> bool:
    """Return whether a file is a log, or made by Python of another one."""
    if path.suffix != ".json":
        return path.suffix in _OUTPUTS
    try:
        with path.open("rb") as file:
            return bool(_LOG.match(file.read(64)))
    except OSError:
        return True
