"""The words with which answers are announced in a language, and where further languages are found.

English is here. Other distributions add a `Language` through the entry-point group `openbench.languages`;
openbench-scorers has `any`, which reads English and some sixty other languages at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openbench.registry.plugin_loader import find_value

GROUP = "openbench.languages"
_OTHERS = {"any": "openbench-scorers"}

NEVER = "(?!)"
"""A pattern that matches nothing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """How answers are announced, all in lower case. Tables are words separated by `|`; patterns are those of `re`.

    Attributes:
        name: Its name, by which benchmarks ask for it.
        answers: "Answer": any link may follow ("Answer: B", "the answer to this is B", "answer B").
        options: "Option": a colon or a link must follow at once ("correct option: B", not "option B").
        choices: "I choose": the letter must follow at once.
        conclusions: Words that conclude without naming an answer ("so it's B"), read if none of the above is found.
        verdicts: Words after a letter that call it correct, read if no answer is announced.
        denials: Pattern after a verdict that negates it.
        links: Words between a cue and its letter ("is").
        particles: Pattern of links in scripts without spaces.
        negative_particles: Pattern of such links that negate.
        qualifiers: Words between an answer cue and its colon.
        nouns: What an option is called between a cue and its letter ("the answer is option B").
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
        sequels: Pattern after a letter that is also a word, which shows that the letter is meant.
        no_answers: Words after a cue that name no letter.
        questions: Words that head a further question, before its number or colon.
        question_headings: Pattern of other such headings, and the characters with which they begin.
        letters: The Latin letters of other letters that label options.
        read_letter: Returns the Latin letters that another letter may mean, the likeliest first, given the cue before
            it and the whole text.
    """

    name: str
    answers: str
    options: str
    choices: str
    conclusions: str
    verdicts: str
    denials: str = NEVER
    links: str
    particles: str = NEVER
    negative_particles: str = NEVER
    qualifiers: str
    nouns: str
    fillers: str
    articles: str
    unspaced_fillers: str = NEVER
    negations: str
    hedges: str
    contrasts: str
    unspaced_contrasts: str = NEVER
    joiners: str
    unspaced_joiners: str = NEVER
    copulas: str = NEVER
    rejections: str
    sequels: str
    no_answers: str
    questions: str
    question_headings: tuple[str, str] = (NEVER, "")
    letters: frozenset[str] = frozenset()
    read_letter: Callable[[str, str, str], Sequence[str]] = lambda letter, cue, text: ()  # noqa: ARG005 - none


# Some short words are not English in this role ("e", "y", "car"). They are kept because texts with symbols and names
# contain them, and scores should not change with the table.
ENGLISH = Language(
    name="English",
    answers=r"answer|answers|ans|ans.|verdict|\boxed|\fbox",
    options="option|choice|selection|selected|solution|response|conclusion|correction|letter|statement"
    "|correct|final|correct one|right one|best one|guess|result|output|assistant",
    choices="i choose|i would choose|i'd choose|i'll choose|i chose|i pick|i would pick|i'd pick|i'll pick"
    "|i select|i would select|i'd select|i'll select|i go with|i would go with|i'd go with|i'll go with"
    "|i will go with|i am going with|i'm going with|i guess|i'd guess|my choice|my pick|changed to"
    "|lean toward|lean towards",
    conclusions="therefore|thus|hence|so|it is|it's|its|must be|which is|this is|i think|i believe|i'd say"
    "|i would say|go with|choose|select|pick|opt for|corresponds to|correspond to|matches|conclude that"
    "|in summary|to sum up|leaves|leaves us with|left with|also",
    verdicts="is correct|is right|is the correct|is the right|is the best|is the answer|is the most appropriate"
    "|must be correct|must be right|must be the|would be the best|would be the correct|would be correct"
    "|seems correct|is therefore correct|is our answer|is my answer",
    links="is|are|was|be|being|isn't|wasn't|remains|becomes|s|on|e",
    qualifiers="choice|option|letter|key|is|correct|final",
    nouns="option|choice|answer|letter|answer choice|labeled|labelled|item",
    fillers="the|an|indeed|therefore|thus|then|likely|most|also|still|that|it is|it's|correct|with|of course|in fact"
    "|for sure|for certain|without doubt|without a doubt|without question|beyond doubt",
    articles="ao",
    negations="not|never|isn't|wasn't|cannot|can't|n't|no|non",
    hedges="could|might|may",
    contrasts="but|rather|instead|it is|it's|is|should be",
    joiners="and|or|of|i|e|o|y",
    rejections="(?:is|are|was|would be|seems) (?:not|wrong|incorrect|false|never)|isn't|is also wrong",
    sequels="because|since|as|is(?= (?:the )?(?:correct|right|best|answer|only|most|true|also))"
    "|due to|for the|from|over|instead|which|so|and not|if|but|although|though|with|car",
    no_answers="none|neither|n/a|null|unknown|not sure|unsure|both|either|all of the|all of them|no answer|cannot be"
    "|i don't know|i do not know|i am not|i'm not|i cannot|i can't|not given|undetermined|impossible to",
    questions="question|next question|new question",
)


def find_language(name: str) -> Language:
    """Find a language by its name."""
    return find_value(f"language={name!r}", name, GROUP, {ENGLISH.name: ENGLISH}, _OTHERS, "a Language")
