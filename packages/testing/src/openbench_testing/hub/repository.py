"""A dataset repository: commits with files, and the names that refer to them."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

MAIN = "main"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class File:
    """One file of a commit, and the id that git gives its content."""

    data: bytes
    oid: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "oid", _sha1(b"blob %d\0" % len(self.data) + self.data))


@dataclass(slots=True)
class Repository:
    """The history of one dataset: every commit's files by path, and the branches and tags by name.

    A gated repository serves its files only to the tokens in `granted`; None means any token. A private one is hidden
    from requests without a token.
    """

    private: bool = False
    gated: bool = False
    granted: frozenset[str] | None = None
    commits: dict[str, dict[str, File]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def resolve(self, revision: str) -> str | None:
        """The commit of a commit id, a branch or a tag; None if it does not exist."""
        return revision if revision in self.commits else self.names.get(revision)

    def write(self, files: Mapping[str, bytes], revision: str | None = None) -> str:
        """Add data files to a revision and return their commit.

        A new revision starts from `main` and becomes `main`. An existing commit id is amended, and `main` does not
        move. Any other revision is a tag, which moves to the derived commit.

        Args:
            files: Contents by path, `<config>/<split>.jsonl`.
            revision: A commit id (40 hexadecimal digits) or a tag; by default an id derived from the files.
        """
        base = self.resolve(revision or MAIN) or self.resolve(MAIN)
        content = dict(self.commits[base]) if base else {}
        content |= {path: File(data) for path, data in files.items()}
        content["README.md"] = File(_card(content))
        if revision and _COMMIT.fullmatch(revision):
            commit = revision
        else:
            commit = _id(content)
            if revision:
                self.names[revision] = commit
        if commit != revision or commit not in self.commits:
            self.names[MAIN] = commit
        self.commits[commit] = content
        return commit

    def commit(self, files: Mapping[str, bytes]) -> str:
        """Add files to `main` unchanged, and return the commit."""
        base = self.resolve(MAIN)
        content = dict(self.commits[base]) if base else {}
        content |= {path: File(data) for path, data in files.items()}
        commit = _id(content)
        self.commits[commit], self.names[MAIN] = content, commit
        return commit


def data_path(config: str, split: str) -> str:
    """The path of a split's rows in its repository.

    Raises:
        ValueError: A name cannot be a folder or a file.
    """
    for what, name in (("config", config), ("split", split)):
        if not _NAME.fullmatch(name):
            raise ValueError(f"The {what} {name!r} must consist of letters, digits, '_', '-' and '.'.")
    return f"{config}/{split}.jsonl"


def json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as JSON lines in UTF-8."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _card(paths: Iterable[str]) -> bytes:
    """The dataset card, whose header maps configs and splits to files."""
    splits: dict[str, list[str]] = {}
    for path in sorted(paths):
        config, _, name = path.partition("/")
        if name:
            splits.setdefault(config, []).append(name.removesuffix(".jsonl"))
    lines = ["---", "configs:"]
    for config, names in splits.items():
        lines += [f"- config_name: {json.dumps(config)}", "  data_files:"]
        for name in names:
            lines += [f"  - split: {json.dumps(name)}", f"    path: {json.dumps(data_path(config, name))}"]
    return "\n".join([*lines, "---", ""]).encode()


def _id(content: Mapping[str, File]) -> str:
    """The id of a commit with this content."""
    return _sha1("\n".join(f"{file.oid} {path}" for path, file in sorted(content.items())).encode())


def _sha1(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
