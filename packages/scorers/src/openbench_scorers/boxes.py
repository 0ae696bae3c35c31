r"""Finds a boxed answer: the content of `\boxed{...}`."""

import re

_TOKEN = re.compile(r"(?P<box>\\(?:boxed|fbox)\s{0,8}\{)|\\.|[{}]", re.DOTALL)
_BARE = re.compile(r"\\boxed\s{0,8}([^\s{}\\$]{1,80})")


def last_boxed(text: str) -> str | None:
    r"""Return the content of the last `\boxed{...}` or `\fbox{...}`, or of a box within it; braces may be nested.

    Returns:
        The text without surrounding white space, `\boxed 5` included; None without a closed box. The time is linear in
        the length of the text.
    """
    if "boxed" not in text and "\\fbox" not in text:
        return None
    last = _last_braced(text)
    if last is None:
        bare = _BARE.findall(text)
        return bare[-1].rstrip(".,") or None if bare else None
    return last.strip() or None


def _last_braced(text: str) -> str | None:
    """Return the content of the last closed box, in one pass; unclosed boxes and braces are ignored."""
    opened: list[tuple[bool, int]] = []
    last: tuple[int, int] | None = None
    for token in _TOKEN.finditer(text):
        if token["box"] or token[0] == "{":
            opened.append((token["box"] is not None, token.end()))
        elif token[0] == "}" and opened:
            is_box, start = opened.pop()
            if is_box and (last is None or last[0] < start):
                last = (start, token.start())
    return None if last is None else text[slice(*last)]
