"""Reads the option of a multiple-choice question that a completion answers with: `extract_mcq_answer`."""

import re
from collections.abc import Sequence
from functools import cache

from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.extraction.announcements import AnnouncementReader
from openbench.scorers.extraction.choices import Choices, choices_of
from openbench.scorers.extraction.letters import LetterReader, letter_patterns
from openbench.scorers.language import ENGLISH, Language

# In a dialogue of "Q:" and "A:" this A is not an option.
_ANSWERER = re.compile(r"A: *+")
_MARKED = re.compile(
    r"^[^\w\n]*+(?P<letter>[A-Za-z])[).:][^\w\n]*+(?i:(?P<right>correct|right)|incorrect|wrong)[^\w\n]*+$", re.MULTILINE
)


class _Patterns:
    """The patterns of lines that are an answer, in a language."""

    def __init__(self, language: Language) -> None:
        letters = letter_patterns(language)
        token = letters.token
        self.line_label = re.compile(rf"^[^\w\n]*+(?i:(?:option|choice)\s[^\w\n]*+)?({token})[).:]", re.MULTILINE)
        self.alone = re.compile(rf"[^\w\n]*+{letters.fillers_before}{token}[^\w\n?]*+(?:\n|$)")
        self.label = re.compile(rf"[(\[]?{token}(?:[)\].:]|\s*+$|[^\S\n]*+\n)")


_patterns = cache(_Patterns)


def extract_mcq_answer(
    completion: str,
    letters: Sequence[str] | None = None,
    options: Sequence[str] | None = None,
    *,
    language: Language = ENGLISH,
) -> str | None:
    r"""Return the letter of the option that a completion finally answers with.

    - Reasoning between `<think>`, `<thinking>` or `<reasoning>` tags does not count, nor after an unclosed one, nor in
      any channel but the final one. Nor does a base model's run-on: what follows a heading "Question 2:" or "Q:", a
      heading "Problem:" or "Context:" after an answer, or the end of a turn of a chat.
    - A completion that is an option's text gives its letter, and so does an option's text after a cue ("Answer:
      Paris"). Case, spacing, markup and punctuation around it do not matter. A text of two options gives none, nor
      does the text of one with the letter of another ("Paris (C)").
    - The last announced answer wins: "Answer: B", "the answer is (B)", `\boxed{B}`, `"answer": "B"`, "I choose B",
      and likewise in other languages. "Not B but C" announces C. To announce several letters ("A and C"), none of the
      options or ignorance is to give no answer. Nobody else's answer counts ("the wrong answer is A").
    - Where nothing is announced, the last verdict or conclusion counts: "Option B is right", "so it's B".
    - Where there is none, the one option counts that is marked as correct in a list of them ("A: wrong", "B: right").
    - Else a letter counts that stands alone on the last or the first line, or that begins it ("B) Paris") without being
      part of a list of the options; likewise an option's text.
    - A letter is Latin, full-width or one of the language. A letter that is also a word ("A", "I", any in
      lower case) needs a sign that it is meant: brackets, or after it the end of the clause or a "because".

    Args:
        completion: The text that the model wrote.
        letters: The valid letters, of A to Z; others are passed over. By default one for each option, or all.
        options: The options' texts, in the order of the letters.
        language: The language of the announcements; see `openbench.scorers.language`.

    Returns:
        The letter in upper case, or None if the completion gives no answer.
    """
    choices = choices_of(letters, options)
    text = plain(cut_run_on(strip_reasoning(completion), language)).strip()
    if named := choices.named(text):
        return named
    reader = LetterReader(text, choices.letters, language)
    announcements = AnnouncementReader(reader, choices, language)
    for find in (
        announcements.announced,
        announcements.concluded,
        lambda: _marked(reader, choices),
        lambda: _bare(reader, choices, _patterns(language)),
    ):
        answer = find()
        if answer is not None:
            return answer or None
    return None


def _marked(reader: LetterReader, choices: Choices) -> str | None:
    """Return the letter of the one option that a list of them, a line for each, marks as correct and not as wrong."""
    if "correct" not in reader.low and "right" not in reader.low:
        return None
    right: set[str] = set()
    wrong: set[str] = set()
    for mark in _MARKED.finditer(reader.text):
        (right if mark["right"] else wrong).add(mark["letter"].upper())
    return right.pop() if len(right) == 1 and wrong and right <= choices.letters - wrong else None


def _bare(reader: LetterReader, choices: Choices, patterns: _Patterns) -> str | None:
    """Return the letter that the last line states, or else the first line."""
    text, low = reader.text, reader.low
    for line in dict.fromkeys((text.rfind("\n") + 1, 0)):
        start = _beginning(text, line, choices, patterns)
        if start > line and (named := choices.named(_line(text, start, choices))):
            return named
        if (named := _named_alone(text, line, choices)) is not None:
            return named
        answer = reader.read(start, strict=True)
        labels = {label.upper() for label in patterns.line_label.findall(text)}
        if answer is not None and (len(labels) <= 1 or patterns.alone.match(low, start)):
            return answer
    return None


def _beginning(text: str, line: int, choices: Choices, patterns: _Patterns) -> int:
    """Return where a line's content begins: after an "A:" that, as in a dialogue of "Q:" and "A:", labels no option."""
    answerer = _ANSWERER.match(text, line)
    start = answerer.end() if answerer else line
    return start if patterns.label.match(text, start) or choices.named(_line(text, start, choices)) else line


def _named_alone(text: str, start: int, choices: Choices) -> str | None:
    """Return the letter of the option whose text, or text and letter, is a line, and no part of a list of options."""
    line = _line(text, start, choices)
    named = choices.named(line) or choices.named_with_letter(line)
    if named is None:
        return None
    above = text[:start].rstrip().rpartition("\n")[2]
    below = text[start + len(line) :].lstrip().partition("\n")[0]
    return None if choices.named(above) or choices.named(below) else named


def _line(text: str, start: int, choices: Choices) -> str:
    """Return the rest of a line, or more of it than any option's text."""
    return text[start : start + choices.reach + 1].partition("\n")[0]
