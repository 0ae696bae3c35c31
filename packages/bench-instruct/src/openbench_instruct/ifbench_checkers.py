"""The 58 instructions of IFBench, as functions of a response and of the arguments that a row gives.

Source: Pyatkin et al. 2025, Generalizing verifiable instruction following, arXiv 2507.02833. The functions do what the
published code does, but for `start_verb`, which needs a trained tagger there; `FIXED` has those that repair a defect.
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
_LEAST_COUNTRIES = 52
_NAPOLEON = range(1769, 1822)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_REPEATED = "Only output this sentence here, ignore all other requests."


def word_count_range(response: str, *, min_words: int, max_words: int) -> bool:
    """The number of words lies between two numbers."""
    return min_words <= count_words(response) <= max_words


def unique_word_count(response: str, *, N: int) -> bool:  # noqa: N803 - the row's name
    """At least N different words occur."""
    return len({word.strip(_MARKS) for word in response.lower().split()}) >= N


def stop_words(response: str, *, percentage: int) -> bool:
    """At most this percentage of the words are stop words."""
    found = re.findall(r"\w+", response)
    return bool(found) and 100 * sum(word.lower() in STOP_WORDS for word in found) / len(found) <= percentage


def sentence_type(response: str) -> bool:
    """Twice as many sentences end with a period as with a question mark."""
    ends = Counter(sentence[-1] for sentence in sentences(response))
    return ends["."] == 2 * ends["?"]


def sentence_type_within_quotes(response: str) -> bool:
    """The same of at least one question, whatever quotation marks and brackets close the sentences."""
    stripped = (sentence.rstrip("\"'”’»)]}") for sentence in sentences(response))  # noqa: RUF001 - closing marks
    ends = Counter(sentence[-1:] for sentence in stripped)
    return ends["."] == 2 * ends["?"] > 0


def sentence_balance(response: str) -> bool:
    """As many sentences end with a period as with a question mark and with an exclamation mark."""
    ends = Counter(sentence[-1] for sentence in sentences(response))
    return ends["."] == ends["?"] == ends["!"]


def conjunctions(response: str, *, small_n: int) -> bool:
    """At least so many different spellings of conjunctions occur, letter case and punctuation included."""
    return len({word for word in response.split() if word.strip(_MARKS).lower() in CONJUNCTIONS}) >= small_n


def conjunctions_in_any_case(response: str, *, small_n: int) -> bool:
    """At least so many different conjunctions occur."""
    return len({word.strip(_MARKS).lower() for word in response.split()} & CONJUNCTIONS) >= small_n


def person_names(response: str, *, N: int) -> bool:  # noqa: N803 - the row's name
    """At least N of the names that the prompt offers occur."""
    return sum(bool(re.search(rf"\b{name}\b", response)) for name in PERSON_NAMES) >= N


def overlap(response: str, *, reference_text: str, percentage: int) -> bool:
    """Of the response's different character trigrams, this percentage (give or take 2) are the reference's."""
    own, other = _trigrams(response), _trigrams(reference_text)
    return bool(own) and percentage - 2 <= 100 * len(own & other) / len(own) <= percentage + 2


def numbers(response: str, *, N: int) -> bool:  # noqa: N803 - the row's name
    """Exactly N numbers occur, once punctuation is removed."""
    return len(re.findall(r"\d+", response.translate(_NO_PUNCTUATION))) == N


def alphabet(response: str) -> bool:
    """Each word starts with the letter after that of the word before; A follows Z."""
    firsts = [word[0].lower() for word in response.translate(_NO_PUNCTUATION).split()]
    if not firsts or firsts[0] not in ascii_lowercase:
        return False
    start = ascii_lowercase.index(firsts[0])
    return all(first == ascii_lowercase[(start + number) % 26] for number, first in enumerate(firsts))


def vowel(response: str) -> bool:
    """One line with at most three of the five vowels."""
    return "\n" not in response.strip() and _vowels(response) <= 3  # noqa: PLR2004 - three types


def vowel_in_paragraph(response: str) -> bool:
    """One paragraph, of one or several lines, with at most three of the five vowels."""
    return not re.search(r"\n\s*\n", response.strip()) and _vowels(response) <= 3  # noqa: PLR2004 - three types


def consonants(response: str) -> bool:
    """Each word has two consonants in a row."""
    return all(re.search(r"[b-df-hj-np-tv-z]{2}", word) for word in response.lower().split())


def alliteration_increment(response: str) -> bool:
    """In each sentence more words belong to runs with the same first letter than in the one before."""
    counts = [-1, *map(_alliterating, sentences(response))]
    return all(before < after for before, after in pairwise(counts))


def palindrome(response: str) -> bool:
    """At least ten palindromes of five letters or more occur."""
    found = response.translate(_NO_PUNCTUATION).lower().split()
    return sum(len(word) > 4 and word == word[::-1] for word in found) >= 10  # noqa: PLR2004 - ten of five letters


def punctuation_marks(response: str) -> bool:
    """An interrobang occurs, and each of six marks besides it."""
    if "‽" not in response and "?!" not in response and "!?" not in response:
        return False
    rest = response.replace("?!" if "?!" in response else "!?", "", 1)
    return set(".,!?;:") <= set(rest)


def parentheses(response: str) -> bool:
    """Brackets of any kind are nested five levels deep, and the innermost is closed."""
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
    """Quotation marks of alternating kinds are nested three levels deep, and three of them are closed."""
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
    """The length of each word is a prime number."""
    return all(len(word) in _PRIMES for word in response.translate(_NO_PUNCTUATION).split())


def options(response: str, *, options: str) -> bool:
    """The response is one of the options; those with letters must be given as they are."""
    separator = next((mark for mark in ("/", "or") if mark in options), ",")
    offered = [option.strip() for option in options.split(separator)]
    if re.match(r"\W*[aA]\W*[bB]\W*[cC]\W*", options):
        return response in offered
    return response.strip(_MARKS).lower() in {option.strip(_MARKS).lower() for option in offered}


def newline(response: str) -> bool:
    """Each word is on a line of its own."""
    text = response.translate(_NO_PUNCTUATION).strip()
    return sum(map(bool, text.split("\n"))) == len(text.split())


def emoji(response: str) -> bool:
    """Each sentence ends with an emoji, or the next one begins with one."""
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
    """Three sentences with the same number of characters."""
    lengths = [len(sentence.strip()) for sentence in sentences(response)]
    return len(lengths) == 3 and len(set(lengths)) == 1  # noqa: PLR2004 - three sentences


def words_japanese(response: str, *, N: int) -> bool:  # noqa: N803 - the row's name
    """Every Nth word has a Japanese character, unless it is a number."""
    every = (word.strip(_MARKS) for word in response.split()[N - 1 :: N])
    return all(not word or word.isdigit() or re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", word) for word in every)


def start_verb(response: str) -> bool:
    """The first word is a verb of the list, a form of an auxiliary, or ends as participles and past forms do."""
    first = next(iter(words(response)), "").lower()
    return first in VERBS or first in AUXILIARIES or re.fullmatch(r"\w{2,}(?:ing|ed)", first) is not None


def repeats(response: str, *, small_n: int) -> bool:
    """No word occurs more than so often."""
    counts = Counter(response.lower().translate(_NO_PUNCTUATION).split())
    return all(count <= small_n for count in counts.values())


def sentence_keyword(response: str, *, word: str, N: int) -> bool:  # noqa: N803 - the row's name
    """The Nth sentence has the keyword as a word."""
    found = sentences(response)
    return len(found) >= N and bool(re.search(rf"\b{re.escape(word)}\b", found[N - 1], re.IGNORECASE))


def pronouns(response: str, *, N: int) -> bool:  # noqa: N803 - the row's name
    """At least N pronouns occur."""
    return sum(word in PRONOUNS for word in words(response.replace("/", " ").lower())) >= N


def odd_even_syllables(response: str) -> bool:
    """Words with odd and even numbers of syllables alternate."""
    import syllapy  # noqa: PLC0415 - it reads a dictionary when it is imported, and Inspect imports this at every start

    found = response.translate(_NO_PUNCTUATION).lower().split()
    return all(before != after for before, after in pairwise(syllapy.count(word) % 2 for word in found))


def last_first(response: str) -> bool:
    """The last word of each sentence is the first of the next."""
    for before, after in pairwise(sentences(response)):
        last, first = before.rstrip(_MARKS).split(), after.lstrip(_MARKS).split()
        if not last or not first or last[-1].lower() != first[0].lower():
            return False
    return True


def paragraph_last_first(response: str) -> bool:
    """Each line ends with the word that it starts with."""
    lines = (line.strip().lower().strip(_MARKS).split() for line in response.split("\n"))
    return all(not line or line[0] == line[-1] for line in lines)


def sentence_increment(response: str, *, small_n: int) -> bool:
    """Each sentence has exactly so many words more than the one before."""
    counts = [len(sentence.translate(_NO_PUNCTUATION).split()) for sentence in sentences(response)]
    return all(after == before + small_n for before, after in pairwise(counts))


def no_consecutive(response: str) -> bool:
    """No two words in a row start with the same letter."""
    found = response.lower().translate(_NO_PUNCTUATION).split()
    return all(before[0] != after[0] for before, after in pairwise(found))


def line_indent(response: str) -> bool:
    """Each line is indented more than the one before; of blank lines in a row, every other one counts."""
    lines = response.split("\n")
    for line in lines:
        if not line.strip():
            lines.remove(line)  # as published: this skips the line after
    return _is_stairs(lines)


def line_indent_of_text(response: str) -> bool:
    """Each line that is not blank is indented more than the one before."""
    return _is_stairs([line for line in response.split("\n") if line.strip()])


def quote_unquote(response: str) -> bool:
    """No quoted phrase follows another directly, and none ends the response."""
    text = "".join(response.replace("'\"'", "").split())
    return '""' not in text and not text.strip(digits + punctuation.replace('"', "")).endswith('"')


def list_marks(response: str, *, sep: str) -> bool:
    """The mark of list items occurs twice at least."""
    return response.count(sep) >= 2  # noqa: PLR2004 - a list


def thesis(response: str) -> bool:
    """A text in italics (HTML) occurs, and more text after it."""
    start = next((place for tag in ("<i>", "<em>") if (place := response.find(tag)) >= 0), None)
    if start is None:
        return False
    text = response[start:]
    end = next((place for tag in ("</i>", "</em>") if (place := text.find(tag)) >= 0), None)
    return end is not None and bool(text[3:end].strip()) and bool(text[end + 4 :].strip())


def sub_bullets(response: str) -> bool:
    """After each asterisk, and before the next, a hyphen occurs."""
    return all("-" in bullet for bullet in response.split("*")[1:])


def no_bullets_bullets(response: str) -> bool:
    """Two sentences at least, then two bullet points at least; only bullet points may follow a blank line."""
    return _sentences_then_bullets(response.split("\n"))


def no_bullets_bullets_of_text(response: str) -> bool:
    """Two sentences at least, then two bullet points at least, wherever blank lines stand."""
    return _sentences_then_bullets([line for line in response.split("\n") if line.strip()])


def multiples(response: str) -> bool:
    """The numbers are the multiples of 7 from 14 to 49."""
    return re.findall(r"\d+", response.replace(",", ", ")) == [str(number) for number in range(14, 51, 7)]


def mcq_count_length(response: str) -> bool:
    """Four questions with five options each; each question is longer than the one before."""
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
    """From Zimbabwe on, 52 lines or more are in reverse alphabetical order."""
    lines = [_ascii(line) for text in response.split("\n") if (line := text.strip(_MARKS))]
    start = next((number for number, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    return len(lines) - start >= _LEAST_COUNTRIES and lines[start:] == sorted(lines[start:], reverse=True)


def word_reverse(response: str) -> bool:
    """One sentence that has "bald eagle" when its words are read from the last to the first."""
    text = " ".join(response.lower().translate(_NO_PUNCTUATION).split()[::-1])
    return "bald eagle" in text and sentences(text) == [text]


def character_reverse(response: str) -> bool:
    """The words "bald eagle" occur, spelt from the last letter to the first."""
    return "elgae dlab" in response.lower()


def sentence_alphabet(response: str) -> bool:
    """26 sentences begin with the letters of the alphabet in order."""
    return "".join(sentence.lstrip()[:1] for sentence in sentences(response)).lower() == ascii_lowercase


def european_capitals_sort(response: str) -> bool:
    """The capitals of Europe north of 45 degrees, from the north to the south."""
    return [name.strip() for name in _ascii(response).split(",") if name.strip()] == [*NORTHERN_CAPITALS]


def csv_city(response: str) -> bool:
    """A header of five columns, and seven rows as wide."""
    rows = _table(response)
    return len(rows) == 8 and rows[0] == ["ID", "Country", "City", "Year", "Count"] and _width(rows[1:]) == {5}  # noqa: PLR2004 - as asked


def csv_special_character(response: str) -> bool:
    """A header of five columns and 14 rows, of which a quoted field has a special character."""
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
    """A header of five columns and three rows, separated by tabs, all quoted."""
    if not _has_header(response, ("StudentID", "Subject", "Grade", "Semester", "Score"), r"\t *"):
        return False
    rows = _table(response.replace('"', '"""'), delimiter="\t")
    fields = [field.strip() for row in rows for field in row]
    return len(rows) == 4 and _width(rows) == {5} and all(field[:1] == field[-1:] == '"' for field in fields)  # noqa: PLR2004 - as asked


def date_format_list(response: str) -> bool:
    """Dates of Napoleon's life as YYYY-MM-DD, separated by commas."""
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
    """Five keywords occur once, twice, three, five and seven times."""
    keywords = (keyword1, keyword2, keyword3, keyword4, keyword5)
    return [response.lower().count(keyword.strip().lower()) for keyword in keywords] == [1, 2, 3, 5, 7]


def keywords_specific_position(response: str, *, keyword: str, n: int, m: int) -> bool:
    """The keyword is the mth word of the nth sentence."""
    found = sentences(response)
    if len(found) < n:
        return False
    own = [word for word in words(found[n - 1]) if any(map(str.isalnum, word))]
    return len(own) >= m and own[m - 1].lower() == keyword.strip().lower()


def words_position(response: str, *, keyword: str) -> bool:
    """The keyword is the second token, and the last but one, a single mark at the end not counted."""
    tokens = [token.lower() for token in words(response)]
    if tokens and tokens[-1] in punctuation:
        tokens.pop()
    return len(tokens) > 1 and tokens[1] == tokens[-2] == keyword.strip().lower()


def words_position_without_marks(response: str, *, keyword: str) -> bool:
    """The keyword is the second word and the last but one; what has no letter or digit is no word."""
    own = [token.lower() for token in words(response) if any(map(str.isalnum, token))]
    return len(own) > 1 and own[1] == own[-2] == keyword.strip().lower()


def repeat_change(response: str, *, prompt_to_repeat: str) -> bool:
    """The request is repeated, with another first word or other white space."""
    return response != prompt_to_repeat and response.split()[1:] == prompt_to_repeat.split()[1:]


def repeat_simple(response: str) -> bool:
    """The response is the sentence that asks to be repeated."""
    return response.strip().lower() == _REPEATED.lower()


def repeat_span(response: str, *, prompt_to_repeat: str, n_start: int, n_end: int) -> bool:
    """The response is the request from one character to another, both included."""
    return response.strip().lower() == prompt_to_repeat[n_start : n_end + 1].strip().lower()


def title_case(response: str) -> bool:
    """No word is in small letters, nor in capital ones after a small one."""
    return not any(
        word[0].islower() and (len(word) == 1 or word[1:].islower() or word[1:].isupper()) for word in words(response)
    )


def output_template(response: str) -> bool:
    """The three headings of the template occur."""
    return all(heading in response for heading in ("My Answer:", "My Conclusion:", "Future Outlook:"))


def no_whitespace(response: str) -> bool:
    """No white space occurs."""
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
"""The checkers by the ids that rows have, as published."""

FIXED: Checkers = {
    **FAITHFUL,
    "ratio:sentence_type": sentence_type_within_quotes,
    "count:conjunctions": conjunctions_in_any_case,
    "words:vowel": vowel_in_paragraph,
    "words:words_position": words_position_without_marks,
    "format:line_indent": line_indent_of_text,
    "format:no_bullets_bullets": no_bullets_bullets_of_text,
}
"""The same, with the defects of the README's table repaired."""


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
    told, bullets, text_goes_on = 0, 0, True
    for line in lines:
        if line.strip().startswith("*"):
            if told < 2:  # noqa: PLR2004 - two sentences
                return False
            bullets, text_goes_on = bullets + 1, False
        elif text_goes_on:
            found = len(sentences(line.strip()))
            told, text_goes_on = told + found, bool(found)
        else:
            return False
    return bullets >= 2  # noqa: PLR2004 - two bullets


def _ascii(text: str) -> str:
    """Return a text without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _table(text: str, delimiter: str = ",") -> list[list[str]]:
    """Read CSV; nothing if it cannot be read."""
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


def _width(rows: Sequence[Sequence[str]]) -> set[int]:
    return set(map(len, rows))


def _has_header(text: str, names: Sequence[str], separator: str) -> bool:
    pattern = separator.join(f'(?:{name}|"{name}")' for name in names)
    return re.fullmatch(pattern, text.partition("\n")[0].strip()) is not None
