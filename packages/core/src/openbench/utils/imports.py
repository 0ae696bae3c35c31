"""The published helper that imports a neighbouring file of a local eval."""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def import_module_from_same_dir(caller_file: str | Path, module_name: str) -> ModuleType:
    """Import `module_name.py` from the directory of `caller_file` (a module's `__file__`).

    It is imported once, under a name that depends on its path, so that evals may have files of the same name.

    Raises:
        ImportError: There is no such file.
    """
    path = Path(caller_file).resolve().parent / f"{module_name}.py"
    name = f"{module_name}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"{path} does not exist", name=module_name, path=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
