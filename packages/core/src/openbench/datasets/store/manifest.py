"""What an entry says of itself; a digest of its own shows a change of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from openbench.datasets.digests import content_digest
from openbench.datasets.store.pin import Pin
from openbench.metadata import DatasetType

FORMAT = 1
MANIFEST = "manifest.json"

_TYPES: Mapping[str, Any] = {
    "pin": dict,
    "rows": int,
    "digest": str,
    "licence": str | None,
    "file": dict,
    "fetched_at": str,
    "versions": dict,
    "benchmarks": list,
}
_PIN_TYPES: Mapping[str, Any] = {
    "source": str,
    "type": str,
    "config": str | None,
    "split": str | None,
    "revision": str | None,
    "sha256": str | None,
    "options": dict,
}
_FILE_TYPES: Mapping[str, Any] = {"name": str, "bytes": int, "sha256": str}


@dataclass(frozen=True)
class KeptFile:
    """The file of an entry: its name, size in bytes and SHA-256."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What is kept.

    Attributes:
        pin: What pins the rows.
        rows: How many there are.
        digest: Their `rows_digest`: the same however and wherever they are kept.
        licence: Their licence, if the benchmark says it.
        file: The file that holds them.
        fetched_at: When, in UTC, as ISO 8601.
        versions: The versions of what fetched and wrote them, by distribution.
        benchmarks: The benchmarks for which they were pulled.
    """

    pin: Pin
    rows: int
    digest: str
    licence: str | None
    file: KeptFile
    fetched_at: str
    versions: Mapping[str, str] = field(default_factory=dict)
    benchmarks: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return it as the text of its file."""
        said = {"format": FORMAT, **asdict(self)}
        return json.dumps({**said, "checksum": content_digest(said)}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Read the text of its file.

        Raises:
            ValueError: It is none, is of a later format, or was changed.
            TypeError: It has other fields.
            KeyError: A field is missing.
        """
        said = json.loads(text)
        if not isinstance(said, dict) or "format" not in said:
            raise ValueError("it is no manifest")
        if said["format"] != FORMAT:
            raise ValueError(f"it is of format {said['format']}, and this version of openbench reads format {FORMAT}")
        checksum = said.pop("checksum", None)
        if checksum != content_digest(said):
            raise ValueError("it was changed: its checksum is that of another text")
        return cls(**_parts(said))


def _parts(said: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a manifest; a checksum that fits says nothing of who wrote it."""
    parts = {name: value for name, value in said.items() if name != "format"}
    _check_types("", parts, _TYPES)
    _check_types("pin.", parts["pin"], _PIN_TYPES)
    _check_types("file.", parts["file"], _FILE_TYPES)
    if parts["pin"].get("type") not in get_args(DatasetType):
        raise ValueError(f"pin.type is {parts['pin'].get('type')!r}")
    if not all(isinstance(name, str) for name in parts["benchmarks"]):
        raise ValueError("benchmarks are no texts")
    return {
        **parts,
        "pin": Pin(**parts["pin"]),
        "file": KeptFile(**parts["file"]),
        "benchmarks": tuple(parts["benchmarks"]),
    }


def _check_types(of: str, said: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    for name, value in said.items():
        if name in types and not isinstance(value, types[name]):
            raise ValueError(f"{of}{name} is of the type {type(value).__name__}")
