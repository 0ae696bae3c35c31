"""Libraries installed by an extra of this package."""

from importlib import import_module
from types import ModuleType

from openbench.errors import UsageError


def library(module: str, extra: str) -> ModuleType:
    """Import a module of an extra.

    Raises:
        UsageError: The extra is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"This scorer needs {module}, which cannot be imported ({error}). "
            f"Install it with: pip install 'openbench-scorers[{extra}]'"
        ) from error
