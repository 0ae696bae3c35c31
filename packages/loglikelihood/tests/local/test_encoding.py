import numpy as np
import pytest

from openbench.errors import DataError, UsageError
from openbench_loglikelihood.encoding import Encoder, window_of
from openbench_loglikelihood.request import Request


def parts(encoder, context, *continuations):
    """The tokens before and in each continuation, as texts."""
    (items,) = encoder.requests([Request(context, continuations)])
    decode = encoder.tokenizer.decode
    return [(decode(each.tokens[: -each.scored]), decode(each.tokens[-each.scored :])) for each in items]


def test_trailing_whitespace_moves_to_the_continuation(tokenizer):
    encoder = Encoder(tokenizer, 128)
    assert parts(encoder, "The capital is \n", "Paris", " Paris") == [
        ("<s>The capital is", " \nParis"),
        ("<s>The capital is", " \n Paris"),
    ]


def test_a_text_without_context_follows_the_prefix_token_once(tokenizer):
    encoder = Encoder(tokenizer, 128)
    assert parts(encoder, "", "one two", "<s>one") == [("<s>", "one two"), ("<s>", "one")]
    assert parts(encoder, "  ", "one") == [("<s>", "  one")]


def test_a_context_that_begins_with_the_prefix_token_is_given_no_second_one(tokenizer):
    assert parts(Encoder(tokenizer, 128), "<s>one", " two") == [("<s>one", " two")]


def test_a_special_token_inside_a_text_is_that_token(tokenizer):
    ((item,),) = Encoder(tokenizer, 128).requests([Request("one</s>", [" two"])])
    assert tokenizer.eos_token_id in item.tokens


@pytest.mark.parametrize("adds", ["$A", "<s> $A", "<s> $A </s>", "$A </s>"])
def test_what_a_tokenizer_appends_does_not_come_between(tokenizer_that_adds, adds):
    encoder = Encoder(tokenizer_that_adds(adds), 128)
    start = "<s>" if adds.startswith("<s>") else ""
    assert parts(encoder, "The capital is", " Paris") == [(f"{start}The capital is", " Paris")]


def test_a_long_context_is_cut_from_the_left_and_counted(tokenizer):
    ((whole,),) = Encoder(tokenizer, 1000).requests([Request("one two three " * 20, [" one"])])
    ((item,),) = Encoder(tokenizer, 10).requests([Request("one two three " * 20, [" one"])])
    assert (len(item.tokens), item.truncated) == (11, len(whole.tokens) - 11)
    np.testing.assert_array_equal(item.tokens, whole.tokens[-11:])


@pytest.mark.parametrize(
    ("continuations", "message"),
    [
        ([], "request 1: it has no continuation to score."),
        (
            [" Paris", ""],
            (
                "request 1: continuation 1 ('') adds no token to its context, so that it has no log-probability. "
                "Begin it with a space or a new line, or leave it out."
            ),
        ),
        (
            ["z" * 9],
            "request 1: continuation 0 ('zzzzzzzzz') has 9 tokens, and the model reads at most 8. Shorten it.",
        ),
    ],
)
def test_a_request_that_cannot_be_scored_is_refused(tokenizer, continuations, message):
    with pytest.raises(DataError) as caught:
        Encoder(tokenizer, 8).requests([Request("one", [" two"]), Request("one", continuations)])
    assert str(caught.value) == message


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 30])
def test_windows_score_each_token_once(tokenizer, length):
    encoder = Encoder(tokenizer, 8)
    (windows,) = encoder.texts(["z" * length])
    assert sum(each.scored for each in windows) == length + 1  # the token at the beginning is scored, too
    assert all(len(each.tokens) <= 9 for each in windows)
    text = "".join(tokenizer.decode(each.tokens[-each.scored :]) for each in windows)
    assert text == "<s>" + "z" * length


def test_an_empty_text_is_refused(tokenizer_that_adds):
    with pytest.raises(DataError, match=r"^request 1: the text has no token to score\.$"):
        Encoder(tokenizer_that_adds("$A"), 8).texts(["one", ""])


def test_a_tokenizer_without_a_first_token_is_refused(tokenizer_that_adds):
    tokenizer = tokenizer_that_adds()
    tokenizer.bos_token = tokenizer.eos_token = None
    with pytest.raises(UsageError, match=r"^the tokenizer has neither a beginning-of-sequence nor"):
        Encoder(tokenizer, 8)


def test_the_window_is_the_configuration_s_or_the_tokenizer_s(llama, tokenizer):
    assert window_of(llama.config, tokenizer) == 128
    assert window_of(object(), tokenizer) == 2048
    assert window_of(object(), type("Limited", (), {"model_max_length": 7})()) == 7
