"""Prepares the release of one package: version, changelog, commit and tag. Without `--write` it only tells."""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

PARTS = ("major", "minor", "patch")


def bumped(version: str, part: str) -> str:
    """Return the next version: `1.2.3` becomes `2.0.0`, `1.3.0` or `1.2.4`."""
    numbers = [int(number) for number in version.split(".")]
    position = PARTS.index(part)
    return ".".join(map(str, [*numbers[:position], numbers[position] + 1, *[0] * (2 - position)]))


def main(package: Path, part: str, *, write: bool) -> None:
    """Release a package, or tell what a release would do.

    A changelog whose newest section is `unreleased` is released under that section's version if it is new, since
    it was written with the change; otherwise the version is bumped.
    """
    pyproject = package / "pyproject.toml"
    text = pyproject.read_text("utf-8")
    found = re.search(r'^version = "(\d+\.\d+\.\d+)"$', text, re.MULTILINE)
    changelog = package / "CHANGELOG.md"
    changes = changelog.read_text("utf-8")
    section = re.search(r"^## (\d+\.\d+\.\d+) - unreleased$", changes, re.MULTILINE)
    if found is None or section is None:
        sys.exit(f"{package}: expected a static version, and a changelog section '## VERSION - unreleased'.")
    current, planned = found[1], section[1]
    tag_name = package.name.removeprefix("bench-")
    first = not _run("git", "tag", "--list", f"{tag_name}-v*")
    version = current if first else bumped(current, part)
    if planned != version:
        sys.exit(f"{changelog}: the unreleased section says {planned}, but a {part} release of {current} is {version}.")
    tag = f"{tag_name}-v{version}"
    today = datetime.now(UTC).date().isoformat()
    sys.stdout.write(f"{pyproject}: {current} -> {version}\n{changelog}: {planned} - {today}\ntag {tag}\n")
    if not write:
        sys.stdout.write("Nothing was changed. --write does it.\n")
        return
    pyproject.write_text(text.replace(found[0], f'version = "{version}"'), "utf-8")
    changelog.write_text(changes.replace(section[0], f"## {version} - {today}"), "utf-8")
    _run("git", "commit", "-m", f"Release {tag}", "--", str(pyproject), str(changelog))
    _run("git", "tag", "-a", tag, "-m", tag)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], write="--write" in sys.argv)
