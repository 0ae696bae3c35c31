"""Counts tokens: with the model's own tokenizer, or approximately, which needs neither a vocabulary nor a network."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import tiktoken
from inspect_ai.model import get_model
from tokenizers import Tokenizer

from openbench.errors import DataError, UsageError

APPROXIMATE = "approximate"
"""The default tokenizer: characters and their kinds are counted, not tokens."""

OF_MODEL = "model"
"""The name that stands for the tokenizer of the evaluated model."""

# Words, digits in threes, the space before a number, signs with the line's end; other spaces belong to the next word.
_PIECES = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|\d{1,3}| (?=\d)"
    r"|[^\w\s]+\n*|_+|\n+"
)
# The 150 most frequent pairs of letters in English text, 88 % of all.
_FREQUENT = (
    "ab ac ad ag ai ak al am an ap ar as at av ay be bl bo bu ca ce ch ci ck co ct de di do ea ec ed ee el em en eo er "
    "es et ev ex ey fe fi fo ge gh go gr ha he hi ho ic id ie if ig il im in io ir is it iv ke ki la ld le li ll lo ly "
    "ma me mi mo mp na nc nd ne ng ni no ns nt od of og ol om on oo op or os ot ou ow pa pe pl po pr ra re ri rk ro rs "
    "rt ry sa se sh si so sp ss st su ta te th ti to tr ts tt tu ua uc ul un up ur us ut ve vi wa we wh wi wo yo"
)
_PAIRS = frozenset(_FREQUENT.split())
_LETTERS = 4


@dataclass(frozen=True)
class TokenCounter:
    """Counts the tokens of texts.

    Attributes:
        name: The tokenizer, with a digest of its vocabulary where that is a file.
        count: Returns the number of tokens of a text, without special tokens or a chat template.
        approximate: Whether counts are estimates.
    """

    name: str
    count: Callable[[str], int]
    approximate: bool = False

    def label(self, text: str) -> str:
        """Mark a length in tokens as an estimate (`~4096`) if it is one."""
        return f"~{text}" if self.approximate else text


def token_counter(tokenizer: str = APPROXIMATE) -> TokenCounter:
    """Return the counter of a tokenizer.

    Args:
        tokenizer: `approximate`; `model`, the evaluated model's own, found by its name; a folder with `tokenizer.json`,
            or such a file; an encoding of tiktoken (`o200k_base`) or an OpenAI model (`gpt-4o`); or a model of the
            Hugging Face Hub (`Qwen/Qwen3-8B`, with a revision as in `Qwen/Qwen3-8B@main`).

    Raises:
        UsageError: It is none of these.
        DataError: It cannot be fetched or read.
    """
    if tokenizer == APPROXIMATE:
        return TokenCounter(APPROXIMATE, approximate_tokens, approximate=True)
    if tokenizer == OF_MODEL:
        return _of_model()
    path = Path(tokenizer)
    if path.exists():
        return _of_file(path / "tokenizer.json" if path.is_dir() else path)
    if encoding := _encoding_name(tokenizer):
        return _of_encoding(encoding)
    if tokenizer.count("/") == 1 and not tokenizer.startswith((".", "/")):
        return _of_hub(tokenizer)
    raise UsageError(
        f"tokenizer={tokenizer!r}: expected {APPROXIMATE!r}, {OF_MODEL!r}, a folder with tokenizer.json, an encoding "
        "of tiktoken such as o200k_base, or a model of the Hugging Face Hub such as Qwen/Qwen3-8B."
    )


def approximate_tokens(text: str) -> int:
    """Estimate the tokens of a text, without a vocabulary.

    English words are a token each, random letters several, as are long words of other languages; three digits and runs
    of signs are one. Against o200k_base, English essays come out 2 % too high, code and UUIDs 5 %, edges of hexadecimal
    nodes as they are, sentences with long numbers 12 %, and numbered words 2 % too low. Texts in other languages are
    off by up to a third, and by more against other vocabularies.
    """
    return sum(map(_piece_tokens, _PIECES.findall(text)))


@lru_cache(maxsize=1 << 16)
def _piece_tokens(piece: str) -> int:
    if not piece[0].isalpha():
        return 1
    if not piece.isascii():
        return 1 + (len(piece) - 1) // _LETTERS
    word = piece.lower()
    rare = sum(pair not in _PAIRS for pair in map("".join, pairwise(word)))
    return 1 + max(0, round(rare - len(word) / _LETTERS))


def _of_model() -> TokenCounter:
    """Find the tokenizer of the evaluated model: an OpenAI model's encoding, or the model's name on the Hub."""
    model = get_model()
    if encoding := _encoding_name(model.name.rpartition("/")[2]):
        return _of_encoding(encoding)
    if model.name.count("/") == 1:
        return _of_hub(model.name)
    raise UsageError(
        f"tokenizer={OF_MODEL}: no tokenizer is known for {model}. Name one, such as the folder of the model "
        "(-T tokenizer=FOLDER) or its model on the Hugging Face Hub."
    )


def _encoding_name(name: str) -> str | None:
    if name in tiktoken.list_encoding_names():
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        return None


def _of_encoding(name: str) -> TokenCounter:
    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:  # it fetches the vocabulary, which may fail in any way
        raise DataError(f"tokenizer {name}: tiktoken cannot read it: {type(error).__name__}: {error}") from error
    return TokenCounter(f"tiktoken {name}", lambda text: len(encoding.encode_ordinary(text)))


def _of_file(path: Path) -> TokenCounter:
    try:
        return _counter(str(path), Tokenizer.from_file(str(path)))
    except Exception as error:  # the library raises plain exceptions
        raise DataError(f"tokenizer {path}: it cannot be read as tokenizer.json: {error}") from error


def _of_hub(name: str) -> TokenCounter:
    model, _, revision = name.partition("@")
    try:
        return _counter(name, Tokenizer.from_pretrained(model, revision=revision or "main"))
    except Exception as error:  # likewise
        raise DataError(f"tokenizer {name}: it cannot be read from the Hugging Face Hub: {error}") from error


def _counter(name: str, tokenizer: Tokenizer) -> TokenCounter:
    # Files may hold settings of a training, which would cap every count.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    digest = hashlib.sha256(tokenizer.to_str().encode()).hexdigest()[:12]
    return TokenCounter(f"{name} (sha256 {digest})", lambda text: len(tokenizer.encode(text, add_special_tokens=False)))
