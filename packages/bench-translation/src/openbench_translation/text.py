"""Extraction of the translation from a completion, without the text around it."""

# ruff: noqa: RUF001 -- full-width colons and quotation marks are removed

import re

from openbench_scorers.responses import response

_ANNOUNCED = re.compile(
    r"\W{0,4}(?:(?:sure|certainly|of course|okay|ok)\b[,.!]? ?)?"
    r"(?:(?:here(?:'s|’s| is)|this is|below is|the following is)\b[^\n:：]{0,60}\btranslat[^\n:：]{0,80}"
    r"|(?:the |my |final )?translat(?:ion|ed)\b[^\n:：]{0,60})[:：][ \t*_]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```\w*\n?")
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'", "`": "`"}
_EMPHASIS = ("**", "__")


def translation_of(completion: str, source: str, *, language: str = "", first_line: bool = False) -> str:
    """Return the translation in a completion, as one line.

    Reasoning is removed, as are a line that announces the translation, a label with the target language, and text after
    a blank line, such as a note. The remaining lines are joined by spaces, because a source is one line. Quotation
    marks, emphasis and backticks around the whole text are removed unless the source has them too.

    Args:
        completion: The model's completion.
        source: The source text.
        language: The name of the target language, which a model may repeat as a label.
        first_line: Whether only the first line counts, for base models, which continue with further examples.
    """
    text = _FENCE.sub("", response(completion)).strip()
    if not _ANNOUNCED.match(source):
        text = text[found.end() :] if (found := _ANNOUNCED.match(text)) else text
    labels = rf"[*_]{{0,2}}{re.escape(language)}(?: phrase| sentence| text| translation)?\s?[:：][*_]{{0,2}}\s*"
    if language and not source.casefold().startswith(language.casefold()):
        text = re.sub(rf"\A\s*{labels}", "", text, count=1, flags=re.IGNORECASE)
    text = text.strip()
    paragraph = text.partition("\n")[0] if first_line else re.split(r"\n[ \t]*\n", text, maxsplit=1)[0]
    return _unquoted(" ".join(paragraph.split()), " ".join(source.split()))


def _unquoted(text: str, source: str) -> str:
    for mark in _EMPHASIS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark) and mark not in source:
            text = text[len(mark) : -len(mark)].strip()
    if len(text) <= 2 or source[:1] in _QUOTES:  # noqa: PLR2004 - a pair of marks
        return text
    closing = _QUOTES.get(text[0], "")
    inner = text[1:-1]
    if text[-1] in closing and closing and text[0] not in inner and text[-1] not in inner:
        return inner.strip()
    return text
