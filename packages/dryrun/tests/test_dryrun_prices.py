"""Prices: what is one, and what a model costs in batches."""

import pytest

from openbench.errors import UsageError
from openbench_dryrun.prices import Price, in_batches, parse_price


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_a_price_that_is_not_valid(text):
    with pytest.raises(UsageError, match="--price"):
        parse_price(text)


def test_a_price():
    assert parse_price("2.5,10") == Price(2.5, 10)


def test_requests_to_a_grader_of_the_same_name_are_not_batched():
    prices = {"openai/m": Price(2, 8), "other/m": Price(1, 1)}
    assert in_batches(prices, "openai/m") == {**prices, "openai/m": Price(1, 4)}
    assert in_batches(prices, "openai/m", ["openai/m"]) == prices
    assert in_batches(prices, "unknown/m") == prices
