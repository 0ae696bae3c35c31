"""Keeps the garbage collector from going through everything again and again while samples run."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 20_000


@contextmanager
def rarely_collected() -> Iterator[None]:
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
