"""The 25 instructions of IFEval, as functions of a response and the row's arguments.

Source: Zhou et al. 2023, Instruction-following evaluation for large language models, arXiv 2311.07911. The functions
match the published code; `FIXED` repairs its known defects.
"""

import json
import random
import re
from collections.abc import Sequence
from string import ascii_lowercase

from openbench_instruct.instructions import Checkers, compare
from openbench_instruct.language import language_of
from openbench_instruct.text import count_words, sentences, words

_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_FENCES = ("```json", "```Json", "```JSON", "```")


def keywords_existence(response: str, *, keywords: Sequence[str]) -> bool:
    """Check that every keyword occurs, in any case."""
    return all(_occurrences(keyword, response) for keyword in keywords)


def keyword_frequency(response: str, *, keyword: str, frequency: int, relation: str) -> bool:
    """Check how often a keyword occurs."""
    return compare(_occurrences(keyword.strip(), response), relation, frequency)


def forbidden_words(response: str, *, forbidden_words: Sequence[str]) -> bool:
    """Check that none of the words occurs as a whole word."""
    return not any(re.search(rf"\b{_pattern(word)}\b", response, re.IGNORECASE) for word in forbidden_words)


def letter_frequency(response: str, *, letter: str, let_frequency: int, let_relation: str) -> bool:
    """Check how often a letter occurs; a fixed random letter replaces a character that is not a Latin letter."""
    wanted = letter.strip().lower()
    if wanted not in ascii_lowercase or len(wanted) != 1:
        wanted = random.Random(letter).choice(ascii_lowercase)  # noqa: S311 - not security-related
    return compare(response.lower().count(wanted), let_relation, let_frequency)


def any_character_frequency(response: str, *, letter: str, let_frequency: int, let_relation: str) -> bool:
    """Check how often a character occurs, whether it is a letter or not."""
    return compare(response.lower().count(letter.strip().lower()), let_relation, let_frequency)


def response_language(response: str, *, language: str) -> bool:
    """Check that the response is in this language, or that its language cannot be detected."""
    return language_of(response) in {language, None}


def response_language_detected(response: str, *, language: str) -> bool:
    """Check that the response is in this language."""
    return language_of(response) == language


def number_sentences(response: str, *, num_sentences: int, relation: str) -> bool:
    """Check the number of sentences."""
    return compare(len(sentences(response)), relation, num_sentences)


def number_words(response: str, *, num_words: int, relation: str) -> bool:
    """Check the number of words."""
    return compare(count_words(response), relation, num_words)


def number_paragraphs(response: str, *, num_paragraphs: int) -> bool:
    """Check the number of paragraphs separated by `***`; none between two separators may be blank."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\s?\*\*\*\s?", response)]
    return all(paragraphs[1:-1]) and sum(map(bool, paragraphs)) == num_paragraphs


def nth_paragraph_first_word(response: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str) -> bool:
    """Check the number of paragraphs with text, and the first word of the nth of all, including blank ones."""
    paragraphs = [paragraph.strip() for paragraph in response.split("\n\n")]
    with_text = sum(map(bool, paragraphs))
    if with_text != num_paragraphs or nth_paragraph > with_text or not paragraphs[nth_paragraph - 1]:
        return False
    return _first_words(paragraphs[nth_paragraph - 1], 1) == [first_word.lower()]


def nth_paragraph_with_text_first_words(
    response: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str
) -> bool:
    """Check the number of paragraphs with text, and the first word or words of the nth of these."""
    paragraphs = [paragraph for paragraph in response.split("\n\n") if paragraph.strip()]
    wanted = _first_words(first_word, len(first_word.split()))
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs or not wanted:
        return False
    return _first_words(paragraphs[nth_paragraph - 1], len(wanted)) == wanted


def number_placeholders(response: str, *, num_placeholders: int) -> bool:
    """Check for a minimum number of placeholders in square brackets."""
    return len(re.findall(r"\[.*?\]", response)) >= num_placeholders


def postscript(response: str, *, postscript_marker: str) -> bool:
    """Check that a postscript with this marker occurs."""
    marker = postscript_marker.strip()
    patterns = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return re.search(patterns.get(marker, _pattern(marker.lower())), response.lower()) is not None


def number_bullet_lists(response: str, *, num_bullets: int) -> bool:
    """Check for an exact number of lines that begin with `*` or `-`."""
    marks = (r"^\s*\*[^*].*$", r"^\s*-.*$")
    return sum(len(re.findall(mark, response, re.MULTILINE)) for mark in marks) == num_bullets


def constrained_response(response: str) -> bool:
    """Check that one of the three answers occurs."""
    return any(answer in response for answer in _ANSWERS)


def number_highlighted_sections(response: str, *, num_highlights: int) -> bool:
    """Check for a minimum number of passages between single or double asterisks."""
    single = [text.strip("*") for text in re.findall(r"\*[^\n*]*\*", response)]
    double = [text[2:-2] for text in re.findall(r"\*\*[^\n*]*\*\*", response)]
    return sum(bool(text.strip()) for text in [*single, *double]) >= num_highlights


def multiple_sections(response: str, *, section_spliter: str, num_sections: int) -> bool:
    """Check for a minimum number of numbered section markers."""
    return len(re.findall(rf"\s?{_pattern(section_spliter.strip())}\s?\d+\s?", response)) >= num_sections


def json_format(response: str) -> bool:
    """Check that the response is JSON, optionally fenced."""
    text = response.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        json.loads(text.removesuffix("```").strip())
    except (ValueError, RecursionError):
        return False
    return True


def title(response: str) -> bool:
    """Check that a title in double angle brackets occurs."""
    return any(found.lstrip("<").rstrip(">").strip() for found in re.findall(r"<<[^\n]+>>", response))


def two_responses(response: str) -> bool:
    """Check for two different texts separated by six asterisks; none between two separators may be blank."""
    texts = [text.strip() for text in response.split("******")]
    given = [text for text in texts if text]
    return all(texts[1:-1]) and len(given) == 2 and given[0] != given[1]  # noqa: PLR2004 - two responses


def repeat_prompt(response: str, *, prompt_to_repeat: str) -> bool:
    """Check that the response begins with the request, in any case."""
    return response.strip().lower().startswith(prompt_to_repeat.strip().lower())


def end_checker(response: str, *, end_phrase: str) -> bool:
    """Check that the response ends with this phrase, in any case, optionally within quotation marks."""
    return response.strip().strip('"').lower().endswith(end_phrase.strip().lower())


def capital_word_frequency(response: str, *, capital_frequency: int, capital_relation: str) -> bool:
    """Check the number of words in capital letters."""
    return compare(sum(word.isupper() for word in words(response)), capital_relation, capital_frequency)


def english_capital(response: str) -> bool:
    """Check that all letters are capital, and that their language is English or cannot be detected."""
    return response.isupper() and language_of(response) in {"en", None}


def english_capital_folded(response: str) -> bool:
    """Check that all letters are capital, and that the lower-cased response is in English."""
    return response.isupper() and language_of(response.lower()) == "en"


def english_lowercase(response: str) -> bool:
    """Check that no letter is capital, and that the language is English or cannot be detected."""
    return response.islower() and language_of(response) in {"en", None}


def no_comma(response: str) -> bool:
    """Check that no comma occurs."""
    return "," not in response


def quotation(response: str) -> bool:
    """Check that the response is enclosed in double quotation marks."""
    text = response.strip()
    return len(text) > 1 and text[0] == text[-1] == '"'


FAITHFUL: Checkers = {
    "keywords:existence": keywords_existence,
    "keywords:frequency": keyword_frequency,
    "keywords:forbidden_words": forbidden_words,
    "keywords:letter_frequency": letter_frequency,
    "language:response_language": response_language,
    "length_constraints:number_sentences": number_sentences,
    "length_constraints:number_paragraphs": number_paragraphs,
    "length_constraints:number_words": number_words,
    "length_constraints:nth_paragraph_first_word": nth_paragraph_first_word,
    "detectable_content:number_placeholders": number_placeholders,
    "detectable_content:postscript": postscript,
    "detectable_format:number_bullet_lists": number_bullet_lists,
    "detectable_format:constrained_response": constrained_response,
    "detectable_format:number_highlighted_sections": number_highlighted_sections,
    "detectable_format:multiple_sections": multiple_sections,
    "detectable_format:json_format": json_format,
    "detectable_format:title": title,
    "combination:two_responses": two_responses,
    "combination:repeat_prompt": repeat_prompt,
    "startend:end_checker": end_checker,
    "startend:quotation": quotation,
    "change_case:capital_word_frequency": capital_word_frequency,
    "change_case:english_capital": english_capital,
    "change_case:english_lowercase": english_lowercase,
    "punctuation:no_comma": no_comma,
}
"""The published checkers, by instruction id."""

FIXED: Checkers = {
    **FAITHFUL,
    "keywords:letter_frequency": any_character_frequency,
    "language:response_language": response_language_detected,
    "length_constraints:nth_paragraph_first_word": nth_paragraph_with_text_first_words,
    "change_case:english_capital": english_capital_folded,
}
"""The checkers with the defects in the README's table repaired, by instruction id."""


def _occurrences(keyword: str, text: str) -> int:
    """Count the matches of a keyword, which is a pattern, in any case."""
    return len(re.findall(_pattern(keyword), text, re.IGNORECASE))


def _pattern(text: str) -> str:
    """Return a valid regular expression unchanged, and any other text escaped."""
    try:
        re.compile(text)
    except re.error:
        return re.escape(text)
    return text


def _first_words(text: str, count: int) -> list[str]:
    """Return the first words in lower case, without leading quotation marks and trailing punctuation."""
    return [
        re.split(r"[.,?!'\"]", word.lstrip("'").lstrip('"'), maxsplit=1)[0].lower() for word in text.split()[:count]
    ]
