"""The requirements of an environment: those of `--with`, and those of distributions installed here."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Parsed

from openbench.errors import UsageError
from openbench.registry.names import canonical


@dataclass(frozen=True)
class Requirement:
    """A distribution to install.

    Attributes:
        name: The distribution's name, normalized.
        arguments: Its arguments for `uv pip install`.
        label: A readable name, such as `openbench-simpleqa 1.0.0`.
        path: The local file or folder to install from, if any.
        editable: Whether it is an editable installation.
    """

    name: str
    arguments: tuple[str, ...]
    label: str
    path: Path | None = None
    editable: bool = False

    def fingerprint(self) -> str:
        """Return a digest of a local path's content; empty for other requirements, which their arguments pin."""
        if self.path and self.path.is_dir() and self.editable:
            # Its code is read in place, but its dependencies are installed once.
            project = self.path / "pyproject.toml"
            return hashlib.sha256(project.read_bytes() if project.is_file() else b"").hexdigest()
        return self.content()

    def content(self) -> str:
        """Return a digest of everything that goes into a wheel of a local path; empty for other requirements."""
        if self.path is None:
            return ""
        if self.path.is_file():
            return hashlib.sha256(self.path.read_bytes()).hexdigest()
        digest = hashlib.sha256()
        for line in _listing(self.path):
            digest.update(line.encode())
        return digest.hexdigest()


def parse(text: str) -> Requirement:
    """Parse a requirement of `--with`.

    Raises:
        UsageError: It is malformed (https://packaging.python.org/specifications/dependency-specifiers/).
    """
    try:
        parsed = Parsed(text)
    except InvalidRequirement as error:
        raise UsageError(f"--with {text}: expected a requirement such as openbench-simpleqa==1.0.0.") from error
    pins = [specifier.version for specifier in parsed.specifier if specifier.operator == "=="]
    label = f"{parsed.name} {pins[0]}" if len(parsed.specifier) == len(pins) == 1 else text
    return Requirement(canonical(parsed.name), (text,), label, _local_path(parsed.url or ""))


def installed(name: str, extra: str = "") -> Requirement:
    """Return the requirement that reproduces an installed distribution, perhaps with an extra.

    Distributions installed from a path or a repository record that in `direct_url.json`
    (https://packaging.python.org/specifications/direct-url/).

    Raises:
        PackageNotFoundError: It is not installed here.
    """
    found = distribution(name)
    extras = f"[{extra}]" if extra else ""
    label = f"{found.name}{extras} {found.version}"
    origin: Mapping[str, Any] = json.loads(found.read_text("direct_url.json") or "{}")
    url = str(origin.get("url", ""))
    path = _local_path(url)
    if path and path.exists():
        editable = bool(origin.get("dir_info", {}).get("editable"))
        arguments = ("-e", f"{path}{extras}") if editable else (f"{path}{extras}",)
        return Requirement(canonical(name), arguments, label, path, editable)
    remote = "" if path else _remote(f"{found.name}{extras}", url, origin)
    return Requirement(canonical(name), (remote or f"{found.name}{extras}=={found.version}",), label)


def _remote(name: str, url: str, origin: Mapping[str, Any]) -> str:
    """Return the requirement of a URL or a commit; empty without a URL."""
    folder = f"#subdirectory={origin['subdirectory']}" if "subdirectory" in origin else ""
    if repository := origin.get("vcs_info"):
        return f"{name} @ {repository['vcs']}+{url}@{repository['commit_id']}{folder}"
    return f"{name} @ {url}{folder}" if url else ""


def _local_path(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _listing(folder: Path) -> list[str]:
    """Return path, size and modification time of every file that may become part of a wheel."""
    lines = []
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for name in files:
            path = Path(root, name)
            about = path.lstat()
            lines.append(f"{path.relative_to(folder)} {about.st_size} {about.st_mtime_ns}\n")
    return sorted(lines)
