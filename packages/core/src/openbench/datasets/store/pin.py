"""What pins rows, and the key that follows from it."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from openbench.datasets.digests import content_digest
from openbench.datasets.files import is_remote
from openbench.errors import UsageError
from openbench.metadata import DatasetSource, DatasetType
from openbench.redaction import is_secret_name, redacted_text

KEY_DIGITS = 16
_COMMIT_DIGITS = 40

# A user without a password is a token in an address of HTTP, and the container in one of Azure (abfs://data@account).
_PASSWORD = re.compile(r"://[^/?#@:]*:[^/?#]*@|\bhttps?://[^/?#]*@", re.IGNORECASE)
_QUERY_NAME = re.compile(r"[?&]([\w-]+)=[^&#]")

# Arguments of `datasets.load_dataset`, and of files, that say how rows are fetched and not which: they may be secrets.
_TRANSPORT = {
    "cache_dir",
    "download_config",
    "download_mode",
    "fs_options",
    "keep_in_memory",
    "num_proc",
    "save_infos",
    "storage_options",
    "token",
    "verification_mode",
}


@dataclass(frozen=True)
class Pin:
    """Everything that decides which rows are read.

    Attributes:
        source: A Hub dataset, or a file's URL.
        type: As in `DatasetSource`.
        config: The Hub dataset's configuration.
        split: The Hub dataset's split.
        revision: Its commit, or that of a URL.
        sha256: The digest of a file as it is published.
        options: How it is loaded or parsed, where that is said.
    """

    source: str
    type: DatasetType
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    sha256: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """The name of its entry, 16 hex digits."""
        return content_digest(asdict(self))[:KEY_DIGITS]

    @property
    def label(self) -> str:
        """What messages call the rows; there is no secret in it."""
        return " ".join(part for part in (redacted_text(self.source), self.config, self.split) if part)

    @property
    def short(self) -> str:
        """The first digits of what pins them."""
        return (self.revision or self.sha256 or "")[:7]

    def fits(self, source: DatasetSource) -> bool:
        """Whether these are rows of a benchmark's source, of any split and, unless it names one, configuration."""
        if (self.source, self.type) != (source.source, source.type):
            return False
        if self.type != "hf":
            return (self.sha256, self.revision) == (source.sha256, None if source.sha256 else source.revision)
        return self.revision == source.revision and source.config in {None, self.config}


def pin_of(source: DatasetSource, options: Mapping[str, Any]) -> Pin | None:
    """Return what pins the rows of a source; None if they may change, or are a local file, or cannot be told apart.

    Args:
        source: The source.
        options: How it is loaded or parsed.

    Raises:
        UsageError: What would be kept holds a secret.
    """
    said = {name: value for name, value in options.items() if name not in _TRANSPORT and value is not None}
    try:
        said = json.loads(json.dumps(said))
    except (TypeError, ValueError):
        return None  # such as `features`: two objects cannot be told apart by a digest
    if source.type == "hf":
        commit = _is_commit(source.revision)
        return Pin(source.source, "hf", source.config, source.split, source.revision, options=said) if commit else None
    # The address of a file may name the commit of the repository that it is in.
    in_commit = _is_commit(source.revision) and str(source.revision) in source.source
    if not is_remote(source.source) or not (source.sha256 or in_commit):
        return None
    _check_no_secret(source.source)
    revision = None if source.sha256 else source.revision
    return Pin(source.source, source.type, revision=revision, sha256=source.sha256, options=said)


def _check_no_secret(address: str) -> None:
    """The store keeps the address, and bundles carry it elsewhere."""
    if _PASSWORD.search(address) or any(map(is_secret_name, _QUERY_NAME.findall(address))):
        raise UsageError(
            f"{redacted_text(address)} holds a secret, and is pinned: it would be kept in the store and in its "
            "bundles. Leave the secret out of the address, and give it to what fetches the file: fs_options, such as "
            "{'headers': {'Authorization': …}}."
        )


def _is_commit(revision: str | None) -> bool:
    return revision is not None and len(revision) == _COMMIT_DIGITS
