"""Texts as literals in the files of a new package."""

import json


def python_literal(text: str) -> str:
    r"""Return a text as a Python literal, with the quotes that need fewer escapes, like formatters.

    Non-printable characters are written as escapes such as `\u200b`.
    """
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(_escaped(char, quote) for char in text) + quote


def toml_literal(text: str) -> str:
    """Return a text without control characters as a basic string of TOML, whose escapes are JSON's."""
    return json.dumps(text, ensure_ascii=False)


def _escaped(char: str, quote: str) -> str:
    if char in {quote, "\\"}:
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode()
