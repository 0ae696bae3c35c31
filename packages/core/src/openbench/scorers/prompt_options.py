"""Reads the options of a multiple-choice question back from its prompt."""

import re
from string import ascii_uppercase

_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[).:][ \t]+(.*)$")


def read_options(prompt: str) -> dict[str, str]:
    """Read the last block of lettered options (`A) …`, `A. …`, `(A) …`) in a prompt.

    An option's text may run over several lines; a blank line ends the last one.

    Returns:
        The options' texts by letter, in order from A; empty if the prompt has no block of two or more.
    """
    block: dict[str, str] = {}
    last: dict[str, str] = {}
    for line in prompt.split("\n"):  # not splitlines: options hold U+2028 and the like
        match = _OPTION.match(line)
        letter = match[1] if match else None
        if match and letter == "A":
            block = {"A": match[2]}
        elif match and letter and block and letter == ascii_uppercase[len(block) % 26]:
            block[letter] = match[2]
        elif block and line.strip():
            newest = next(reversed(block))
            block[newest] += f"\n{line}"
        elif len(block) > 1:
            last, block = block, {}
    return block if len(block) > 1 else last
