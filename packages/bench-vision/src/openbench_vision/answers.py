"""Where completions give their answer: after the last `Answer:`, or as a whole."""

import re

from openbench.scorers.cleaning import strip_reasoning

_ANNOUNCED = re.compile(
    r"^[ \t*_#>]*+(?:final )?answer[*_]*+[ \t]*+[:\uff1a][*_]*+[ \t]*+(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_WRAPPING = " \t*_`"


def announced_answer(text: str) -> str | None:
    """Return the rest of the last line that begins with `Answer:`, without markup around it; None without one."""
    announced = _ANNOUNCED.findall(text)
    return announced[-1].strip(_WRAPPING) or None if announced else None


def short_answer(completion: str) -> str:
    """Return the announced answer, else the whole completion; reasoning between tags does not count."""
    text = strip_reasoning(completion).strip()
    return announced_answer(text) or text
