"""Scorers and solvers by other names than short ones: `file.py@name`, and `package/name` as inspect has it."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path
from types import ModuleType
from typing import Any

from openbench.errors import UsageError
from openbench.registry.components.component import Component
from openbench.registry.components.offers import INSPECT, Factory, Kind, registered_name
from openbench.registry.importing import import_file, make_importable
from openbench.registry.installed import Registered
from openbench.registry.plugins import PluginError
from openbench.registry.problems import described_error, load_problem
from openbench.registry.resolution import ONLY

_GROUP = "inspect_ai"


def component_of_file(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    """Import a file and return a scorer or solver in it: the one that is named, or the only one.

    Raises:
        UsageError: There is no such file, it cannot be imported, or has no such function.
    """
    file, at, name = reference.rpartition("@") if "@" in reference else (reference, "", "")
    try:
        path = (directory / file).resolve()
        make_importable(path.parent)
        module = import_file(path, path.stem)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{file} cannot be imported: {described_error(error)}") from error
    if module is None:
        raise UsageError(f"{file}: there is no such Python file.")
    name = name if at else _only(kind, file, module)
    factory = getattr(module, name, None)
    if factory is None:
        raise UsageError(f"{file} has no {kind} {name!r}.")
    if not registered_name(kind, factory):
        raise UsageError(f"{file}: {name!r} is not decorated with @{kind}.")
    return Component(kind, f"{file}@{name}", factory, None, None, "path")


def _only(kind: Kind, file: str, module: ModuleType) -> str:
    """Return the name of the one factory that a file defines; what it imports is none of its own."""
    own = [name for name, it in vars(module).items() if registered_name(kind, it) and it.__module__ == module.__name__]
    if len(own) == 1:
        return own[0]
    if not own:
        raise UsageError(f"{file} has no function that is decorated with @{kind}.")
    raise UsageError(f"{file} has several {kind}s: {', '.join(own)}. Name one, as in {file}@{own[0]}.")


def component_of_registry(kind: Kind, reference: str) -> Component[Any]:
    """Return a scorer or solver by the name that inspect's registry has: `package/name`.

    Raises:
        UsageError: No distribution registers anything with inspect for this package, or it cannot be loaded.
    """
    package = reference.partition("/")[0]
    if package == _GROUP:
        found = Registered(EntryPoint(package, f"{_GROUP}.{kind}", _GROUP), INSPECT, version(INSPECT))
    else:
        found = _registers(package, reference)
    try:
        module = found.load()
    except (Exception, SystemExit) as error:
        raise PluginError(load_problem(found, error)) from error
    factory = _factory_in(module, kind, reference) or _looked_up(kind, reference)
    return Component(kind, reference, factory, found.distribution, found.version, ONLY)


def _registers(package: str, reference: str) -> Registered:
    for point in entry_points(group=_GROUP, name=package):
        if point.dist:
            return Registered(point, point.dist.name, point.dist.version)
    known = ", ".join(sorted({_GROUP, *entry_points(group=_GROUP).names}))
    raise UsageError(
        f"{reference}: no installed distribution registers anything with inspect as {package!r}. Installed: {known}."
    )


def _factory_in(module: object, kind: Kind, reference: str) -> Factory | None:
    """Find a factory among a module's names.

    Only the part behind the package counts, since what is installed editable may be registered without a prefix.
    """
    name = reference.rpartition("/")[2]
    return next((it for it in vars(module).values() if registered_name(kind, it).rpartition("/")[2] == name), None)


def _looked_up(kind: Kind, reference: str) -> Callable[..., Any]:
    """Leave it to inspect to find what the module's own imports have registered."""

    def create(**arguments: Any) -> Any:
        from inspect_ai.util import registry_create  # noqa: PLC0415 - only who uses a component pays for it

        try:
            return registry_create(kind, reference, **arguments)
        except LookupError as error:
            raise UsageError(f"no {kind} of this name is registered with inspect.") from error

    return create
