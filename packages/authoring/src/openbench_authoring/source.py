"""The source of a class's rows: a dataset of the Hub, or files beside the class."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from openbench.metadata import DatasetSource, DatasetType

SPLIT_FIELD = "{split}"
"""The placeholder for the split in a file's path."""

_FILE = re.compile(r"\.(?:(jsonl|json)|csv)(?:\.(?:gz|bz2|xz|zip|zst))?", re.IGNORECASE)


def source_of(
    path: str | Path, *, split: str, revision: str | None, sha256: str | Mapping[str, str] | None, beside: str
) -> DatasetSource:
    r"""Return the source of a split.

    Args:
        path: A dataset id of the Hub; or the path or URL of a .jsonl, .json or .csv file, possibly compressed, in which
            `{split}` is replaced by the split. A relative path is relative to the class's file.
        split: The split.
        revision: The commit of a dataset of the Hub.
        sha256: The digest of a file, or digests by split.
        beside: The module that defines the class.
    """
    text = str(path)
    kind = file_type(text)
    if kind is None:
        return DatasetSource(source=text, split=split, revision=revision)
    text = text.replace(SPLIT_FIELD, split)
    if "://" not in text:
        folder = Path(getattr(sys.modules.get(beside), "__file__", None) or Path.cwd() / "_").parent
        text = str(folder / text)
    pin = sha256.get(split) if isinstance(sha256, Mapping) else sha256
    return DatasetSource(source=text, type=kind, split=split, sha256=pin)


def source_faults(path: str, splits: Sequence[str], revision: object, digests: object) -> Iterator[str]:
    """Return the errors in a source: splits that a path cannot distinguish, and pins that do not apply to it.

    Args:
        path: As `source_of` takes it.
        splits: The splits to read.
        revision: `HF_REVISION`.
        digests: `SHA256`.
    """
    if file_type(path) is None:
        if digests is not None:
            yield f"SHA256 pins a file, but DATASET_PATH {path!r} is a dataset of the Hub. Pin it by HF_REVISION."
        return
    if revision is not None:
        yield f"HF_REVISION pins a dataset of the Hub, but DATASET_PATH {path!r} is a file. Pin it by SHA256."
    names = list(dict.fromkeys(splits))
    quoted = " and ".join(map(repr, names))
    if len(names) > 1 and SPLIT_FIELD not in path:
        yield (
            f"DATASET_PATH {path!r} is one file, but SAMPLE_SPLIT and FEWSHOT_SPLIT name two splits, {quoted}. Write "
            f"{SPLIT_FIELD} in the path in place of the split's name, or name the same split in both."
        )
    elif len(names) > 1 and isinstance(digests, str):
        yield f"SHA256 is one digest, but the splits {quoted} are two files. Give a dict of digests by split."
    if isinstance(digests, Mapping) and (lacking := [name for name in names if name not in digests]):
        yield f"SHA256 has no digest of the split {' and '.join(map(repr, lacking))}. Add the digest of its file."


def file_type(path: str) -> DatasetType | None:
    """Return the type of the file that a path names; None if it names a dataset of the Hub."""
    name = urlsplit(path).path if "://" in path else path
    found = _FILE.fullmatch("".join(Path(name).suffixes[-2:])) or _FILE.fullmatch(Path(name).suffix)
    if found is None:
        return None
    return "json" if found[1] else "csv"
