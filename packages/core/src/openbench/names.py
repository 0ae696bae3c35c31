"""Names of benchmarks and distributions: how they compare, and which ones can be typed and shown."""

import re
import unicodedata

MOST_CHARACTERS = 10_000
_MOST_IN_KEY = 200
_PEP_508_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
# They reorder what a terminal shows (https://www.unicode.org/reports/tr9/), so that a name can pass for another.
_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def normalized(name: str) -> str:
    """Return the form in which names of benchmarks compare: `-` and `_` are equal."""
    return name.replace("-", "_").lower()


def canonical(distribution: str) -> str:
    """Return the form in which names of distributions compare (https://peps.python.org/pep-0503/)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def is_distribution(name: str) -> bool:
    """Return whether a text can be the name of a distribution, and so be pasted behind `pip install`."""
    return _PEP_508_NAME.fullmatch(name) is not None


def is_path(reference: str) -> bool:
    """Return whether a name given for a benchmark can only mean a path."""
    return reference.endswith(".py") or "/" in reference or "\\" in reference or reference in {".", ".."}


def unprintable(text: str) -> str:
    """Return the characters of a text that control a terminal or cannot be encoded; line breaks and tabs are none."""
    return "".join(char for char in text if _controls(char) and char not in "\n\t")


def printable(text: str) -> str:
    r"""Return a text in one line, with what `unprintable` finds written as an escape such as `\x1b`."""
    escaped = (ascii(char)[1:-1] if _controls(char) and not char.isspace() else char for char in text)
    return " ".join("".join(escaped).split())


def key_fault(key: str) -> str:
    """Say why a key cannot be typed as the name of a benchmark; nothing if it can."""
    if not key or len(key) > _MOST_IN_KEY:
        return f"has {len(key)} characters; a key has 1 to {_MOST_IN_KEY}"
    if not key.isprintable() or " " in key:
        return "has characters that cannot be seen"
    if is_path(key) or "@" in key or key.startswith("-"):
        return "cannot be typed: it reads as a path, as name@distribution or as an option"
    return ""


def _controls(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cs"} or char in _BIDIRECTIONAL
