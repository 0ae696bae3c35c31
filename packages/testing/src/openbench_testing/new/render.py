"""Fills the templates of a style.

A template is a file in one of the style's folders. In its path, `PACKAGE` is replaced by the import package, and `NAME`
by the benchmark's name with underscores. A file that ends in `.tmpl` is filled by `string.Template` with the values of
`Project.values` and `Style.values`, and loses this suffix; other files are copied. If the style has rows in `ROWS`,
there are two more values: `sha256`, their pin, and `samples`, their number.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from openbench.errors import OpenbenchError, UsageError
from openbench_testing.new.names import function_of, package_of
from openbench_testing.new.styles import Style
from openbench_testing.new.texts import python_literal, toml_literal

ROWS = "src/PACKAGE/data/test.jsonl"
"""The rows that are evaluated."""

_SUFFIX = ".tmpl"


@dataclass(frozen=True)
class Project:
    """The options of a new package.

    Attributes:
        name: The benchmark's key.
        distribution: The distribution.
        description: One sentence on one line.
        category: The category that `bench list` groups by.
        homepage: The benchmark's web page.
        overrides: The distribution whose benchmark of this name it overrides; empty for none.
    """

    name: str
    distribution: str
    description: str
    category: str
    homepage: str
    overrides: str = ""

    def values(self) -> dict[str, str]:
        """Return the values for templates; names that end in a language are literals of that language."""
        folder = self.name.replace("-", "_")
        words = folder.replace("_", " ").split()
        overrides, place = "", ""
        if self.overrides:
            overrides = f'    overrides="{self.overrides}",\n'
            place = f"\nIt replaces the `{self.name}` of {self.overrides}.\n"
        return {
            "name": self.name,
            "folder": folder,
            "function": function_of(self.name),
            "class_name": "".join(word[0].upper() + word[1:] for word in words),
            "title": " ".join([words[0][0].upper() + words[0][1:], *words[1:]]),
            "distribution": self.distribution,
            "package": package_of(self.distribution),
            "description": self.description,
            "description_python": python_literal(self.description),
            "description_toml": toml_literal(self.description),
            "category_python": python_literal(self.category),
            "category_toml": toml_literal(self.category),
            "homepage_python": python_literal(self.homepage),
            "homepage_toml": toml_literal(self.homepage),
            "overrides": overrides,
            "overrides_toml": overrides.strip().removesuffix(",").replace("=", " = ") + "\n" if overrides else "",
            "place": place,
        }


def render(style: Style, project: Project) -> dict[str, bytes]:
    """Return the contents of a new package's files by their paths.

    Raises:
        UsageError: The benchmark's name is used by the style's own files.
        OpenbenchError: A template of the style cannot be filled.
    """
    templates = {path: data for folder in style.folders for path, data in _read(folder)}
    values = project.values() | style.values()
    if ROWS in templates:
        rows = templates[ROWS]
        values |= {"sha256": hashlib.sha256(rows).hexdigest(), "samples": str(rows.count(b"\n"))}
    files = {}
    for path, data in templates.items():
        target = path.replace("PACKAGE", values["package"]).replace("NAME", values["folder"]).removesuffix(_SUFFIX)
        files[target] = _filled(path, data, values) if path.endswith(_SUFFIX) else data
        if target.endswith(".py"):
            _check_bound_once(target, files[target], project.name)
    return files


def _read(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _filled(path: str, data: bytes, values: Mapping[str, str]) -> bytes:
    try:
        return Template(data.decode()).substitute(values).encode()
    except KeyError as error:
        problem = f"unknown value {error.args[0]!r}; values: {', '.join(values)}"
    except ValueError as error:
        problem = str(error)
    raise OpenbenchError(f"the template {path}: {problem}. Report this to the authors of the style.")


def _check_bound_once(path: str, source: bytes, name: str) -> None:
    """Refuse a name that hides an import, such as a task function `generate` that calls inspect's."""
    twice = [found for found, times in Counter(_bound(ast.parse(source))).items() if times > 1]
    if twice:
        raise UsageError(
            f"NAME {name!r}: {path} would define {twice[0]} twice, since the style's own code uses that name. "
            f"Choose another, such as {name}-bench."
        )


def _bound(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
