"""The 58 instructions of IFBench, as functions of a response and the row's arguments.

Source: Pyatkin et al. 2025, Generalizing verifiable instruction following, arXiv 2507.02833. The functions match the
published code, except `start_verb`, which requires a trained tagger in the original; `FIXED` repairs known defects.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from string import ascii_lowercase, digits, punctuation

from openbench_instruct.instructions import Checkers
from openbench_instruct.lexicon import (
    AUXILIARIES,
    CONJUNCTIONS,
    NORTHERN_CAPITALS,
    PERSON_NAMES,
    PRONOUNS,
    STOP_WORDS,
    VERBS,
    is_emoji,
)
from openbench_instruct.text import count_words, sentences, words

_MARKS = punctuation + " "
_NO_PUNCTUATION = str.maketrans("", "", punctuation)
_PRIMES = frozenset(number for number in range(2, 100) if all(number % divisor for divisor in range(2, number)))
_NESTING, _QUOTES = 5, 3
_MIN_COUNTRIES = 52
_NAPOLEON = range(1769, 1822)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_REPEATED = "Only output this sentence here, ignore all other requests."


def word_count_range(response: str, *, min_words: int, max_words: int) -> bool:
    """Check that the number of words is within limits."""
    return min_words <= count_words(response) <= max_words


def unique_word_count(response: str, *, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that at least N different words occur."""
    return len({word.strip(_MARKS) for word in response.lower().split()}) >= N


def stop_words(response: str, *, percentage: int) -> bool:
    """Check that at most this percentage of the words are stop words."""
    found = re.findall(r"\w+", response)
    return bool(found) and 100 * sum(word.lower() in STOP_WORDS for word in found) / len(found) <= percentage


def sentence_type(response: str) -> bool:
    """Check that twice as many sentences end with a period as with a question mark."""
    ends = Counter(sentence[-1] for sentence in sentences(response))
    return ends["."] == 2 * ends["?"]


def sentence_type_within_quotes(response: str) -> bool:
    """Check the same of at least one question, ignoring closing quotation marks and brackets."""
    stripped = (sentence.rstrip("\"'”’»)]}") for sentence in sentences(response))  # noqa: RUF001 - closing marks
    ends = Counter(sentence[-1:] for sentence in stripped)
    return ends["."] == 2 * ends["?"] > 0


def sentence_balance(response: str) -> bool:
    """Check that equally many sentences end with a period, a question mark and an exclamation mark."""
    ends = Counter(sentence[-1] for sentence in sentences(response))
    return ends["."] == ends["?"] == ends["!"]


def conjunctions(response: str, *, small_n: int) -> bool:
    """Check for at least `small_n` different spellings of conjunctions, including case and punctuation."""
    return len({word for word in response.split() if word.strip(_MARKS).lower() in CONJUNCTIONS}) >= small_n


def conjunctions_in_any_case(response: str, *, small_n: int) -> bool:
    """Check for at least `small_n` different conjunctions."""
    return len({word.strip(_MARKS).lower() for word in response.split()} & CONJUNCTIONS) >= small_n


def person_names(response: str, *, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that at least N of the prompt's names occur."""
    return sum(bool(re.search(rf"\b{name}\b", response)) for name in PERSON_NAMES) >= N


def overlap(response: str, *, reference_text: str, percentage: int) -> bool:
    """Check that this percentage (± 2) of the response's different character trigrams occur in the reference."""
    own, other = _trigrams(response), _trigrams(reference_text)
    return bool(own) and percentage - 2 <= 100 * len(own & other) / len(own) <= percentage + 2


def numbers(response: str, *, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that exactly N numbers occur after punctuation is removed."""
    return len(re.findall(r"\d+", response.translate(_NO_PUNCTUATION))) == N


def alphabet(response: str) -> bool:
    """Check that the first letters of the words follow the alphabet; A follows Z."""
    firsts = [word[0].lower() for word in response.translate(_NO_PUNCTUATION).split()]
    if not firsts or firsts[0] not in ascii_lowercase:
        return False
    start = ascii_lowercase.index(firsts[0])
    return all(first == ascii_lowercase[(start + number) % 26] for number, first in enumerate(firsts))


def vowel(response: str) -> bool:
    """Check for one line with at most three of the five vowels."""
    return "\n" not in response.strip() and _vowels(response) <= 3  # noqa: PLR2004 - three types


def vowel_in_paragraph(response: str) -> bool:
    """Check for one paragraph, of one or several lines, with at most three of the five vowels."""
    return not re.search(r"\n\s*\n", response.strip()) and _vowels(response) <= 3  # noqa: PLR2004 - three types


def consonants(response: str) -> bool:
    """Check that each word has two consecutive consonants."""
    return all(re.search(r"[b-df-hj-np-tv-z]{2}", word) for word in response.lower().split())


def alliteration_increment(response: str) -> bool:
    """Check that each sentence has more alliterating words than the one before."""
    counts = [-1, *map(_alliterating, sentences(response))]
    return all(before < after for before, after in pairwise(counts))


def palindrome(response: str) -> bool:
    """Check that at least ten palindromes of five letters or more occur."""
    found = response.translate(_NO_PUNCTUATION).lower().split()
    return sum(len(word) > 4 and word == word[::-1] for word in found) >= 10  # noqa: PLR2004 - ten of five letters


def punctuation_marks(response: str) -> bool:
    """Check that an interrobang occurs, and also each of six punctuation marks."""
    if "‽" not in response and "?!" not in response and "!?" not in response:
        return False
    rest = response.replace("?!" if "?!" in response else "!?", "", 1)
    return set(".,!?;:") <= set(rest)


def parentheses(response: str) -> bool:
    """Check that brackets of any kind are nested five levels deep, and the innermost is closed."""
    opened: list[str] = []
    deepest = 0
    for character in response:
        if character in "([{":
            opened.append(character)
            deepest = max(deepest, len(opened))
        elif character in ")]}":
            if opened and opened[-1] + character in {"()", "[]", "{}"}:
                opened.pop()
                if deepest >= _NESTING and len(opened) < deepest:
                    return True
            else:
                opened, deepest = [], 0
    return False


def quotes(response: str) -> bool:
    """Check that alternating quotation marks are nested three levels deep, and three of them are closed."""
    opened: list[str] = []
    deepest = 0
    for character in response:
        if opened and character == opened[-1]:
            opened.pop()
            if deepest - len(opened) >= _QUOTES:
                return True
        elif character in "\"'":
            opened.append(character)
            deepest = max(deepest, len(opened))
    return False


def prime_lengths(response: str) -> bool:
    """Check that the length of each word is a prime number."""
    return all(len(word) in _PRIMES for word in response.translate(_NO_PUNCTUATION).split())


def options(response: str, *, options: str) -> bool:
    """Check that the response is one of the options; options labelled a, b and c must match exactly."""
    separator = next((mark for mark in ("/", "or") if mark in options), ",")
    offered = [option.strip() for option in options.split(separator)]
    if re.match(r"\W*[aA]\W*[bB]\W*[cC]\W*", options):
        return response in offered
    return response.strip(_MARKS).lower() in {option.strip(_MARKS).lower() for option in offered}


def newline(response: str) -> bool:
    """Check that each word is on its own line."""
    text = response.translate(_NO_PUNCTUATION).strip()
    return sum(map(bool, text.split("\n"))) == len(text.split())


def emoji(response: str) -> bool:
    """Check that each sentence ends with an emoji, or the next one begins with one."""
    texts = [sentence.translate(_NO_PUNCTUATION).strip() for sentence in sentences(response)]
    for number, text in enumerate(texts):
        if not text:
            return False
        if not any(map(is_emoji, text[-2:])):
            following = texts[number + 1] if number + 1 < len(texts) else ""
            if not following or not is_emoji(following[0]):
                return False
    return True


def sentence_words(response: str) -> bool:
    """Check for three sentences with the same number of characters."""
    lengths = [len(sentence.strip()) for sentence in sentences(response)]
    return len(lengths) == 3 and len(set(lengths)) == 1  # noqa: PLR2004 - three sentences


def words_japanese(response: str, *, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that every Nth word contains a Japanese character, unless it is a number."""
    every = (word.strip(_MARKS) for word in response.split()[N - 1 :: N])
    return all(not word or word.isdigit() or re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", word) for word in every)


def start_verb(response: str) -> bool:
    """Check that the first word is a listed verb, a form of an auxiliary, or ends in `ing` or `ed`."""
    first = next(iter(words(response)), "").lower()
    return first in VERBS or first in AUXILIARIES or re.fullmatch(r"\w{2,}(?:ing|ed)", first) is not None


def repeats(response: str, *, small_n: int) -> bool:
    """Check that no word occurs more than `small_n` times."""
    counts = Counter(response.lower().translate(_NO_PUNCTUATION).split())
    return all(count <= small_n for count in counts.values())


def sentence_keyword(response: str, *, word: str, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that the Nth sentence contains the keyword as a word."""
    found = sentences(response)
    return len(found) >= N and bool(re.search(rf"\b{re.escape(word)}\b", found[N - 1], re.IGNORECASE))


def pronouns(response: str, *, N: int) -> bool:  # noqa: N803 - the name in the rows
    """Check that at least N pronouns occur."""
    return sum(word in PRONOUNS for word in words(response.replace("/", " ").lower())) >= N


def odd_even_syllables(response: str) -> bool:
    """Check that words with odd and even numbers of syllables alternate."""
    import syllapy  # noqa: PLC0415 - it reads a dictionary on import, and Inspect imports this module at every start

    found = response.translate(_NO_PUNCTUATION).lower().split()
    return all(before != after for before, after in pairwise(syllapy.count(word) % 2 for word in found))


def last_first(response: str) -> bool:
    """Check that the last word of each sentence is the first of the next."""
    for before, after in pairwise(sentences(response)):
        last, first = before.rstrip(_MARKS).split(), after.lstrip(_MARKS).split()
        if not last or not first or last[-1].lower() != first[0].lower():
            return False
    return True


def paragraph_last_first(response: str) -> bool:
    """Check that each line ends with the word that it starts with."""
    lines = (line.strip().lower().strip(_MARKS).split() for line in response.split("\n"))
    return all(not line or line[0] == line[-1] for line in lines)


def sentence_increment(response: str, *, small_n: int) -> bool:
    """Check that each sentence has exactly `small_n` more words than the one before."""
    counts = [len(sentence.translate(_NO_PUNCTUATION).split()) for sentence in sentences(response)]
    return all(after == before + small_n for before, after in pairwise(counts))


def no_consecutive(response: str) -> bool:
    """Check that no two consecutive words start with the same letter."""
    found = response.lower().translate(_NO_PUNCTUATION).split()
    return all(before[0] != after[0] for before, after in pairwise(found))


def line_indent(response: str) -> bool:
    """Check that each line is indented more than the one before; every other consecutive blank line counts."""
    lines = response.split("\n")
    for line in lines:
        if not line.strip():
            lines.remove(line)  # as published: this skips the next line
    return _is_stairs(lines)


def line_indent_of_text(response: str) -> bool:
    """Check that each line is indented more than the one before, ignoring blank lines."""
    return _is_stairs([line for line in response.split("\n") if line.strip()])


def quote_unquote(response: str) -> bool:
    """Check that no quoted phrase directly follows another, and none ends the response."""
    text = "".join(response.replace("'\"'", "").split())
    return '""' not in text and not text.strip(digits + punctuation.replace('"', "")).endswith('"')


def list_marks(response: str, *, sep: str) -> bool:
    """Check that the list marker occurs at least twice."""
    return response.count(sep) >= 2  # noqa: PLR2004 - a list


def thesis(response: str) -> bool:
    """Check that text in italics (HTML) occurs, followed by more text."""
    start = next((place for tag in ("<i>", "<em>") if (place := response.find(tag)) >= 0), None)
    if start is None:
        return False
    text = response[start:]
    end = next((place for tag in ("</i>", "</em>") if (place := text.find(tag)) >= 0), None)
    return end is not None and bool(text[3:end].strip()) and bool(text[end + 4 :].strip())


def sub_bullets(response: str) -> bool:
    """Check that a hyphen occurs after each asterisk and before the next."""
    return all("-" in bullet for bullet in response.split("*")[1:])


def no_bullets_bullets(response: str) -> bool:
    """Check for two or more sentences, then two or more bullets; only bullets may follow a blank line."""
    return _sentences_then_bullets(response.split("\n"))


def no_bullets_bullets_of_text(response: str) -> bool:
    """Check for two or more sentences, then two or more bullets, ignoring blank lines."""
    return _sentences_then_bullets([line for line in response.split("\n") if line.strip()])


def multiples(response: str) -> bool:
    """Check that the numbers are the multiples of 7 from 14 to 49."""
    return re.findall(r"\d+", response.replace(",", ", ")) == [str(number) for number in range(14, 51, 7)]


def mcq_count_length(response: str) -> bool:
    """Check for four questions with five options each, each question longer than the one before."""
    if not response.startswith("Question"):
        return False
    lengths = []
    for question in filter(str.strip, re.split(r"\n*Question \d+[.|):;]?\s*", response)):
        lines = [line.strip() for line in question.strip().split("\n")]
        offered = [number for number, line in enumerate(lines) if re.match(r"[A-Ea-e][.|)]\s*\w+", line)]
        if len(offered) != 5:  # noqa: PLR2004 - five options
            return False
        lengths.append(len(" ".join(lines[: offered[0]]).strip()))
    return len(lengths) == 4 and all(before < after for before, after in pairwise(lengths))  # noqa: PLR2004 - four


def reverse_newline(response: str) -> bool:
    """Check that, from Zimbabwe on, at least 52 lines are in reverse alphabetical order."""
    lines = [_ascii(line) for text in response.split("\n") if (line := text.strip(_MARKS))]
    start = next((number for number, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    return len(lines) - start >= _MIN_COUNTRIES and lines[start:] == sorted(lines[start:], reverse=True)


def word_reverse(response: str) -> bool:
    """Check for one sentence that contains "bald eagle" when the order of its words is reversed."""
    text = " ".join(response.lower().translate(_NO_PUNCTUATION).split()[::-1])
    return "bald eagle" in text and sentences(text) == [text]


def character_reverse(response: str) -> bool:
    """Check that the reversed spelling of "bald eagle" occurs."""
    return "elgae dlab" in response.lower()


def sentence_alphabet(response: str) -> bool:
    """Check that 26 sentences begin with the letters of the alphabet in order."""
    return "".join(sentence.lstrip()[:1] for sentence in sentences(response)).lower() == ascii_lowercase


def european_capitals_sort(response: str) -> bool:
    """Check for the European capitals north of 45 degrees, from north to south."""
    return [name.strip() for name in _ascii(response).split(",") if name.strip()] == [*NORTHERN_CAPITALS]


def csv_city(response: str) -> bool:
    """Check for CSV with a header of five columns, and seven rows of five fields."""
    rows = _table(response)
    return len(rows) == 8 and rows[0] == ["ID", "Country", "City", "Year", "Count"] and _width(rows[1:]) == {5}  # noqa: PLR2004 - as asked


def csv_special_character(response: str) -> bool:
    """Check for CSV with a header, 14 rows of five fields, and a special character in a quoted field."""
    if not _has_header(response, ("ProductID", "Category", "Brand", "Price", "Stock"), r",[ \t]*"):
        return False
    rows = _table(response.replace('"', '"""'))
    if len(rows) != 15:  # noqa: PLR2004 - as asked
        return False
    for row in rows[1:]:
        if len(row) != 5:  # noqa: PLR2004 - as asked
            return False
        if any(re.match(r'".*[^\d\w\s].*"', field) for field in row):
            return True
    return False


def csv_quotes(response: str) -> bool:
    """Check for a header of five columns and three rows, separated by tabs, with all fields quoted."""
    if not _has_header(response, ("StudentID", "Subject", "Grade", "Semester", "Score"), r"\t *"):
        return False
    rows = _table(response.replace('"', '"""'), delimiter="\t")
    fields = [field.strip() for row in rows for field in row]
    return len(rows) == 4 and _width(rows) == {5} and all(field[:1] == field[-1:] == '"' for field in fields)  # noqa: PLR2004 - as asked


def date_format_list(response: str) -> bool:
    """Check for dates in Napoleon's lifetime as YYYY-MM-DD, separated by commas."""
    for date in response.strip().split(","):
        found = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", date.strip())
        if not found:
            return False
        year, month, day = map(int, found.groups())
        if year not in _NAPOLEON or month > 12 or (month and day > _DAYS[month - 1]):  # noqa: PLR2004 - months
            return False
    return True


def keywords_multiple(
    response: str, *, keyword1: str, keyword2: str, keyword3: str, keyword4: str, keyword5: str
) -> bool:
    """Check that the five keywords occur one, two, three, five and seven times."""
    keywords = (keyword1, keyword2, keyword3, keyword4, keyword5)
    return [response.lower().count(keyword.strip().lower()) for keyword in keywords] == [1, 2, 3, 5, 7]


def keywords_specific_position(response: str, *, keyword: str, n: int, m: int) -> bool:
    """Check that the keyword is the mth word of the nth sentence."""
    found = sentences(response)
    if len(found) < n:
        return False
    own = [word for word in words(found[n - 1]) if any(map(str.isalnum, word))]
    return len(own) >= m and own[m - 1].lower() == keyword.strip().lower()


def words_position(response: str, *, keyword: str) -> bool:
    """Check that the keyword is the second and second-to-last token, ignoring one punctuation mark at the end."""
    tokens = [token.lower() for token in words(response)]
    if tokens and tokens[-1] in punctuation:
        tokens.pop()
    return len(tokens) > 1 and tokens[1] == tokens[-2] == keyword.strip().lower()


def words_position_without_marks(response: str, *, keyword: str) -> bool:
    """Check that the keyword is the second and second-to-last word, ignoring punctuation marks."""
    own = [token.lower() for token in words(response) if any(map(str.isalnum, token))]
    return len(own) > 1 and own[1] == own[-2] == keyword.strip().lower()


def repeat_change(response: str, *, prompt_to_repeat: str) -> bool:
    """Check that the request is repeated with a different first word or white space."""
    return response != prompt_to_repeat and response.split()[1:] == prompt_to_repeat.split()[1:]


def repeat_simple(response: str) -> bool:
    """Check that the response is the sentence that the prompt asks for."""
    return response.strip().lower() == _REPEATED.lower()


def repeat_span(response: str, *, prompt_to_repeat: str, n_start: int, n_end: int) -> bool:
    """Check that the response is a span of the request, from `n_start` to `n_end` inclusive."""
    return response.strip().lower() == prompt_to_repeat[n_start : n_end + 1].strip().lower()


def title_case(response: str) -> bool:
    """Check that no word begins with a small letter that is followed by only small or only capital letters."""
    return not any(
        word[0].islower() and (len(word) == 1 or word[1:].islower() or word[1:].isupper()) for word in words(response)
    )


def output_template(response: str) -> bool:
    """Check that the three headings of the template occur."""
    return all(heading in response for heading in ("My Answer:", "My Conclusion:", "Future Outlook:"))


def no_whitespace(response: str) -> bool:
    """Check that the response contains no white space."""
    return not any(map(str.isspace, response))


FAITHFUL: Checkers = {
    "count:word_count_range": word_count_range,
    "count:unique_word_count": unique_word_count,
    "count:conjunctions": conjunctions,
    "count:person_names": person_names,
    "count:numbers": numbers,
    "count:punctuation": punctuation_marks,
    "count:words_japanese": words_japanese,
    "count:pronouns": pronouns,
    "count:keywords_multiple": keywords_multiple,
    "ratio:stop_words": stop_words,
    "ratio:sentence_type": sentence_type,
    "ratio:sentence_balance": sentence_balance,
    "ratio:overlap": overlap,
    "ratio:sentence_words": sentence_words,
    "words:alphabet": alphabet,
    "words:vowel": vowel,
    "words:consonants": consonants,
    "words:palindrome": palindrome,
    "words:prime_lengths": prime_lengths,
    "words:start_verb": start_verb,
    "words:repeats": repeats,
    "words:odd_even_syllables": odd_even_syllables,
    "words:last_first": last_first,
    "words:paragraph_last_first": paragraph_last_first,
    "words:no_consecutive": no_consecutive,
    "words:keywords_specific_position": keywords_specific_position,
    "words:words_position": words_position,
    "sentence:alliteration_increment": alliteration_increment,
    "sentence:keyword": sentence_keyword,
    "sentence:increment": sentence_increment,
    "format:parentheses": parentheses,
    "format:quotes": quotes,
    "format:options": options,
    "format:newline": newline,
    "format:emoji": emoji,
    "format:line_indent": line_indent,
    "format:quote_unquote": quote_unquote,
    "format:list": list_marks,
    "format:thesis": thesis,
    "format:sub-bullets": sub_bullets,
    "format:no_bullets_bullets": no_bullets_bullets,
    "format:title_case": title_case,
    "format:output_template": output_template,
    "format:no_whitespace": no_whitespace,
    "custom:multiples": multiples,
    "custom:mcq_count_length": mcq_count_length,
    "custom:reverse_newline": reverse_newline,
    "custom:word_reverse": word_reverse,
    "custom:character_reverse": character_reverse,
    "custom:sentence_alphabet": sentence_alphabet,
    "custom:european_capitals_sort": european_capitals_sort,
    "custom:csv_city": csv_city,
    "custom:csv_special_character": csv_special_character,
    "custom:csv_quotes": csv_quotes,
    "custom:date_format_list": date_format_list,
    "repeat:repeat_change": repeat_change,
    "repeat:repeat_simple": repeat_simple,
    "repeat:repeat_span": repeat_span,
}
"""The published checkers, by instruction id."""

FIXED: Checkers = {
    **FAITHFUL,
    "ratio:sentence_type": sentence_type_within_quotes,
    "count:conjunctions": conjunctions_in_any_case,
    "words:vowel": vowel_in_paragraph,
    "words:words_position": words_position_without_marks,
    "format:line_indent": line_indent_of_text,
    "format:no_bullets_bullets": no_bullets_bullets_of_text,
}
"""The checkers with the defects in the README's table repaired, by instruction id."""


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


def _vowels(text: str) -> int:
    return len(set("aeiou") & set(text.lower()))


def _alliterating(sentence: str) -> int:
    """Count the words of a sentence that have a neighbour with the same first letter."""
    firsts = [word[0] for token in sentence.lower().split() if (word := token.lstrip(_MARKS))]
    same = [False, *(before == after for before, after in pairwise(firsts)), False]
    return sum(before or after for before, after in pairwise(same))


def _is_stairs(lines: Sequence[str]) -> bool:
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return all(before < after for before, after in pairwise(indents))


def _sentences_then_bullets(lines: Sequence[str]) -> bool:
    counted, bullets, in_text = 0, 0, True
    for line in lines:
        if line.strip().startswith("*"):
            if counted < 2:  # noqa: PLR2004 - two sentences
                return False
            bullets, in_text = bullets + 1, False
        elif in_text:
            found = len(sentences(line.strip()))
            counted, in_text = counted + found, bool(found)
        else:
            return False
    return bullets >= 2  # noqa: PLR2004 - two bullets


def _ascii(text: str) -> str:
    """Return a text without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _table(text: str, delimiter: str = ",") -> list[list[str]]:
    """Return the rows of CSV text; empty if it is malformed."""
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


def _width(rows: Sequence[Sequence[str]]) -> set[int]:
    return set(map(len, rows))


def _has_header(text: str, names: Sequence[str], separator: str) -> bool:
    pattern = separator.join(f'(?:{name}|"{name}")' for name in names)
    return re.fullmatch(pattern, text.partition("\n")[0].strip()) is not None
