"""Tunes the garbage collector for runs of many samples."""

import contextlib
import gc
from collections.abc import Iterator

_NEW_OBJECTS = 20_000  # between two runs of the garbage collector


@contextlib.contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect garbage less often, and only among objects created while the context lasts.

    Each sample leaves a reference cycle of a task and a context. By default the collector runs after every 700 new
    objects, and from time to time scans all modules and the dataset, which takes a fifth of a sample's time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextlib.contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable the garbage collector, and freeze the objects that exist when the context ends.

    A log contains thousands of samples and no garbage. Reading it takes twice as long with the collector enabled, and
    an unfrozen one would be scanned as soon as the collector is enabled again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
