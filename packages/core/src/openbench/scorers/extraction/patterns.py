"""The cues, words and patterns by which a language announces the option of a multiple-choice question."""

# ruff: noqa: RUF001 -- punctuation and letters of other scripts

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from openbench.scorers.answer_phrases import Language


class Cue(NamedTuple):
    """A phrase that announces an answer.

    Attributes:
        word: The phrase, in lower case.
        precedes: Whether the letter stands after the cue; a verdict follows its letter.
        reach: The number of words after it among which "is" may stand.
        direct: Whether the letter may follow at once, if the clause ends after it ("answer B", "I choose B").
    """

    word: str
    precedes: bool = True
    reach: int = 0
    direct: bool = True


# Vowel signs and the like, which continue a word though `\w` leaves them out.
MARKS = "".join(chr(code) for code in range(0x300, 0x1CD0) if unicodedata.category(chr(code))[0] == "M")

LEFT, RIGHT = "([{<'\"«", ")]}>'\"»"
_CLOSE = rf"[{re.escape(RIGHT)}]*+"
# Any English adverb but those that deny or doubt.
_ADVERBS = (
    "(?!unlikely|hardly|scarcely|barely|rarely|improbably|incorrectly|wrongly|falsely|mistakenly|supposedly|allegedly"
    "|possibly|potentially|conceivably)[a-z]{1,15}ly"
)
COLON = r"(?:(?:to|for)\b[^.:?!\n]{0,50})?[:=|>→–—-]"


def _alternatives(table: str) -> str:
    """Return a pattern of any word of a table, the longest first."""
    return "|".join(re.escape(word) for word in sorted(table.split("|"), key=len, reverse=True))


def _any_token(tokens: frozenset[str]) -> str:
    """Return a pattern of any of these; of the single characters as a set, which is searched far faster."""
    longer = sorted((token for token in tokens if len(token) > 1), key=len, reverse=True)
    return "|".join([*longer, f"[{''.join(sorted(token for token in tokens if len(token) == 1))}]"])


class Patterns:
    """What announces an answer in a language, and what a letter looks like, in the order in which they are read."""

    def __init__(self, language: Language) -> None:
        fillers = f"{language.fillers}|{language.nouns}"
        # Not B12, B-cell (but Turkish B-dir, B'dir), B's, I'm, C++, C#, A.D.
        latin = rf"[A-Za-z](?![0-9A-Za-zÀ-ʯͰ-ӿ{MARKS}]|-(?!d[iı]r)[^\W\d_]|'(?![dt][iı]r)[A-Za-z]|#|\+\+|\.[A-Za-z]\.)"
        self.token = f"(?:{latin})"
        if native := language.letters:
            # Not the first letter of a word; Japanese and Korean append a copula.
            after = rf"(?![\w{MARKS}])|(?<=[ァ-ヶ])(?=[ぁ-ん])|(?<=[가-힣])(?=입니다|이다|이며|이에요|예요|번)"
            self.token = rf"(?:{latin}|(?:{_any_token(native | {token.upper() for token in native})})(?:{after}))"
        # Bounded, since "it is it is it is ..." is also a row of cues.
        self.fillers_before = (
            rf"(?:(?:{_alternatives(fillers)}|{_ADVERBS})[ \t{re.escape(LEFT)}:]++"
            rf"|(?:{language.unspaced_fillers})[ \t{re.escape(LEFT)}:]*+){{0,4}}"
        )
        self.before = re.compile(rf"(?P<lead>[^\w?!]*+){self.fillers_before}")
        article = rf"[{language.articles}][ \t{re.escape(LEFT)}]++(?={self.token})"
        self.letter = re.compile(rf"(?:{article})?(?P<letter>{self.token})")
        # What follows a letter. Each is matched where the letter ends, all but the second in lower case.
        self.rejected = re.compile(rf"[^\w.?!\n]*+(?:{language.rejections})|[^\w.,;:!\n]*\?")
        self.another = re.compile(
            rf"{_CLOSE}[^\S\n]*+"
            rf"(?:(?P<joined>,?[^\S\n]*+(?:(?:{language.joiners})(?!\w)|{language.unspaced_joiners}|[,、،/+&]))|;)?"
            rf"[ \t{re.escape(LEFT)}]*+(?P<letter>{self.token})"
            rf"{_CLOSE}[^\S\n]*+(?:$|[\n.,;、。/&+]|(?:{language.joiners}|are|both|together)(?!\w)|{language.copulas}"
            rf"|(?={self.token})|(?(joined)(?:[(:–—]|-\s|(?:because|since|as)(?!\w))|(?!)))"
        )
        end = rf"['\"»]*+[)\]}}>}}]|{_CLOSE}[^\S\n]*+(?:$|[\n(\[]|[^\w\s?\\]|(?:{language.sequels})(?!\w)"
        self.end_of_latin = re.compile(rf"{end}|(?=[^\x00-\u036f]))")
        self.end_of_native = re.compile(rf"{end})")
        self.announcing = [
            *(Cue(word, reach=12) for word in language.answers.split("|")),
            *(Cue(word, reach=4, direct=False) for word in language.options.split("|")),
            *(Cue(word) for word in language.choices.split("|")),
        ]
        self.concluding = [
            *(Cue(word) for word in language.conclusions.split("|")),
            *(Cue(word, precedes=False) for word in language.verdicts.split("|")),
        ]
        self.links = frozenset(language.links.split("|"))
        self.option_words = frozenset(f"{language.options}|{language.nouns}".split("|")) - self.links
        self.joiners = frozenset(language.joiners.split("|")) - self.links
        self.negations = frozenset(language.negations.split("|"))
        self.hedges = frozenset(language.hedges.split("|"))
        self.qualifiers = frozenset(language.qualifiers.split("|"))
        # After "is", a letter in brackets is the answer, and a minus sign or dash after it begins the option's text.
        self.label_after_link = re.compile(rf"[\s\"')\]]*+(?:\((?!{self.token}\))[^()\n]{{0,40}}\)\s*+)?{COLON}")
        self.particle = re.compile(rf"(?P<negated>{language.negative_particles})|(?:{language.particles})")
        negated = rf"[^\w?!]*+(?:{_alternatives(language.negations)})(?!\w)"
        self.negated = re.compile(negated)
        self.contrast = re.compile(
            rf"(?:{negated}){{0,4}}[^\w?!]*+{self.fillers_before}{self.token}[^\w?!]*+"
            rf"(?:(?:{_alternatives(language.contrasts)})(?![^\W\d_])[\s,:]*+|{language.unspaced_contrasts}){{1,4}}"
        )
        self.no_answer = re.compile(rf"[^\w?!]*+(?:{_alternatives(language.no_answers)})")
        # Chinese, Japanese and Korean put no space before the letter.
        self.label_of_option = re.compile(
            rf"(?<![^\W\u3040-\u9fff\uac00-\ud7a3])(?P<letter>{self.token})(?P<after>[).:\]]|\W*$)?"
        )
        self.noun_before = re.compile(rf"(?<!\w)(?:{_alternatives(language.options)}|answer)[ \t(\[]*$")
        self.denied = re.compile(rf"[^\S\n]*+(?:{language.denials})(?![\w{MARKS}])")
        # Lines that are an answer, or label an option.
        self.line_label = re.compile(rf"^[^\w\n]*+(?i:(?:option|choice)\s[^\w\n]*+)?({self.token})[).:]", re.MULTILINE)
        self.alone = re.compile(rf"[^\w\n]*+{self.fillers_before}{self.token}[^\w\n?]*+(?:\n|$)")
        self.label = re.compile(rf"[(\[]?{self.token}(?:[)\].:]|\s*+$|[^\S\n]*+\n)")


patterns_of = cache(Patterns)
"""The patterns of a language, compiled once."""
