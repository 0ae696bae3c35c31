"""The dataset store: pinned rows, fetched once, verified, kept by what pins them, and read without a network.

    $OPENBENCH_DATA_DIR                     by default the user's data directory, openbench/data
        entries/<key>/manifest.json         what is kept: pin, rows, digests, licence, when and by which versions
        entries/<key>/rows.arrow            the rows of a Hub dataset, exactly as `to_list()` gave them
        entries/<key>/source                or a file as it is published (a pinned URL)
        partial/                            what is being written; a process that died leaves it to the next one
        locks/                              one a key: a dataset is fetched by one process at a time

The key is a digest of the pin (source, configuration, split, revision or sha256), so an entry never changes: it
appears whole, by a rename, and is read without a lock. What has no pin is never kept, nor is a local file: both are
read anew each time. Exported entries have the same layout, so an exported folder is a store itself.
"""

from openbench.datasets.files import most_unpacked
from openbench.datasets.store.content import ARROW, PUBLISHED, Content
from openbench.datasets.store.entry import DamagedError, Entry
from openbench.datasets.store.manifest import FORMAT, MANIFEST, KeptFile, Manifest
from openbench.datasets.store.pin import KEY_DIGITS, Pin, pin_of
from openbench.datasets.store.store import ENTRIES, VARIABLE, Kept, Store

__all__ = [
    "ARROW",
    "ENTRIES",
    "FORMAT",
    "KEY_DIGITS",
    "MANIFEST",
    "PUBLISHED",
    "VARIABLE",
    "Content",
    "DamagedError",
    "Entry",
    "Kept",
    "KeptFile",
    "Manifest",
    "Pin",
    "Store",
    "most_unpacked",
    "pin_of",
]
