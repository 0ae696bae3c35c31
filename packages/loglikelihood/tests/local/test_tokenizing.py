"""Texts that are tokenised in parts have the tokens that they have as a whole."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbench_loglikelihood.tokenizing import TextTokenizer, common_length, divides

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = ["Question: what's it?\n\nAnswer: DON'T\n (A) 1,234 5678", "Grüße aus Köln, 東京 🙂 é", "a  b\n\n\n c ..."] * 3
WORDS = ["gpt2", "gpt2-trimmed", "llama3", "o200k", "digits", "nfc"]


@functools.cache
def tokenizer_of(words):
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=words == "prefixed", use_regex=words.startswith("gpt2"))
    patterns = {"llama3": LLAMA_3, "o200k": O200K, "nfc": LLAMA_3, "behind": r"(?<=a)b|.", "lines": r"^.*$|."}
    split = [pre_tokenizers.Split(Regex(patterns[words]), "isolated")] if words in patterns else []
    digits = [pre_tokenizers.Digits(), pre_tokenizers.Punctuation()] if words == "digits" else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, *split, level])
    if words == "nfc":
        tokenizer.normalizer = normalizers.NFC()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=380, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    if words == "gpt2-trimmed":
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    else:
        pairs = [("<s>", 0), ("</s>", 1)]
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=pairs)
    if words == "greedy":
        tokenizer.add_tokens([AddedToken("zz", lstrip=True)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106


def whole(words, text):
    """The tokens of a text that is tokenised at once."""
    return TextTokenizer(tokenizer_of(words), 0).whole([text])[0].tolist()


pieces = st.lists(
    st.sampled_from(
        [
            "the",
            "The",
            "A",
            " ",
            "  ",
            "\n",
            "\n\n",
            "'",
            "s",
            "t",
            "1",
            "234",
            ".",
            "?!",
            "é",
            "e\u0301",
            "\u0301",
            "東",
            "</s>",
            "🙂",
        ]
    ),
    max_size=12,
).map("".join)
stems = pieces.map(str.rstrip).filter(lambda text: text and not text.startswith("<s>"))


@settings(max_examples=150)
@given(
    words=st.sampled_from(WORDS),
    lead=pieces,
    asked=st.lists(st.tuples(stems, st.lists(pieces, max_size=3)), max_size=5),
)
def test_parts_have_the_tokens_of_the_whole(words, lead, asked):
    asked = [((lead + stem).rstrip(), texts) for stem, texts in asked]
    found = TextTokenizer(tokenizer_of(words), 0).continued(asked)
    for (stem, texts), (context, wholes) in zip(asked, found, strict=True):
        assert context.tolist() == whole(words, stem)
        assert [each.tolist() for each in wholes] == [whole(words, stem + text) for text in texts]


@pytest.mark.parametrize("words", WORDS)
def test_shared_text_is_tokenised_once(words, monkeypatch):
    texts = TextTokenizer(tokenizer_of(words), 0)
    lead = "Question: what is it?\nAnswer: one two three. " * 20
    asked = [(f"{lead}Question: {number} is what?\nAnswer:", [" A", " B", " C"]) for number in range(10)]
    read = []
    monkeypatch.setattr(
        texts, "_call", lambda some, **how: read.extend(some) or TextTokenizer._call(texts, some, **how)
    )
    found = texts.continued(asked)
    assert sum(map(len, read)) < 2 * len(lead)
    for (stem, options), (_, wholes) in zip(asked, found, strict=True):
        assert [each.tolist() for each in wholes] == [whole(words, stem + text) for text in options]


@pytest.mark.parametrize("words", ["prefixed", "behind", "lines", "greedy"])
def test_a_tokenizer_whose_words_depend_on_what_precedes_them_reads_whole_texts(words):
    assert not divides(tokenizer_of(words))
    ((context, (both,)),) = TextTokenizer(tokenizer_of(words), 0).continued([("What is it?\nAnswer:", [" zz"])])
    assert context.tolist() == whole(words, "What is it?\nAnswer:")
    assert both.tolist() == whole(words, "What is it?\nAnswer: zz")


@given(a=st.text("ab", max_size=9), b=st.text("ab", max_size=9))
def test_the_common_length_of_two_texts(a, b):
    length = common_length(a, b)
    assert a[:length] == b[:length]
    assert a[length : length + 1] != b[length : length + 1] or length == len(a) == len(b)


def test_tokens_are_whole_numbers_of_32_bits():
    assert TextTokenizer(tokenizer_of("gpt2"), 0).bare(["a"])[0].dtype == np.int32
