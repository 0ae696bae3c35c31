"""Names of benchmarks and distributions: how they compare, and which can be typed and shown."""

import re

MOST_CHARACTERS = 10_000
_MOST_IN_KEY = 200
_PEP_508_NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"
# Control characters except line breaks and tabs, lone surrogates, and what reorders shown text so that one name can
# pass for another (https://www.unicode.org/reports/tr9/).
_CONTROLS = r"[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]"


def normalized(name: str) -> str:
    """Return the form in which names of benchmarks compare: `-` and `_` are equal."""
    return name.replace("-", "_").lower()


def canonical(distribution: str) -> str:
    """Return the form in which names of distributions compare (https://peps.python.org/pep-0503/)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def is_distribution(name: str) -> bool:
    """Return whether a text is a valid name of a distribution, safe to print after `pip install`."""
    return re.fullmatch(_PEP_508_NAME, name) is not None


def is_path(reference: str) -> bool:
    """Return whether a name given for a benchmark can only mean a path."""
    file = reference.partition("@")[0]  # file.py@task
    return file.endswith(".py") or "/" in reference or "\\" in reference or reference in {".", ".."}


def unprintable(text: str) -> str:
    """Return the characters of a text that control a terminal or cannot be encoded, line breaks and tabs excepted."""
    return "".join(re.findall(_CONTROLS, text))


def escaped(text: str) -> str:
    r"""Return a text with the characters that `unprintable` finds replaced by escapes such as `\x1b`."""
    return re.sub(_CONTROLS, lambda found: ascii(found[0])[1:-1], text)


def printable(text: str) -> str:
    """Return a text in one line, escaped."""
    return escaped(" ".join(text.split()))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def key_fault(key: str) -> str:
    """Return why a key cannot be typed as the name of a benchmark; empty if it can."""
    if not key or len(key) > _MOST_IN_KEY:
        return f"has {len(key)} characters; a key has 1 to {_MOST_IN_KEY}"
    if not key.isprintable() or " " in key:
        return "has invisible characters"
    if is_path(key) or "@" in key or key.startswith("-"):
        return "is ambiguous: it reads as a path, as name@distribution or as an option"
    return ""
