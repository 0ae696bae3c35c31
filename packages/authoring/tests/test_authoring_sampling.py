"""Which rows a declared benchmark keeps, and in which order."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.errors import DataError, UsageError
from openbench_authoring import BenchmarkConfig, create_benchmark
from openbench_authoring.declarative.sampling import balanced, chosen, stratified

CATEGORIES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=60)
LIMITS = st.integers(1, 70)
KINDS = st.sampled_from(["balanced", "stratified"])


@given(CATEGORIES, LIMITS, KINDS, st.integers())
def test_exactly_so_many_rows_each_once_in_order_and_the_same_again(categories, limit, sampling, seed):
    places = chosen(categories, limit, sampling, seed=seed)
    assert len(places) == min(limit, len(categories))
    assert places == sorted(set(places))
    assert set(places) <= set(range(len(categories)))
    assert places == chosen(categories, limit, sampling, seed=seed)


@given(CATEGORIES, LIMITS)
def test_balanced_shares_differ_by_one_at_most_among_those_that_are_not_taken_whole(categories, limit):
    sizes = Counter(categories)
    shares = balanced(sizes, min(limit, len(categories)))
    left = [share for category, share in shares.items() if share < sizes[category]]
    assert max(left, default=0) - min(left, default=0) <= 1
    assert not left or max(shares.values()) <= min(left) + 1


@given(CATEGORIES, LIMITS)
def test_stratified_shares_are_proportional_and_leave_no_category_out(categories, limit):
    sizes, total = Counter(categories), min(limit, len(categories))
    shares = stratified(sizes, total)
    exact = {category: total * size / len(categories) for category, size in sizes.items()}
    assert sum(shares.values()) == total
    assert all(shares[category] <= sizes[category] for category in sizes)
    if total >= len(sizes):
        assert min(shares.values()) >= 1
    if min(exact.values()) >= 1:  # else some are raised to one, at the cost of others
        assert all(abs(shares[category] - exact[category]) < 1 for category in sizes)


def test_a_shortfall_is_given_to_the_others():
    assert balanced({"a": 1, "b": 9, "c": 9}, 9) == {"a": 1, "b": 4, "c": 4}
    assert balanced({"a": 1, "b": 5, "c": 5, "d": 5}, 11) == {"a": 1, "b": 3, "c": 3, "d": 4}


def test_small_categories_do_not_vanish():
    assert stratified({"big": 97, "small": 2, "tiny": 1}, 10) == {"big": 8, "small": 1, "tiny": 1}
    assert stratified({"a": 50, "b": 30, "c": 20}, 7) == {"a": 4, "b": 2, "c": 1}
    assert stratified({"a": 5, "b": 5, "c": 5}, 2) == {"a": 1, "b": 1, "c": 0}


def test_another_seed_takes_other_rows():
    categories = ["a", "b"] * 50
    assert chosen(categories, 10, "balanced", seed=0) != chosen(categories, 10, "balanced", seed=1)


def test_no_process_differs_from_another():
    code = (
        "from openbench_authoring.declarative.sampling import chosen\n"
        "print(chosen([f'c{n % 7}' for n in range(99)], 20, 'stratified', seed=5))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {f"{chosen([f'c{n % 7}' for n in range(99)], 20, 'stratified', seed=5)}\n"}


# --- in a task --------------------------------------------------------------------------------------------------------


@pytest.fixture
def task(tmp_path):
    """Build the task of twelve rows: eight of the topic a, three of b, one of c."""
    rows = [
        {
            "id": f"q{n}",
            "question": f"{n}?",
            "choices": ["x", "y"],
            "answer": n % 2,
            "info": {"topic": "aaaaaaaabbbc"[n]},
        }
        for n in range(12)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def build(shuffle=False, limit=None, **given):
        given = {"field_mapping": {"input": "question", "target": "answer", "topic": "info.topic"}, **given}
        config = BenchmarkConfig(data_type="jsonl", data_source="rows.jsonl", folder=tmp_path, **given)
        return [each.id for each in create_benchmark("quiz", config, shuffle=shuffle, limit=limit).dataset]

    return build


EVERY = [f"q{n}" for n in range(12)]


def test_shuffle_and_limit_work_as_arguments_and_as_fields(task):
    assert task() == EVERY
    assert task(limit=5) == EVERY[:5]
    shuffled = task(shuffle=True)
    assert (sorted(shuffled), shuffled != EVERY) == (sorted(EVERY), True)
    config = {"shuffle": True}
    assert task(limit=5) == EVERY[:5]
    assert task(shuffle=True, limit=5) == shuffled[:5]
    assert task(seed=1, **config) != shuffled


@pytest.mark.parametrize("by", ["topic", "info.topic"])
def test_a_category_is_a_column_or_a_metadata_key(task, by):
    topics = Counter("aaaaaaaabbbc"[EVERY.index(each)] for each in task(sampling="balanced", sampling_by=by, limit=7))
    assert topics == {"a": 3, "b": 3, "c": 1}


def test_a_category_is_a_mapped_column_under_either_name(task):
    first, second = (task(sampling="stratified", sampling_by=by, limit=6) for by in ("answer", "target"))
    assert first == second
    assert Counter(EVERY.index(each) % 2 for each in first) == {0: 3, 1: 3}


def test_an_argument_samples_so_many_and_without_a_limit_all_are_kept(task):
    sampled = task(sampling="balanced", sampling_by="topic", limit=3)
    assert len(sampled) == 3
    assert sampled == sorted(sampled, key=EVERY.index)
    assert task(sampling="balanced", sampling_by="topic") == EVERY
    assert sorted(task(sampling="balanced", sampling_by="topic", limit=3, shuffle=True)) == sorted(sampled)


def test_a_row_without_a_category_is_named(task, tmp_path):
    with pytest.raises(DataError) as error:
        task(sampling="balanced", sampling_by="subject", limit=3)
    assert str(error.value) == (
        f"row 1 of {tmp_path / 'rows.jsonl'}: no column 'subject' (columns: id, question, choices, answer, info). "
        "Check sampling_by, or give it in default_fields."
    )
    with pytest.raises(DataError, match="where a category is expected"):
        task(sampling="balanced", sampling_by="info", limit=3)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_leaves_nothing_is_refused(task, limit):
    with pytest.raises(UsageError, match=f"^quiz: limit is {limit}, where a whole number above 0 is expected.$"):
        task(limit=limit)
