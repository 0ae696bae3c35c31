"""Makes invisible characters of a text visible, so that readers, editors and diffs see it as it is."""

import re
import unicodedata

_NAMES = {"\t": "tab", "\n": "newline", "\r": "CR", " ": "space"}
# Control, format and lone surrogate characters, and all separators but the plain space.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
# Spaces that end a line, line breaks that end the text, and what begins a line as a heading does.
_MISREAD = re.compile(r" +(?=\n|\Z)|\n+\Z|^=(?=== )", re.MULTILINE)


def visible(text: str) -> str:
    """Return a text with a mark such as ⟦tab⟧ or ⟦U+00A0⟧ for each invisible or ambiguous character.

    Different texts have different results. A result has no blanks at the end of a line, no empty line at its end, no
    line that begins with `=== `, and can be encoded.
    """
    if not text:
        return "⟦empty⟧"
    shown = "".join(char if _is_seen(char) else _mark(char) for char in text)
    return _MISREAD.sub(_marks, shown)


def _is_seen(char: str) -> bool:
    return char in "\n " or (char != "⟦" and unicodedata.category(char) not in _UNSEEN)


def _mark(char: str) -> str:
    return f"⟦{_NAMES.get(char) or (char if char in '⟦=' else f'U+{ord(char):04X}')}⟧"


def _marks(found: re.Match[str]) -> str:
    # Line breaks at the end keep a line each, so that one can see how many they are.
    return ("\n" if found[0].startswith("\n") else "").join(map(_mark, found[0]))
