"""Token counts and lengths: tokenizers, and estimates without one."""

import json

import pytest
from inspect_ai.dataset import MemoryDataset, Sample
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from openbench.errors import DataError, UsageError
from openbench_longcontext.lengths import depth_group, length_bin, lengths_of, measured
from openbench_longcontext.tokens import APPROXIMATE, TokenCounter, token_counter

WORDS = TokenCounter("words", lambda text: len(text.split()))


@pytest.fixture
def vocabulary(tmp_path):
    """A folder with a word-level tokenizer.json that truncates to 3 tokens and pads to 16."""
    tokenizer = Tokenizer(models.WordLevel(unk_token="?"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(["the lake is calm ."], trainers.WordLevelTrainer(special_tokens=["?"]))
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_a_tokenizer_file_counts_all_tokens(vocabulary):
    counter = token_counter(str(vocabulary))
    assert counter.count("the lake is calm . the boat ?") == 8
    assert not counter.approximate
    assert counter.name.startswith(f"{vocabulary}/tokenizer.json (sha256 ")
    assert token_counter(str(vocabulary / "tokenizer.json")).name == counter.name


ESTIMATES = [
    ("", 0),
    ("The grass is green.", 5),
    ("the code is 1234567", 7),
    ("a\n\nb", 3),
    ("xqzvkw", 5),
    ("湖は青い", 4),
]


@pytest.mark.parametrize(("text", "tokens"), ESTIMATES)
def test_estimates(text, tokens):
    assert token_counter(APPROXIMATE).count(text) == tokens


def test_invalid_tokenizers_are_rejected(tmp_path):
    with pytest.raises(UsageError) as error:
        token_counter("o201k")
    assert str(error.value).startswith("tokenizer='o201k': expected 'approximate', 'model', a folder with")
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0"}))
    with pytest.raises(DataError, match=r"cannot be read as tokenizer\.json"):
        token_counter(str(tmp_path))
    with pytest.raises(DataError, match=r"cannot be read as tokenizer\.json"):
        token_counter(str(tmp_path.parent))


def test_lengths():
    assert lengths_of("8192, 4096,8192", least=512) == [8192, 4096]
    assert lengths_of(4096, least=512) == lengths_of([4096], least=512) == [4096]
    for wrong in ("4k", 0, "511", [4096.5], True, ""):
        with pytest.raises(UsageError, match=r"^length=.*: expected whole numbers of 512 tokens or more"):
            lengths_of(wrong, least=512)


BINS = [(0, "0-4096"), (4096, "0-4096"), (4097, "4096-8192"), (1_048_576, "524288-1048576"), (1_048_577, ">1048576")]


@pytest.mark.parametrize(("tokens", "group"), BINS)
def test_length_groups(tokens, group):
    assert length_bin(tokens, WORDS) == group
    assert length_bin(tokens, token_counter()) == f"~{group}"


def test_depth_groups():
    assert [depth_group(each) for each in (0, 0.09, 0.1, 0.29, 0.999, 1.0)] == [
        "depth 0%",
        "depth 0%",
        "depth 10%",
        "depth 20%",
        "depth 90%",
        "depth 90%",
    ]


def test_long_prompts_are_left_out_and_counted():
    samples = [Sample("a b c", id=1), Sample("a b c d", target="e f", id=2), Sample("a", id=3)]
    kept, metadata = measured(MemoryDataset(samples), WORDS, 3)
    assert [sample.id for sample in kept] == [1, 3]
    assert metadata == {"tokenizer": "words", "left_out": 1}
    assert kept[0].metadata == {"prompt_tokens": 3, "length": "0-4096"}
    everything, metadata = measured(
        MemoryDataset([Sample("a " * 4095, target="b"), Sample("a " * 4096, target="b")]), WORDS, None, answers=True
    )
    assert [sample.metadata["prompt_tokens"] for sample in everything] == [4095, 4096]
    assert [sample.metadata["length"] for sample in everything] == ["0-4096", "4096-8192"]
    assert metadata == {"tokenizer": "words"}
    with pytest.raises(UsageError, match=r"^max_context_size=0: expected a whole number"):
        measured(MemoryDataset(samples), WORDS, 0)
    with pytest.raises(UsageError, match=r"^max_context_size=2: every prompt is longer; the shortest has 3 tokens"):
        measured(MemoryDataset(samples[:2]), WORDS, 2)
