"""Extracts a unified diff from an answer, corrects its line counts, and validates it with the library unidiff."""

import re
from collections.abc import Iterator

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from openbench.scorers.cleaning import strip_reasoning

_TAGGED = re.compile(r"<(patch|diff)>(.*?)</\1>", re.DOTALL)
_FENCED = re.compile(r"^[ \t]*```(?:diff|patch)[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_OTHER_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_BEGINNING = re.compile(r"^(?:diff --git |--- \S[^\n]*\n\+\+\+ )", re.MULTILINE)
_HUNK = re.compile(r"@@ -(?P<before>\d+)(?:,\d+)? \+(?P<after>\d+)(?:,\d+)? @@(?P<section>.*)")
_HEADERS = (
    "diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode ", "similarity index ",
    "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ ",
)  # fmt: skip


def read_patch(completion: str) -> str | None:
    """Return the first unified diff in an answer, with correct line counts and a final newline; None if there is none.

    It is searched between `<patch>` or `<diff>` tags, then in code blocks, diff blocks first, and then from the first
    line that begins a diff. Reasoning between tags is not part of the answer. A valid diff is not changed.
    """
    return next(filter(None, map(normalised, _candidates(strip_reasoning(completion)))), None)


def normalised(text: str) -> str | None:
    """Return the diff at the beginning of a text, perhaps after prose; None if unidiff rejects it.

    The counts in hunk headers are set to the number of lines. An empty line is context; any other line without a marker
    ends the diff. A diff without changes is rejected.
    """
    text = text.replace("\r\n", "\n")
    beginning = _BEGINNING.search(text)
    if not beginning:
        return None
    whole = text[beginning.start() :].rstrip("\n") + "\n"
    parsed = _parsed(whole)
    if parsed and str(parsed).count("\n") == whole.count("\n"):  # nothing but the diff
        return whole
    repaired = "".join(f"{line}\n" for line in _recounted(whole))
    return repaired if _parsed(repaired) else None


def _candidates(text: str) -> Iterator[str]:
    yield from (match[2] for match in _TAGGED.finditer(text))
    yield from _FENCED.findall(text)
    yield from _OTHER_FENCE.findall(text)
    yield text


def _parsed(patch: str) -> PatchSet | None:
    """Return a diff parsed by unidiff; None if it is invalid, or if a file or hunk changes nothing."""
    try:
        files = PatchSet(patch)
    except (UnidiffParseError, ValueError):
        return None
    whole = sum(map(len, files)) == sum(line.startswith("@@ ") for line in patch.split("\n"))
    return files if files and whole and all(map(_changes, files)) else None


def _changes(file: PatchedFile) -> bool:
    marks = ("new file mode ", "deleted file mode ", "new mode ", "rename to ", "copy to ")
    changed = any(line.startswith(marks) for line in file.patch_info or ())
    return all(hunk.added + hunk.removed for hunk in file) if len(file) else changed


def _recounted(patch: str) -> Iterator[str]:
    """Yield the lines of a diff up to its end, with correct line counts in hunk headers."""
    lines = patch.rstrip("\n").split("\n")
    position, shift = 0, 0
    while position < len(lines):
        line = lines[position]
        head = _HUNK.fullmatch(line)
        if head:
            body = _body(lines, position + 1)
            before, after = (sum(not each.startswith((mark, "\\")) for each in body) for mark in "+-")
            start = int(head["before"])
            yield f"@@ -{start},{before} +{_start(start, before, after, shift)},{after} @@{head['section']}"
            yield from body
            position, shift = position + 1 + len(body), shift + after - before
        elif line.startswith(_HEADERS):
            shift = 0 if line.startswith("+++ ") else shift
            yield line
            position += 1
        elif line:
            return
        else:
            position += 1


def _start(start: int, before: int, after: int, shift: int) -> int:
    """Return the start line of a hunk after the change: one more if it had no lines before, one less if none after."""
    return max(0, start + shift + (not before) - (not after))


def _body(lines: list[str], first: int) -> list[str]:
    """Return the lines of a hunk, without blank lines at its end."""
    body: list[str] = []
    for position, line in enumerate(lines[first:], start=first):
        begins_file = line.startswith("--- ") and "".join(lines[position + 1 : position + 2]).startswith("+++ ")
        if begins_file or (line and line[0] not in " +-\\"):
            break
        body.append(line)
    while body and not body[-1]:
        body.pop()
    return [line or " " for line in body]
