"""What an entry says of itself; a digest of its own shows a change of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from openbench.datasets.digests import content_digest
from openbench.datasets.store.pin import Pin

FORMAT = 1
MANIFEST = "manifest.json"


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
    rest = {name: value for name, value in said.items() if name not in {"format", "pin", "file", "benchmarks"}}
    return {
        **rest,
        "pin": Pin(**said["pin"]),
        "file": KeptFile(**said["file"]),
        "benchmarks": tuple(said["benchmarks"]),
    }
