"""Tokenises texts; common prefixes are tokenised once, if that does not change the result.

A tokenizer splits a text into words, and each word into tokens. If its rules for words read from left to right, a
text's tokens are those before a word boundary, followed by those of the rest alone, provided that text added at the
end cannot affect this boundary: between it and the end of the text are whitespace and another word.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int32]

_AT_ONCE = 512
"""Texts that are passed to the tokenizer together: it works in parallel, but its encodings are large."""

_LOOKS_AROUND = re.compile(r"\^|\$|&&|\\[AbBGzZ]|\(\?<|\(\?=|\(\?!(?!\\S\))")
"""Syntax that makes a match depend on more than the text from its beginning to the character after its end."""

_IN_BRACKETS = re.compile(r"\[\^?(?:\\.|[^\]\\])*\]")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its tokens.

    Attributes:
        text: The text.
        tokens: Its tokens.
        encoding: The tokenizer's encoding of its last part; None if there is none.
        characters: The index in the text at which this part begins.
        start: The index in the tokens at which it begins.
    """

    text: str
    tokens: Tokens
    encoding: Any
    characters: int = 0
    start: int = 0

    def cut(self, end: int) -> tuple[int, int] | None:
        """Return where the text can be cut for any text that begins with its first `end` characters.

        Returns:
            The number of characters before a word boundary, and the number of tokens; None if there is no boundary.
        """
        stem = self.text[:end].rstrip()
        last = max(stem.rfind(" "), stem.rfind("\n")) - self.characters
        if self.encoding is None or last <= 0:
            return None
        span, word = self.encoding.token_to_chars, self.encoding.token_to_word
        places = range(len(self.tokens) - self.start)
        at = bisect_right(places, last, key=lambda place: (span(place) or (0,))[0])
        for place in range(min(at, len(places) - 1), 0, -1):
            before, here = span(place - 1), span(place)
            if before is None or here is None:
                return None
            # Offsets may exclude whitespace around a token, and then do not meet.
            meet = before[1] == here[0] <= last and word(place - 1) != word(place)
            if meet and self._parts(self.characters + here[0]):
                return self.characters + here[0], self.start + place
        return None

    def _parts(self, at: int) -> bool:
        """Return whether no accent is composed across a position, and no word or number continues there."""
        before, after = self.text[at - 1], self.text[at]
        return after.isascii() and not (before.isalnum() and after.isalnum())


class TextTokenizer:
    """Tokenises texts for one model.

    Args:
        tokenizer: A tokenizer of transformers.
        prefix: The token that precedes a text without context, unless the text begins with it.
    """

    def __init__(self, tokenizer: Any, prefix: int) -> None:
        self._tokenizer = tokenizer
        self._prefix_text: str = tokenizer.decode([prefix])
        self._divides = divides(tokenizer)
        self._appended = self._count_appended()
        self._head = _Text("", np.empty(0, np.int32), None)

    def whole(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of texts, with the special tokens that the tokenizer puts before them."""
        return [each.tokens for each in self._whole(texts)]

    def bare(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens around them."""
        return [tokens for tokens, _ in self._call(texts, special=False)]

    def continued(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Tokens, list[Tokens]]]:
        """Return the tokens of each context, and of the context followed by each of its texts.

        Args:
            asked: Contexts, which do not end in whitespace, each with texts.
        """
        contexts = self._contexts(list(dict.fromkeys(stem for stem, _ in asked)))
        cuts = {stem: context.cut(len(stem)) for stem, context in contexts.items()}
        wholes = dict.fromkeys(stem + text for stem, texts in asked if not cuts[stem] for text in texts)
        rests = dict.fromkeys(stem[cut[0] :] + text for stem, texts in asked if (cut := cuts[stem]) for text in texts)
        whole = dict(zip(wholes, self.whole(list(wholes)), strict=True))
        rest = dict(zip(rests, self.bare(list(rests)), strict=True))

        def joined(stem: str, text: str) -> Tokens:
            if cut := cuts[stem]:
                return np.concatenate([contexts[stem].tokens[: cut[1]], rest[stem[cut[0] :] + text]])
            return whole[stem + text]

        return [(contexts[stem].tokens, [joined(stem, text) for text in texts]) for stem, texts in asked]

    def _contexts(self, stems: Sequence[str]) -> dict[str, _Text]:
        """Tokenise contexts; if one shares half of its text with an earlier one, only the rest."""
        heads: dict[str, tuple[str, int]] = {}
        head = self._head.text
        for stem in stems:
            common = common_length(head, stem)
            if 2 * common < len(stem):
                head, common = stem, len(stem)
            heads[stem] = head, common
        first = [stem for stem in stems if heads[stem][0] == stem and stem != self._head.text]
        found = {self._head.text: self._head} | dict(zip(first, self._whole(first), strict=True))
        self._head = found[head]
        others = [stem for stem in stems if stem not in found]
        cuts = {stem: cut for stem in others if (cut := found[heads[stem][0]].cut(heads[stem][1]))}
        rests = self._call([stem[cut[0] :] for stem, cut in cuts.items()], special=False)
        for (stem, (characters, start)), (tokens, encoding) in zip(cuts.items(), rests, strict=True):
            joined = np.concatenate([found[heads[stem][0]].tokens[:start], tokens])
            found[stem] = _Text(stem, joined, encoding, characters, start)
        alone = [stem for stem in others if stem not in cuts]
        return found | dict(zip(alone, self._whole(alone), strict=True))

    def _whole(self, texts: Sequence[str]) -> list[_Text]:
        found: dict[int, _Text] = {}
        for adds in (True, False):
            where = [place for place, text in enumerate(texts) if self._begins(text) is not adds]
            encoded = self._call([texts[place] for place in where], special=adds)
            for place, (tokens, encoding) in zip(where, encoded, strict=True):
                kept = tokens[: len(tokens) - (self._appended if adds else 0)]
                found[place] = _Text(texts[place], kept, encoding)
        return [found[place] for place in range(len(texts))]

    def _begins(self, text: str) -> bool:
        return bool(self._prefix_text) and text.startswith(self._prefix_text)

    def _call(self, texts: Sequence[str], *, special: bool) -> Iterator[tuple[Tokens, Any]]:
        """Yield the tokens of each text with the tokenizer's encoding of it, if that can be used."""
        options = {"return_attention_mask": False, "return_token_type_ids": False, "verbose": False}
        for start in range(0, len(texts), _AT_ONCE):
            batch = self._tokenizer(list(texts[start : start + _AT_ONCE]), add_special_tokens=special, **options)
            records = batch.encodings if self._divides else [None] * len(batch["input_ids"])
            for tokens, record in zip(batch["input_ids"], records, strict=True):
                yield np.array(tokens, np.int32), record

    def _count_appended(self) -> int:
        """Return how many tokens the tokenizer appends to every text."""
        ((bare, _),) = self._call(["a"], special=False)
        ((full, _),) = self._call(["a"], special=True)
        extra = len(full) - len(bare)
        starts = next((at for at in range(extra + 1) if np.array_equal(full[at : at + len(bare)], bare)), extra)
        return extra - starts


def divides(tokenizer: Any) -> bool:
    """Return whether a text's tokens are those of its parts, split at a word boundary.

    They are if the text is not changed, or only composed (NFC), before it is divided into words, if words are found
    from left to right by character classes and expressions that do not look around, and if added tokens are found as
    they are.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.pre_tokenizer is None:
        return False
    plain = all(
        len(token.content.split()) <= 1 and not (token.lstrip or token.rstrip or token.single_word)
        for token in tokenizer.added_tokens_decoder.values()
    )
    normalizer = "NFC" if backend.normalizer is None else type(backend.normalizer).__name__
    return plain and normalizer == "NFC" and _reads_on(json.loads(backend.pre_tokenizer.__getstate__()))


def _reads_on(rule: dict[str, Any]) -> bool:
    """Return whether a rule finds words from left to right, wherever it starts."""
    match rule["type"]:
        case "Sequence":
            return all(map(_reads_on, rule["pretokenizers"]))
        case "ByteLevel":
            return not rule["add_prefix_space"]
        case "Split":
            pattern = rule["pattern"].get("Regex", "$")
            plain = not _LOOKS_AROUND.search(_IN_BRACKETS.sub("[]", pattern))
            return plain and rule["behavior"] == "Isolated" and not rule["invert"]
        case kind:
            return kind in {"Digits", "Punctuation"}


def common_length(a: str, b: str) -> int:
    """Return the length of the common prefix of two texts."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
