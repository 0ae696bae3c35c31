"""The prompts: they match those that the package stores."""

import shlex
from collections.abc import Sequence
from difflib import unified_diff
from itertools import zip_longest

from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError

_MOST_LINES = 12
_LONGEST = 110  # characters of a line of the diff
_BEFORE = 40  # of these, characters before the first difference


def prompts(evidence: Evidence) -> str | None:
    """The prompts of the first samples equal the package's goldens, character by character."""
    kept = evidence.goldens
    if kept.orphans:
        return (
            f"goldens/ has prompts of {', '.join(kept.orphans)}, but {evidence.distribution} provides no such "
            "benchmark. Remove or rename the folder."
        )
    if not kept.files:
        raise InapplicableError("it has no goldens; --update-goldens writes them")
    if why := unrendered(evidence):
        return why
    return _other_files(evidence) or _difference(evidence)


def unrendered(evidence: Evidence) -> str | None:
    """Return the reason why a benchmark's prompts are unknown; None if they are known."""
    empty = evidence.runs.get("empty")
    error = evidence.build_error or evidence.prompts.error
    if not error and not evidence.prompts.files:
        error = (empty and empty.error) or "the run 'empty' is missing"
    return f"its prompts are unknown: {error}" if error else None


def _other_files(evidence: Evidence) -> str | None:
    kept, now = evidence.goldens, evidence.prompts.files
    missing = [name for name in now if name not in kept.files]
    if missing:
        return f"{kept.folder} has no {', '.join(missing)}. Run {_update(evidence)}."
    extra = [name for name in kept.files if name not in now]
    if extra:
        return (
            f"{kept.folder} has {', '.join(extra)}, which belongs to no template or variant (expected "
            f"{', '.join(now)}). Run {_update(evidence)}, which removes it."
        )
    return None


def _difference(evidence: Evidence) -> str | None:
    kept, now = evidence.goldens, evidence.prompts.files
    changed = [name for name, text in now.items() if text != kept.files[name]]
    if not changed:
        return None
    before, after = kept.files[changed[0]].split("\n"), now[changed[0]].split("\n")
    line = next(number for number, (old, new) in enumerate(zip_longest(before, after)) if old != new)
    also = f" (and {', '.join(changed[1:])})" if changed[1:] else ""
    summary = (
        f"{_where([*before, ''], line)} differs from {kept.folder}/{changed[0]}, line {line + 1}{also}. If the "
        "change is intended, it changes scores: raise the major version, and run "
        f"{_update(evidence)}."
    )
    return "\n".join([summary, *_diff(before, after, line)])


def _where(before: Sequence[str], line: int) -> str:
    headings = [text for text in before[: line + 1] if text.startswith("=== ")]
    return f"the prompt of {headings[-1].strip('= ')}" if headings else "the part before the samples (settings)"


def _diff(before: Sequence[str], after: Sequence[str], line: int) -> list[str]:
    old, new = ("".join(lines[line : line + 1]) for lines in (before, after))
    shorter = min(len(old), len(new))
    equal = next((column for column in range(shorter) if old[column] != new[column]), shorter)
    lines = list(unified_diff(before, after, "kept", "now", n=1, lineterm=""))
    more = [f"({len(lines) - _MOST_LINES} more lines)"] if len(lines) > _MOST_LINES else []
    return [_excerpt(text, max(0, equal - _BEFORE)) for text in lines[:_MOST_LINES]] + more


def _excerpt(line: str, start: int) -> str:
    """Shorten a long line of a diff to the text around the first difference."""
    sign, text = line[:1], line[1:]
    if len(text) <= _LONGEST:
        return line
    end = start + _LONGEST
    return f"{sign}{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _update(evidence: Evidence) -> str:
    return f"bench check {shlex.quote(evidence.benchmark)} --update-goldens"
