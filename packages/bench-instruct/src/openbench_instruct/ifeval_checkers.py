"""The 25 instructions of IFEval, as functions of a response and of the arguments that a row gives.

Source: Zhou et al. 2023, Instruction-following evaluation for large language models, arXiv 2311.07911. The functions do
what the published code does; `FIXED` has those that repair a defect of it.
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
    """Every keyword occurs, in any letter case."""
    return all(_occurrences(keyword, response) for keyword in keywords)


def keyword_frequency(response: str, *, keyword: str, frequency: int, relation: str) -> bool:
    """A keyword occurs so often."""
    return compare(_occurrences(keyword.strip(), response), relation, frequency)


def forbidden_words(response: str, *, forbidden_words: Sequence[str]) -> bool:
    """None of the words occurs as a word."""
    return not any(re.search(rf"\b{_pattern(word)}\b", response, re.IGNORECASE) for word in forbidden_words)


def letter_frequency(response: str, *, letter: str, let_frequency: int, let_relation: str) -> bool:
    """A letter occurs so often; for a character that is no Latin letter, one is drawn, always the same."""
    wanted = letter.strip().lower()
    if wanted not in ascii_lowercase or len(wanted) != 1:
        wanted = random.Random(letter).choice(ascii_lowercase)  # noqa: S311 - no secret
    return compare(response.lower().count(wanted), let_relation, let_frequency)


def any_character_frequency(response: str, *, letter: str, let_frequency: int, let_relation: str) -> bool:
    """A character occurs so often, whether it is a letter or not."""
    return compare(response.lower().count(letter.strip().lower()), let_relation, let_frequency)


def response_language(response: str, *, language: str) -> bool:
    """The response is in this language, or in none that can be told."""
    return language_of(response) in {language, None}


def response_language_told(response: str, *, language: str) -> bool:
    """The response is in this language."""
    return language_of(response) == language


def number_sentences(response: str, *, num_sentences: int, relation: str) -> bool:
    """The response has so many sentences."""
    return compare(len(sentences(response)), relation, num_sentences)


def number_words(response: str, *, num_words: int, relation: str) -> bool:
    """The response has so many words."""
    return compare(count_words(response), relation, num_words)


def number_paragraphs(response: str, *, num_paragraphs: int) -> bool:
    """The response has so many paragraphs, separated by `***`, and none between two separators is blank."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\s?\*\*\*\s?", response)]
    return all(paragraphs[1:-1]) and sum(map(bool, paragraphs)) == num_paragraphs


def nth_paragraph_first_word(response: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str) -> bool:
    """There are so many paragraphs with text, and the nth of all, blank ones included, begins with this word."""
    paragraphs = [paragraph.strip() for paragraph in response.split("\n\n")]
    with_text = sum(map(bool, paragraphs))
    if with_text != num_paragraphs or nth_paragraph > with_text or not paragraphs[nth_paragraph - 1]:
        return False
    return _first_words(paragraphs[nth_paragraph - 1], 1) == [first_word.lower()]


def nth_paragraph_with_text_first_words(
    response: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str
) -> bool:
    """There are so many paragraphs with text, and the nth of these begins with these words, one or several."""
    paragraphs = [paragraph for paragraph in response.split("\n\n") if paragraph.strip()]
    wanted = _first_words(first_word, len(first_word.split()))
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs or not wanted:
        return False
    return _first_words(paragraphs[nth_paragraph - 1], len(wanted)) == wanted


def number_placeholders(response: str, *, num_placeholders: int) -> bool:
    """At least so many placeholders in square brackets occur."""
    return len(re.findall(r"\[.*?\]", response)) >= num_placeholders


def postscript(response: str, *, postscript_marker: str) -> bool:
    """A postscript with this marker occurs."""
    marker = postscript_marker.strip()
    patterns = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return re.search(patterns.get(marker, _pattern(marker.lower())), response.lower()) is not None


def number_bullet_lists(response: str, *, num_bullets: int) -> bool:
    """Exactly so many lines begin with `*` or `-`."""
    marks = (r"^\s*\*[^*].*$", r"^\s*-.*$")
    return sum(len(re.findall(mark, response, re.MULTILINE)) for mark in marks) == num_bullets


def constrained_response(response: str) -> bool:
    """One of the three answers occurs."""
    return any(answer in response for answer in _ANSWERS)


def number_highlighted_sections(response: str, *, num_highlights: int) -> bool:
    """At least so many passages stand between single or double asterisks."""
    single = [text.strip("*") for text in re.findall(r"\*[^\n*]*\*", response)]
    double = [text[2:-2] for text in re.findall(r"\*\*[^\n*]*\*\*", response)]
    return sum(bool(text.strip()) for text in [*single, *double]) >= num_highlights


def multiple_sections(response: str, *, section_spliter: str, num_sections: int) -> bool:
    """At least so many section marks with a number occur."""
    return len(re.findall(rf"\s?{_pattern(section_spliter.strip())}\s?\d+\s?", response)) >= num_sections


def json_format(response: str) -> bool:
    """The response is JSON, but for a fence around it."""
    text = response.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        json.loads(text.removesuffix("```").strip())
    except (ValueError, RecursionError):
        return False
    return True


def title(response: str) -> bool:
    """A title in double angular brackets occurs."""
    return any(found.lstrip("<").rstrip(">").strip() for found in re.findall(r"<<[^\n]+>>", response))


def two_responses(response: str) -> bool:
    """Two different texts are separated by six asterisks, with nothing blank between separators."""
    texts = [text.strip() for text in response.split("******")]
    given = [text for text in texts if text]
    return all(texts[1:-1]) and len(given) == 2 and given[0] != given[1]  # noqa: PLR2004 - two responses


def repeat_prompt(response: str, *, prompt_to_repeat: str) -> bool:
    """The response begins with the request, in any letter case."""
    return response.strip().lower().startswith(prompt_to_repeat.strip().lower())


def end_checker(response: str, *, end_phrase: str) -> bool:
    """The response ends with this phrase, in any letter case, perhaps within quotation marks."""
    return response.strip().strip('"').lower().endswith(end_phrase.strip().lower())


def capital_word_frequency(response: str, *, capital_frequency: int, capital_relation: str) -> bool:
    """So many words are in capital letters."""
    return compare(sum(word.isupper() for word in words(response)), capital_relation, capital_frequency)


def english_capital(response: str) -> bool:
    """The response is in English, as far as that can be told of capital letters, and all its letters are capital."""
    return response.isupper() and language_of(response) in {"en", None}


def english_capital_folded(response: str) -> bool:
    """All letters are capital, and the response is in English, which is told of its small letters."""
    return response.isupper() and language_of(response.lower()) == "en"


def english_lowercase(response: str) -> bool:
    """The response is in English, and no letter is capital."""
    return response.islower() and language_of(response) in {"en", None}


def no_comma(response: str) -> bool:
    """No comma occurs."""
    return "," not in response


def quotation(response: str) -> bool:
    """The response stands between double quotation marks."""
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
"""The checkers by the ids that rows have, as published."""

FIXED: Checkers = {
    **FAITHFUL,
    "keywords:letter_frequency": any_character_frequency,
    "language:response_language": response_language_told,
    "length_constraints:nth_paragraph_first_word": nth_paragraph_with_text_first_words,
    "change_case:english_capital": english_capital_folded,
}
"""The same, with the defects of the README's table repaired."""


def _occurrences(keyword: str, text: str) -> int:
    """Count what a keyword, which is a pattern, matches in any letter case."""
    return len(re.findall(_pattern(keyword), text, re.IGNORECASE))


def _pattern(text: str) -> str:
    """Return a text that is a regular expression as it is; any other stands for itself."""
    try:
        re.compile(text)
    except re.error:
        return re.escape(text)
    return text


def _first_words(text: str, count: int) -> list[str]:
    """Return the first words in lower case, without quotation marks before and punctuation after."""
    return [
        re.split(r"[.,?!'\"]", word.lstrip("'").lstrip('"'), maxsplit=1)[0].lower() for word in text.split()[:count]
    ]
