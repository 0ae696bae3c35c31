"""The checkers of IFEval-Ko that differ from IFEval: words, sentences and answers in Korean, in Unicode's form NFC.

Source: the checkers that Allganize publishes with the dataset, https://huggingface.co/datasets/allganize/IFEval-Ko.
"""

# ruff: noqa: RUF001 -- these marks are matched

import re
import unicodedata
from collections.abc import Sequence
from functools import wraps
from typing import Any

from openbench_instruct import ifeval_checkers
from openbench_instruct.instructions import Checker, Checkers, compare

_ANSWERS = ("제 답변은 예입니다.", "제 답변은 아니요입니다.", "제 답변은 아마도입니다.")

# Placeholders for a full stop that does not end a sentence, and for the end of a sentence.
_POINT, _END = "\ue000", "\ue001"
_LETTER = "[A-Za-z가-힣]"
_POINTS: Sequence[tuple[str, str]] = (
    (r"(Mr|St|Mrs|Ms|Dr)\.", rf"\1{_POINT}"),
    (r"\.(com|net|org|io|gov|edu|me)", rf"{_POINT}\1"),
    (r"([0-9])\.([0-9])", rf"\1{_POINT}\2"),
)
_ABBREVIATIONS: Sequence[tuple[str, str]] = (
    (r"Ph\.D\.", f"Ph{_POINT}D{_POINT}"),
    (rf"({_LETTER})\.({_LETTER})\.({_LETTER})\.", rf"\1{_POINT}\2{_POINT}\3{_POINT}"),
    (rf"({_LETTER})\.({_LETTER})\.", rf"\1{_POINT}\2{_POINT}"),
    (r" (Inc|Ltd|Jr|Sr|Co)\.", rf" \1{_POINT}"),
    (r" ([A-Za-z])\.", rf" \1{_POINT}"),
    (r"\s([A-Za-z])\.\s+(?=[가-힣])", rf" \1{_POINT} "),
)
_MARKERS = (r"\s([가나다라마바사])\.\s+", rf" \1{_POINT} ")
_MARKERS_OF_LINES = (r"^(\s*)([가나다라마바사아자차카타파하]|\d{1,3})[.)](\s+)", rf"\1\2{_POINT}\3")
_QUOTED = ((".”", "”."), ('."', '".'), ('!"', '"!'), ('?"', '"?'))


def count_sentences(text: str, *, by_lines: bool = False) -> int:
    """Count sentences that end with a full stop, a question mark or an exclamation mark.

    Full stops in numbers, addresses and abbreviations, and after list markers (`가.`), do not end a sentence.

    Args:
        text: The text.
        by_lines: Whether list markers are found only at the beginning of a line, where they may also be numbers.
            Otherwise they are found anywhere, so that the verbs `가.` and `마.` count as list markers.
    """
    if by_lines:
        text = re.sub(*_MARKERS_OF_LINES, text, flags=re.MULTILINE)
    text = f" {text}  ".replace("\n", " ")
    for pattern, replacement in _POINTS:
        text = re.sub(pattern, replacement, text)
    text = re.sub(r"\.{2,}", lambda found: _POINT * len(found[0]) + _END, text)
    for pattern, replacement in (*_ABBREVIATIONS, *([] if by_lines else [_MARKERS])):
        text = re.sub(pattern, replacement, text)
    for before, after in _QUOTED:
        text = text.replace(before, after)
    pieces = [piece.strip() for piece in re.split(rf"(?<=[.?!])|{_END}", text)]
    return len(pieces) - (not pieces[-1])


def constrained_response(response: str) -> bool:
    """Check that one of the three answers occurs."""
    return any(answer in response for answer in _ANSWERS)


def number_words(response: str, *, num_words: int, relation: str) -> bool:
    """Check the number of words separated by white space."""
    return compare(len(response.split()), relation, num_words)


def number_sentences(response: str, *, num_sentences: int, relation: str) -> bool:
    """Check the number of sentences."""
    return compare(count_sentences(response), relation, num_sentences)


def number_sentences_by_lines(response: str, *, num_sentences: int, relation: str) -> bool:
    """Check the number of sentences, with list markers only at the beginning of a line."""
    return compare(count_sentences(response, by_lines=True), relation, num_sentences)


def forbidden_words_with_particles(response: str, *, forbidden_words: Sequence[str]) -> bool:
    """Check that none of the words occurs, not even before a particle (`사과를`)."""
    return not any(word.lower() in response.lower() for word in forbidden_words)


def nth_paragraph_with_text_first_word(
    response: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str
) -> bool:
    """Check the number of paragraphs with text, and that the nth begins with this word, even before a particle."""
    paragraphs = [paragraph for paragraph in response.split("\n\n") if paragraph.strip()]
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs:
        return False
    return paragraphs[nth_paragraph - 1].lower().lstrip("'\"“‘ \n").startswith(first_word.lower())


def _normalised(checker: Checker) -> Checker:
    """Return a checker of texts in the form NFC, in which a Hangul syllable is one character."""

    @wraps(checker)
    def checks(response: str, **arguments: Any) -> bool:
        return checker(_nfc(response), **{name: _nfc(value) for name, value in arguments.items()})

    return checks


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    return [_nfc(each) for each in value] if isinstance(value, list | tuple) else value


def _all(checkers: Checkers, others: Checkers) -> Checkers:
    return {id_: _normalised(checker) for id_, checker in {**checkers, **others}.items()}


_OTHERS: Checkers = {
    "detectable_format:constrained_response": constrained_response,
    "length_constraints:number_words": number_words,
    "length_constraints:number_sentences": number_sentences,
}

FAITHFUL: Checkers = _all(ifeval_checkers.FAITHFUL, _OTHERS)
"""The published checkers, by instruction id."""

FIXED: Checkers = _all(
    ifeval_checkers.FIXED,
    {
        **_OTHERS,
        "length_constraints:number_sentences": number_sentences_by_lines,
        "length_constraints:nth_paragraph_first_word": nth_paragraph_with_text_first_word,
        "keywords:forbidden_words": forbidden_words_with_particles,
    },
)
"""The checkers with the defects in the README's table repaired, by instruction id."""
