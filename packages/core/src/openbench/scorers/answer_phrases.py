"""The words and patterns that announce answers in a language.

English is defined here. Other distributions register a `Language` in the entry-point group `openbench.languages`;
openbench-scorers has `any`, which reads English and some sixty other languages at once.
"""

# ruff: noqa: RUF001 -- punctuation and letters of other scripts

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from openbench.registry.plugin_loader import find_value

GROUP = "openbench.languages"
_OTHERS = {"any": "openbench-scorers"}

NEVER = "(?!)"
"""A pattern that matches nothing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """The words and patterns that announce answers, in lower case; the defaults are English.

    Tables are words separated by `|`; patterns are those of `re`. Some short words in the English tables are of other
    languages ("e", "y", "car"); they are kept because scores must not change.

    Attributes:
        name: Its name.
        answers: "Answer": any link may follow ("Answer: B", "the answer to this is B", "answer B").
        options: "Option": a colon or a link must follow at once ("correct option: B", not "option B").
        choices: "I choose": the letter must follow at once.
        conclusions: Words of conclusions ("so it's B"), read if none of the above is found.
        verdicts: Words after a letter that call it correct, read if no answer is announced.
        denials: Pattern after a verdict that negates it.
        links: Words between a cue and its letter ("is").
        particles: Pattern of links in scripts without spaces.
        negative_particles: Pattern of such links that negate.
        qualifiers: Words between an answer cue and its colon.
        nouns: Nouns between a cue and its letter ("the answer is option B").
        fillers: Words between a link and its letter ("the answer is clearly the B"), besides adverbs in -ly.
        articles: Letters that are articles in lower case.
        unspaced_fillers: Pattern of fillers in scripts without spaces.
        negations: Words that negate.
        hedges: Words that weaken an announcement to a possibility.
        contrasts: Words between what is not the answer and what is.
        unspaced_contrasts: Pattern of such words in scripts without spaces.
        joiners: Words between two letters.
        unspaced_joiners: Pattern of such words in scripts without spaces.
        copulas: Pattern after the last of several letters.
        rejections: Pattern after a letter that rejects it.
        sequels: Pattern after a letter that is also a word, which shows that it is a letter.
        no_answers: Words after a cue that decline to answer.
        questions: Words at the beginning of a further question, before its number or colon.
        question_headings: Pattern of other such headings, and the characters with which they begin.
        letters: Other letters that label options.
        read_letter: Returns the Latin letters for such a letter, the likeliest first, given the cue before it and the
            whole text.
    """

    name: str = "English"
    answers: str = r"answer|answers|ans|ans.|verdict|\boxed|\fbox"
    options: str = (
        "option|choice|selection|selected|solution|response|conclusion|correction|letter|statement"
        "|correct|final|correct one|right one|best one|guess|result|output|assistant"
    )
    choices: str = (
        "i choose|i would choose|i'd choose|i'll choose|i chose|i pick|i would pick|i'd pick|i'll pick"
        "|i select|i would select|i'd select|i'll select|i go with|i would go with|i'd go with|i'll go with"
        "|i will go with|i am going with|i'm going with|i guess|i'd guess|my choice|my pick|changed to"
        "|lean toward|lean towards"
    )
    conclusions: str = (
        "therefore|thus|hence|so|it is|it's|its|must be|which is|this is|i think|i believe|i'd say"
        "|i would say|go with|choose|select|pick|opt for|corresponds to|correspond to|matches|conclude that"
        "|in summary|to sum up|leaves|leaves us with|left with|also"
    )
    verdicts: str = (
        "is correct|is right|is the correct|is the right|is the best|is the answer|is the most appropriate"
        "|must be correct|must be right|must be the|would be the best|would be the correct|would be correct"
        "|seems correct|is therefore correct|is our answer|is my answer"
    )
    denials: str = NEVER
    links: str = "is|are|was|be|being|isn't|wasn't|remains|becomes|s|on|e"
    particles: str = NEVER
    negative_particles: str = NEVER
    qualifiers: str = "choice|option|letter|key|is|correct|final"
    nouns: str = "option|choice|answer|letter|answer choice|labeled|labelled|item"
    fillers: str = (
        "the|an|indeed|therefore|thus|then|likely|most|also|still|that|it is|it's|correct|with|of course|in fact"
        "|for sure|for certain|without doubt|without a doubt|without question|beyond doubt"
    )
    articles: str = "ao"
    unspaced_fillers: str = NEVER
    negations: str = "not|never|isn't|wasn't|cannot|can't|n't|no|non"
    hedges: str = "could|might|may"
    contrasts: str = "but|rather|instead|it is|it's|is|should be"
    unspaced_contrasts: str = NEVER
    joiners: str = "and|or|of|i|e|o|y"
    unspaced_joiners: str = NEVER
    copulas: str = NEVER
    rejections: str = "(?:is|are|was|would be|seems) (?:not|wrong|incorrect|false|never)|isn't|is also wrong"
    sequels: str = (
        "because|since|as|is(?= (?:the )?(?:correct|right|best|answer|only|most|true|also))"
        "|due to|for the|from|over|instead|which|so|and not|if|but|although|though|with|car"
    )
    no_answers: str = (
        "none|neither|n/a|null|unknown|not sure|unsure|both|either|all of the|all of them|no answer|cannot be"
        "|i don't know|i do not know|i am not|i'm not|i cannot|i can't|not given|undetermined|impossible to"
    )
    questions: str = "question|next question|new question"
    question_headings: tuple[str, str] = (NEVER, "")
    letters: frozenset[str] = frozenset()
    read_letter: Callable[[str, str, str], Sequence[str]] = lambda letter, cue, text: ()  # noqa: ARG005 - none


ENGLISH = Language()


def find_language(name: str) -> Language:
    """Find a language by its name."""
    return find_value(f"language={name!r}", name, GROUP, {ENGLISH.name: ENGLISH}, _OTHERS, "a Language")


class Cue(NamedTuple):
    """A phrase that announces an answer.

    Attributes:
        word: The phrase, in lower case.
        precedes: Whether the cue precedes its letter; a verdict follows it.
        reach: The number of words after it that are searched for "is".
        direct: Whether the letter may follow at once if the clause ends after it ("answer B", "I choose B").
    """

    word: str
    precedes: bool = True
    reach: int = 0
    direct: bool = True


# Vowel signs and the like, which are parts of words although `\w` does not match them.
MARKS = "".join(chr(code) for code in range(0x300, 0x1CD0) if unicodedata.category(chr(code))[0] == "M")

LEFT, RIGHT = "([{<'\"«", ")]}>'\"»"
_CLOSE = rf"[{re.escape(RIGHT)}]*+"
# English adverbs except those of denial or doubt.
_ADVERBS = (
    "(?!unlikely|hardly|scarcely|barely|rarely|improbably|incorrectly|wrongly|falsely|mistakenly|supposedly|allegedly"
    "|possibly|potentially|conceivably)[a-z]{1,15}ly"
)
COLON = r"(?:(?:to|for)\b[^.:?!\n]{0,50})?[:=|>→–—-]"


def _alternatives(table: str) -> str:
    """Return a pattern of any word of a table, the longest first."""
    return "|".join(re.escape(word) for word in sorted(table.split("|"), key=len, reverse=True))


def _any_token(tokens: frozenset[str]) -> str:
    """Return a pattern of any of these, with single characters as a set, which is far faster."""
    longer = sorted((token for token in tokens if len(token) > 1), key=len, reverse=True)
    return "|".join([*longer, f"[{''.join(sorted(token for token in tokens if len(token) == 1))}]"])


class Patterns:
    """The compiled patterns of a language, in the order in which they are used."""

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
