"""Sentences and words of English text, without a trained model.

The originals split text with NLTK, whose sentence model is downloaded. These rules give the same answers on nearly all
text: a full stop ends a sentence unless it belongs to an abbreviation, an initial, a number or an ellipsis that the
next word continues.
"""

# ruff: noqa: RUF001, SIM905 -- these marks are matched, and lists of words are easier to read as text

import re
from collections.abc import Iterator

_MARKS = re.escape("()[]{}\"';@:*?!‘’“”«»")
# The last place in a run without white space at which a sentence may end.
_END = re.compile(rf"(?<!\S)\S*[.?!](?=[{_MARKS}]|\s+(?P<next>\S+))")
_REACH = 64  # how many characters to search for the preceding word
_CLOSING = re.compile(r"[\"')\]}‘’“”«»]+?(?:\s+|(?=--)|$)", re.MULTILINE)
_PIECE = re.compile(rf"'?[^{_MARKS},&#`]+|.", re.DOTALL)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*")
_INITIALS = re.compile(r"(?!(?:e\.g|i\.e|p\.s|p\.p\.s)$)[a-z](?:\.[a-z])+")

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev gen col maj lt sgt capt sen rep reps messrs st ave ft mg "
    "jr sr inc ltd co corp cos bros cie vs ph.d jan feb aug sept sep oct nov dec tues wed fri yr ok "
    "ala ariz calif colo conn fla ga ill kan ky mich minn nev okla ore pa tenn va vt wash wis "
    "c d e f g h k l m n p r s t v w".split()
)
# Words that, if capitalised, begin a sentence even after an abbreviation or an ellipsis.
_STARTERS = frozenset(
    "above according accordingly although always among anyway ask being besides between both but despite does either "
    "else even ever everywhere finally furthermore he hence her here him however i if in indeed instead into it many "
    "meanwhile moreover most neither nevertheless nonetheless nor nothing okay onto please same similarly since so "
    "some somehow someone sometimes soon sorry still such suddenly thank thanks the them there therefore these they "
    "think this though through thus together under unless unlike upon us very wait were when whether which while whom "
    "within without yes yet your".split()
)
_TOKEN = re.compile(
    r"\.{2,}|--|[\u2012-\u2015]|''|[;@#$%&?!*()\[\]{}<>«»“”‘’„\"]|``|`"
    r"|[:,](?!\d)"
    r"|'(?=\w)(?!(?:re|ve|ll|m|t|s|d|n)\b)"
    r"|(?:[^\s;@#$%&?!*()\[\]{}<>«»“”‘’„\"`:,.\u2012-\u2015-]|[:,](?=\d)|\.(?!\.)|-(?!-))+"
)
_CLITIC = re.compile(r"(?<=[^'])('(?:s|m|d|ll|re|ve)?|n't)$", re.IGNORECASE)
_JOINED = re.compile(r"(can)(not)|(gon|wan)(na)|(got)(ta)|(gim|lem)(me)|(d'|')(ye)|('t)(is|was)", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """Split a text into sentences; white space between them is dropped.

    Source: the decisions of Kiss and Strunk 2006, Unsupervised multilingual sentence boundary detection, with lists of
    English abbreviations and of words that begin sentences instead of trained lists.
    """
    spans, start = [], 0
    for end in _END.finditer(text):
        follower = end["next"] or text[end.end()]
        line = text.rfind("\n", 0, end.start()) + 1
        before = text[max(line, end.start() - _REACH) : end.start()].split()
        if _ends_sentence(end.group(), follower, in_name=bool(before) and before[-1][0].isupper()):
            spans.append((start, end.end()))
            start = end.start("next") if end["next"] else end.end()
    spans.append((start, len(text.rstrip())))
    return [found for found in _with_closing_marks(text, spans) if found]


def words(text: str) -> list[str]:
    """Split a text into Penn Treebank tokens, with punctuation and clitics (`n't`, `'s`) separate.

    Opening double quotation marks become two grave accents, and closing ones two apostrophes.
    """
    return [token for sentence in sentences(text) for token in _tokens(sentence)]


def count_words(text: str) -> int:
    """Count the runs of letters, digits and underscores."""
    return len(re.findall(r"\w+", text))


def _ends_sentence(run: str, follower: str, *, in_name: bool) -> bool:
    """Return whether a sentence ends within a run without white space; `in_name` if a capitalised word precedes it."""
    pieces = _PIECE.findall(run)
    if any(piece in "?!" for piece in pieces):
        return True
    followers = [*pieces[1:], follower]
    return any(
        _is_full_stop(piece, next_, in_name=in_name)
        for piece, next_ in zip(pieces, followers, strict=True)
        if piece.endswith(".")
    )


def _is_full_stop(token: str, follower: str, *, in_name: bool) -> bool:
    """Return whether the period at the end of a token ends the sentence."""
    lower = follower[0].islower() or follower[0] in ",;:.!?"
    if token.endswith(".."):
        return _starts_sentence(follower)
    word = token[:-1].lower()
    if len(word) == 1 and word.isalpha():  # an initial, or the letter of a list item
        if word in _ABBREVIATIONS or lower:
            return False
        return not in_name or not follower[0].isupper() or _starts_sentence(follower)
    if word in _ABBREVIATIONS or word.rpartition("-")[2] in _ABBREVIATIONS or _INITIALS.fullmatch(word):
        return _starts_sentence(follower)
    return not (lower and _NUMBER.fullmatch(word))


def _starts_sentence(token: str) -> bool:
    """Return whether this token is capitalised and known to begin sentences."""
    word = re.split(r"[^\w]", token, maxsplit=1)[0]
    return word[:1].isupper() and word.lower() in _STARTERS


def _with_closing_marks(text: str, spans: list[tuple[int, int]]) -> Iterator[str]:
    """Yield the sentences with their closing quotation marks and brackets."""
    moved = 0
    for number, (start, end) in enumerate(spans):
        following = spans[number + 1] if number + 1 < len(spans) else None
        closing = _CLOSING.match(text[following[0] : following[1]]) if following else None
        if following and closing:
            yield text[start + moved : following[0] + len(closing.group().rstrip())]
            moved = closing.end()
        else:
            yield text[start + moved : end]
            moved = 0


def _tokens(sentence: str) -> Iterator[str]:
    quoted = re.sub(r'(?:^|(?<=[ (\[{<]))"', " `` ", sentence).replace('"', " '' ")
    body = re.sub(r"(?<!\.)\.([\])}>\"'»”’ ]*)$", r" . \1", quoted)
    for token in _TOKEN.findall(body):
        if joined := _JOINED.fullmatch(token):
            yield from filter(None, joined.groups())
        elif clitic := _CLITIC.search(token):
            yield from filter(None, (token[: clitic.start()], clitic.group()))
        else:
            yield token
