"""Keeps the garbage collector from going through everything again and again, while samples run and logs are written."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 20_000


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect garbage less often, and only among what is made while the context lasts.

    Each sample leaves a task and a context that hold each other. By default the collector looks for such after every
    700 new objects, and now and then through all modules and the dataset, which takes a fifth of a sample's time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Collect no garbage, and later on nothing of what is made while the context lasts.

    A log holds thousands of samples and no garbage. Reading it takes twice as long while the collector goes through it,
    and the collector does so as soon as it may again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
