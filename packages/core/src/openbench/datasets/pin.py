"""Pins, which identify rows exactly; the digest of a pin is the key of its entry in the store."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from openbench.datasets.fetch import is_remote
from openbench.datasets.values import content_digest
from openbench.errors import UsageError
from openbench.metadata import DatasetSource, DatasetType
from openbench.redaction import is_secret_name, redacted_text

KEY_DIGITS = 16
_COMMIT_DIGITS = 40

# In an HTTP address, a user name without a password is a token; in one of Azure, a container (abfs://data@account).
_PASSWORD = re.compile(r"://[^/?#@:]*:[^/?#]*@|\bhttps?://[^/?#]*@", re.IGNORECASE)
_QUERY_NAME = re.compile(r"[?&]([\w-]+)=[^&#]")

# Arguments of `datasets.load_dataset` and of files that affect how rows are fetched, not which; they may be secrets.
_TRANSPORT = re.compile(
    "cache_dir|download_config|download_mode|fs_options|keep_in_memory|num_proc|save_infos|storage_options|token"
    "|verification_mode"
)


@dataclass(frozen=True)
class Pin:
    """Everything that determines which rows are read: fields of `DatasetSource`, and options of loading or parsing."""

    source: str
    type: DatasetType
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    sha256: str | None = None
    md5: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    @cached_property
    def key(self) -> str:
        """The name of the entry, 16 hex digits."""
        fields = asdict(self)
        if self.md5 is None:  # the field was added later, and keys must not change
            del fields["md5"]
        return content_digest(fields)[:KEY_DIGITS]

    @property
    def label(self) -> str:
        """The name of the rows in messages, without secrets."""
        return " ".join(part for part in (redacted_text(self.source), self.config, self.split) if part)


def pin_of(source: DatasetSource, options: Mapping[str, Any]) -> Pin | None:
    """Return the pin of a source; None for rows that may change, local files, and options that have no digest.

    Raises:
        UsageError: The address, which the store would keep, contains a secret.
    """
    decisive = {name: value for name, value in options.items() if not _TRANSPORT.fullmatch(name) and value is not None}
    try:
        decisive = json.loads(json.dumps(decisive))
    except (TypeError, ValueError):
        return None  # objects such as `features` have no digest
    if source.type == "hf":
        pin = Pin(source.source, "hf", source.config, source.split, source.revision, options=decisive)
        return pin if _is_commit(source.revision) else None
    # The address of a file may contain a commit.
    in_commit = _is_commit(source.revision) and str(source.revision) in source.source
    if not is_remote(source.source) or not (source.sha256 or source.md5 or in_commit):
        return None
    if _PASSWORD.search(source.source) or any(map(is_secret_name, _QUERY_NAME.findall(source.source))):
        raise UsageError(
            f"{redacted_text(source.source)} contains a secret, and is pinned: the store and its bundles would keep "
            "it. Remove the secret from the address and pass it in fs_options, such as "
            "{'headers': {'Authorization': …}}."
        )
    revision = None if source.sha256 or source.md5 else source.revision
    digests = {"sha256": source.sha256, "md5": source.md5}
    return Pin(source.source, source.type, revision=revision, options=decisive, **digests)


def _is_commit(revision: str | None) -> bool:
    return revision is not None and len(revision) == _COMMIT_DIGITS
