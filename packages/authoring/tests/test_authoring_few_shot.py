"""Few-shot examples: the same for a sample whatever else is in the run, and never the sample itself."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from openbench.errors import DataError, UsageError
from openbench_authoring.few_shot import Others, Pool, Shot, as_message, as_turns, by_key, draw, item_rng

ROWS = [{"question": f"What is {number} + 1?", "answer": number + 1} for number in range(40)]

ROW = st.fixed_dictionaries({"question": st.sampled_from("abcdefgh"), "answer": st.integers(0, 2)})
POOL = st.lists(ROW, max_size=30)
IDS = st.text() | st.integers()


def different(rows):
    return {(row["question"], row["answer"]) for row in rows}


def test_a_samples_random_numbers_are_the_same_for_ever():
    assert [item_rng(42, "q1").randrange(10**6), item_rng(42, "q2").randrange(10**6)] == [545944, 59029]
    assert [row["answer"] for row in draw(ROWS, 5, item=ROWS[0], seed=42, sample_id="q1")] == [34, 7, 23, 26, 35]


@given(st.integers(), st.integers())
def test_ids_are_told_apart_by_their_text(seed, number):
    assert item_rng(seed, number).random() == item_rng(seed, str(number)).random()
    assert item_rng(seed, number).random() != item_rng(seed, number + 1).random()
    assert item_rng(seed, number).random() != item_rng(seed + 1, number).random()


@given(POOL, ROW, st.integers(0, 8), st.integers(), IDS)
def test_drawn_rows_are_others_and_differ(pool, item, count, seed, sample_id):
    others = different(pool) - different([item])
    if len(others) < count:
        with pytest.raises(DataError) as caught:
            draw(pool, count, item=item, seed=seed, sample_id=sample_id)
        assert str(caught.value) == (
            f"the sample {sample_id!r}: {count} few-shot examples were asked for, but the pool has {len(others)} "
            "(the sample's own row and repeats do not count). Ask for fewer, or draw from a larger split."
        )
    else:
        drawn = draw(pool, count, item=item, seed=seed, sample_id=sample_id)
        assert len(drawn) == len(different(drawn)) == count
        assert different(drawn) <= others
        assert drawn == draw(Pool(pool), count, item=item, seed=seed, sample_id=sample_id)


@given(st.integers(), IDS, st.integers(0, 39))
def test_a_smaller_count_is_the_beginning_of_a_larger(seed, sample_id, count):
    every = draw(ROWS, 39, item=ROWS[3], seed=seed, sample_id=sample_id)
    assert draw(ROWS, count, item=ROWS[3], seed=seed, sample_id=sample_id) == every[:count]


@given(st.permutations(range(40)), st.integers(1, 40))
def test_neither_order_nor_limit_changes_a_samples_examples(order, limit):
    def shown(places):
        return {place: draw(ROWS, 4, item=ROWS[place], seed=0, sample_id=place) for place in places}

    assert shown(order[:limit]).items() <= shown(range(40)).items()


def test_every_row_is_drawn_about_equally_often():
    pool = ROWS[:10] * 2  # repeats give a row no better chance than another
    drawn = [row for n in range(900) for row in draw(pool, 3, item=ROWS[0], seed=1, sample_id=n)]
    counts = Counter(row["answer"] for row in drawn)
    assert sorted(counts) == list(range(2, 11))
    assert all(240 < count < 360 for count in counts.values())


def test_a_negative_count():
    with pytest.raises(UsageError) as caught:
        draw(ROWS, -1, item=ROWS[0], seed=0, sample_id="q")
    assert str(caught.value) == "-1 few-shot examples were asked for. The number must be 0 or more."


# --- views ------------------------------------------------------------------------------------------------------------


@given(POOL, ROW)
def test_a_view_is_the_pool_without_the_item(pool, item):
    view, expected = Pool(pool).without(item), [row for row in pool if row != item]
    assert list(view) == list(Others(pool, item)) == expected
    assert len(view) == len(expected)
    assert [view[-place] for place in range(1, len(view) + 1)] == expected[::-1]
    assert view[1:] == expected[1:]
    assert view[::-2] == expected[::-2]
    assert item not in view
    for outside in (len(view), -len(view) - 1):
        with pytest.raises(IndexError):
            view[outside]


@given(POOL, ROW, st.randoms())
def test_random_sample_of_a_view_never_has_the_item(pool, item, rng):
    view = Pool(pool).without(item)
    assert item not in rng.sample(view, len(view))


class CountingRows(Sequence):
    """Rows that count how often one is read."""

    def __init__(self):
        self.reads = 0

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(index)
        self.reads += 1
        return {"number": index}


def test_a_pool_is_read_once_for_all_views():
    rows = CountingRows()
    pool = Pool(rows)
    assert [len(pool.without({"number": number})) for number in (5, 6, -1)] == [99_999, 99_999, 100_000]
    assert rows.reads == 100_000
    assert pool.without({"number": 5})[4:6] == [{"number": 4}, {"number": 6}]


def test_draw_reads_no_more_than_it_needs():
    rows = CountingRows()
    assert len(draw(rows, 5, item={"number": 5}, seed=0, sample_id="q")) == 5
    assert rows.reads <= 6


def test_rows_are_compared_by_content():
    pool = Pool([{"x": math.nan, "raw": b"1"}, {"raw": b"1", "x": float("nan")}, {"x": 0.0, "raw": b"1"}])
    assert list(pool.without({"x": math.nan, "raw": b"1"})) == [{"x": 0.0, "raw": b"1"}]
    assert pool[1:] == pool[-2:]
    assert len(pool) == 3


def test_rows_of_any_kind():
    shots = [Shot("1 + 1?", "2"), Shot("1 + 2?", "3")]
    assert list(Others(shots, Shot("1 + 1?", "2"))) == shots[1:]
    assert draw(["a", "b"], 1, item="a", seed=0, sample_id=1) == ["b"]
    assert item_rng(0, 1).sample(Pool(["a", "b"]).without("a"), 1) == ["b"]


# --- by subject -------------------------------------------------------------------------------------------------------


def test_rows_by_subject():
    rows = [{"subject": subject, "n": n} for n, subject in enumerate(["law", "art", "law"])]
    assert by_key(rows, "subject") == {"law": [rows[0], rows[2]], "art": [rows[1]]}
    assert by_key([], "subject") == {}


def test_a_row_without_a_subject():
    with pytest.raises(DataError) as caught:
        by_key([{"subject": "law", "n": 0}, {"n": 1, "topic": "art"}], "subject")
    assert str(caught.value) == "row 2 of the few-shot examples has no 'subject' (columns: n, topic)."


# --- in a prompt ------------------------------------------------------------------------------------------------------

SHOTS = [Shot("Q: Capital of France?", "A: Paris."), Shot("Q: Capital of Spain?", "A: Madrid.")]


def test_examples_as_turns():
    turns = as_turns(SHOTS)
    assert [(type(turn), turn.content) for turn in turns] == [
        (ChatMessageUser, "Q: Capital of France?"),
        (ChatMessageAssistant, "A: Paris."),
        (ChatMessageUser, "Q: Capital of Spain?"),
        (ChatMessageAssistant, "A: Madrid."),
    ]
    assert as_turns([]) == []


def test_examples_in_one_message():
    assert as_message(SHOTS, "Q: Capital of Italy?") == (
        "Q: Capital of France?\nA: Paris.\n\nQ: Capital of Spain?\nA: Madrid.\n\nQ: Capital of Italy?"
    )
    assert as_message([], "Q?") == "Q?"
    assert as_message([Shot("1+1=", "2")], "1+2=", separator="\n", before_answer=" ") == "1+1= 2\n1+2="
