"""A helper that imports a file beside a local eval."""

from pathlib import Path
from types import ModuleType

from openbench_local.imports import import_file


def import_module_from_same_dir(caller_file: str | Path, module_name: str) -> ModuleType:
    """Import `module_name.py` from the directory of `caller_file` (a module's `__file__`).

    It is imported once, under a name that depends on its path, so several evals may have files of the same name.

    Raises:
        ImportError: There is no such file.
    """
    path = Path(caller_file).resolve().parent / f"{module_name}.py"
    module = import_file(path, module_name)
    if module is None:
        raise ImportError(f"{path} does not exist", name=module_name, path=str(path))
    return module
