"""The published helper that imports a neighbouring file of a local eval."""

import importlib.util
from pathlib import Path
from types import ModuleType


def import_module_from_same_dir(caller_file: str, module_name: str) -> ModuleType:
    """Import `module_name.py` from the directory of `caller_file` (a module's `__file__`).

    The module is made anew at each call and is not entered in `sys.modules`.

    Raises:
        ImportError: There is no such file.
    """
    path = Path(caller_file).parent / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"{path} does not exist", name=module_name, path=str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
