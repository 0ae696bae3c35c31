"""Tasks by their names, as eval-framework registers them: by the path of a class, which is imported on first use."""

import difflib
import re
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError

if TYPE_CHECKING:
    from openbench_authoring.base_task import BaseTask


class Registry:
    """Classes of tasks, or paths of classes, by the class's name without regard to case, spaces, `-` and `_`."""

    def __init__(self) -> None:
        self._tasks: dict[str, type[BaseTask[Any]] | str] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the classes."""
        return map(_name, self._tasks.values())

    def __contains__(self, name: str) -> bool:
        """Return whether there is a task of a name."""
        return _key(name) in self._tasks

    def __getitem__(self, name: str) -> "type[BaseTask[Any]]":
        """Return the class of a task, importing it on first use.

        Raises:
            UsageError: The task is unknown, or its class cannot be imported or is not a task.
        """
        from openbench_authoring.base_task import BaseTask  # noqa: PLC0415 - slow to import

        key = _key(name)
        if key not in self._tasks:
            close = difflib.get_close_matches(key, self._tasks)
            hint = f" Did you mean {_name(self._tasks[close[0]])}?" if close else ""
            raise UsageError(f"The task {name!r} is not registered.{hint}")
        found = self._tasks[key]
        if isinstance(found, str):
            module, _, attribute = found.rpartition(".")
            try:
                made = getattr(import_module(module), attribute)
            except (ImportError, AttributeError) as error:
                raise UsageError(f"The task {name!r} cannot be imported from {found}: {error}") from error
            self._tasks[key] = found = _checked(made, BaseTask)
        return found

    def register(self, task: "type[BaseTask[Any]]") -> str:
        """Register a class under its name, and return that.

        Raises:
            UsageError: It is not a subclass of `BaseTask`, or another has the name.
        """
        from openbench_authoring.base_task import BaseTask  # noqa: PLC0415 - as above

        self._add(_checked(task, BaseTask))
        return task.__name__

    def register_lazy(self, class_path: str) -> None:
        """Register the path of a class, such as `acme_tasks.geography.GeographyQA`, without importing it.

        Raises:
            UsageError: It is not the path of a class, or another has its name.
        """
        if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", class_path):
            raise UsageError(
                f"{class_path!r} is not the path of a class: expected its module and name, such as "
                "'acme_tasks.geography.GeographyQA'."
            )
        self._add(class_path)

    def _add(self, task: "type[BaseTask[Any]] | str") -> None:
        key = _key(_name(task))
        known = self._tasks.get(key, task)
        if _path(known) != _path(task):  # a module that is imported again registers the same
            raise UsageError(f"{_path(task)}: the name {_name(task)} is that of {_path(known)}, which is registered.")
        self._tasks.setdefault(key, task)


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).upper()


def _path(task: "type[BaseTask[Any]] | str") -> str:
    return task if isinstance(task, str) else f"{task.__module__}.{task.__qualname__}"


def _name(task: "type[BaseTask[Any]] | str") -> str:
    return _path(task).rpartition(".")[2]


def _checked(task: Any, base: Any) -> Any:
    if not (isinstance(task, type) and issubclass(task, base)):
        raise UsageError(f"{task!r:.80} is not a task: expected a subclass of BaseTask.")
    return task


_REGISTRY = Registry()


def registry() -> Registry:
    """Return the registry of this process."""
    return _REGISTRY


def register_task(task: "type[BaseTask[Any]]") -> str:
    """Register a class under its name; see `Registry.register`."""
    return _REGISTRY.register(task)


def register_lazy_task(class_path: str, /, registry: Registry | None = None) -> None:
    """Register the path of a class, which is imported on first use; see `Registry.register_lazy`.

    Args:
        class_path: The class's module and name.
        registry: Another registry than that of this process.
    """
    (registry or _REGISTRY).register_lazy(class_path)


def is_registered(name: str, /) -> bool:
    """Return whether there is a task of a name."""
    return name in _REGISTRY


def registered_task_names() -> list[str]:
    """Return the names of all registered tasks."""
    return list(_REGISTRY)


def get_task(name: str, /) -> "type[BaseTask[Any]]":
    """Return the class of a registered task; see `Registry.__getitem__`."""
    return _REGISTRY[name]
