"""What counts of an answer: the translation, without the words around it."""

# ruff: noqa: RUF001 -- full-width colons and quotation marks are what is removed

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
    """Return the translation that a completion gives, as one line.

    Of a reasoning model's, that is what follows its reasoning. A line that announces the translation, or the label of
    the target language, does not count; nor does what follows a blank line, such as a note. Lines are joined by a
    space, since a source is one line. Quotation marks, emphasis and backticks around the whole are removed unless the
    source has them around itself.

    Args:
        completion: The model's completion.
        source: The text that was to be translated.
        language: The name of the target language, which a model may have repeated as a label.
        first_line: Whether the first line is all that counts, as of a base model, which goes on with further examples.
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
