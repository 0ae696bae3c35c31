"""The styles of a new package, which any distribution can add through the entry-point group `openbench.styles`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openbench.errors import UsageError
from openbench.registry.discovery import STYLES, by_name
from openbench.registry.plugin_loader import load_only
from openbench_testing.new.texts import toml_literal

_KERNEL = "openbench-core"

_TEMPLATES = Path(__file__).parent / "templates"

COMMON = _TEMPLATES / "common"
"""Templates shared by all styles: pyproject.toml, README.md, CHANGELOG.md and others."""


METADATA = (
    "metadata for `bench list` and `bench describe`, and the pin of the rows; it may import only the standard "
    "library and `openbench.metadata`"
)
"""The description of a `metadata.py`."""

_FILES = (
    ("metadata.py", METADATA),
    ("dataset.py", "the columns of a row, and the conversion to a sample"),
    ("task.py", "the benchmark"),
)


@dataclass(frozen=True)
class Style:
    """A style of benchmark packages, as template files.

    Attributes:
        description: One line.
        folders: Folders of templates; a file in a later one replaces an earlier one's. See
            `openbench_testing.new.render` for their paths and values.
        requires: The distributions that the package needs in addition to openbench-core.
        files: The style's own files in the import package, with a description of each for the README.
        pinned_in: The file with the pin and the number of the rows.
    """

    description: str
    folders: Sequence[Path]
    requires: Sequence[str] = ()
    files: Sequence[tuple[str, str]] = _FILES
    pinned_in: str = "metadata.py"

    def values(self) -> dict[str, str]:
        """Return the template values that are the same for all packages of the style."""
        requirements = [f"{name}>=1.0,<2" for name in (_KERNEL, *self.requires)]
        return {
            "dependencies_toml": ", ".join(map(toml_literal, requirements)),
            "depends_on": "openbench-core "
            + (" and ".join(["", *(f"`{name}`" for name in self.requires)]).strip() or "alone"),
            "files": "\n".join(f"| `{name}` | {what} |" for name, what in self.files),
            "pinned_in": self.pinned_in,
        }


MCQ = Style("Questions with lettered options, scored by the letter of the answer.", (COMMON, _TEMPLATES / "mcq"))
GRADED = Style(
    "Questions with a free answer, graded by another model.",
    (COMMON, _TEMPLATES / "graded"),
    requires=("openbench-scorers",),
)


def style_names() -> list[str]:
    """Return the names of the installed styles, sorted, without loading any."""
    return sorted(by_name(STYLES))


def check_style(name: str) -> str:
    """Check that a package provides a style, and return its name.

    Raises:
        UsageError: No installed package provides it.
    """
    if name not in by_name(STYLES):
        raise UsageError(
            f"--style {name}: no installed package provides this style. Installed styles: {', '.join(style_names())}. "
            "Install the package that provides it."
        )
    return name


def load_style(name: str) -> Style:
    """Load one style.

    Raises:
        UsageError: No package provides it, several do, it cannot be loaded, or it is not a style.
    """
    found = by_name(STYLES)[check_style(name)]
    return load_only(f"--style {name}", found, lambda it: it if isinstance(it, Style) else None, "a Style")
