"""Published import paths that openbench-compat serves.

`openbench.utils.image` is `openbench_compat.utils.image`, and names that `openbench.utils.text` lacks come from
`openbench_compat.utils.text`. A finder at the end of `sys.meta_path` is only asked for modules that no other finder
has found, so other imports cost nothing, and it works for wheels and editable installs alike.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader
else:  # importing it would take most of the time of `import openbench`
    Loader = object

_OURS, _THEIRS, _DISTRIBUTION = "openbench", "openbench_compat", "openbench-compat"
_FOLDERS = ("openbench.metrics.", "openbench.scorers.", "openbench.utils.")


class CompatFinder(Loader):
    """Finds modules of `openbench` in openbench-compat."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002 - Python's
        """Return the spec of a module."""
        if not fullname.startswith(_FOLDERS):
            return None
        if find_spec(_THEIRS) is None:
            raise ModuleNotFoundError(_missing(f"No module named {fullname!r}"), name=_THEIRS)
        there = find_spec(_counterpart(fullname))
        return ModuleSpec(fullname, self, origin=there.origin) if there else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Use Python's default."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module by that of openbench-compat: both names refer to one module."""
        sys.modules[module.__name__] = import_module(_counterpart(module.__name__))


def fallback(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module, which takes names that the module lacks from openbench-compat."""
    return partial(_attribute, module)


def _attribute(module: str, name: str) -> Any:
    path: list[str] | None = vars(sys.modules[module]).get("__path__")
    if not name.startswith("_") and not (path and PathFinder.find_spec(f"{module}.{name}", path)):
        try:
            return getattr(import_module(_counterpart(module)), name)
        except ModuleNotFoundError as error:
            if error.name != _THEIRS:
                raise
            if path is None:  # a package's name may be a module, whose import then raises
                raise ImportError(_missing(f"cannot import name {name!r} from {module!r}"), name=module) from None
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _counterpart(module: str) -> str:
    return _THEIRS + module.removeprefix(_OURS)


def _missing(what: str) -> str:
    return f"{what}. {_DISTRIBUTION}, which is not installed, may have it: pip install {_DISTRIBUTION}"
