"""Members of a family by the names that a user gives, labelled splits, and the labels of rows."""

from collections.abc import Sequence
from typing import Any

import pytest

from openbench.datasets import Rows
from openbench.errors import UsageError
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split, selected_names, selected_rows


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, ["Real-Estate", "Law", "Tax, old"]),
        ("law", ["Law"]),
        ("Law,real_estate", ["Real-Estate", "Law"]),
        (["REAL ESTATE"], ["Real-Estate"]),
        ("tax, old", ["Tax, old"]),
    ],
)
def test_names_are_selected_in_their_order(wanted: Any, expected: Sequence[str]) -> None:
    assert selected_names("x: y", wanted, ["Real-Estate", "Law", "Tax, old"]) == expected


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("lwa", "x: y: 'lwa' does not exist. Close: Law."),
        ("law,zzz", "x: y: 'zzz' does not exist. Known: Law, Real-Estate."),
        ("", "x: y: '' does not exist. Known: Law, Real-Estate."),
        ([], "x: y: [] does not exist. Known: Law, Real-Estate."),
    ],
)
def test_an_unknown_name_is_refused(wanted: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        selected_names("x: y", wanted, ["Law", "Real-Estate"])
    assert str(raised.value) == message


def test_rows_are_selected_by_a_column() -> None:
    rows = Rows("rows", [{"level": 1}, {"level": 2}, {"level": 1}])
    assert selected_rows(rows, "x: level", "level", None) is rows
    assert [*selected_rows(rows, "x: level", "level", "1").rows] == [{"level": 1}, {"level": 1}]


def test_labelled_split() -> None:
    splits = {"labelled": ["train", "validation"], "unlabelled": ["test"]}
    assert labelled_split("piqa", "train", **splits) == "train"
    for split, reason in (("test", "has no labels"), ("dev", "does not exist")):
        with pytest.raises(UsageError) as caught:
            labelled_split("piqa", split, **splits)
        assert str(caught.value) == (
            f"piqa: the split '{split}' {reason}. Splits that can be scored: train, validation."
        )


def test_label_index() -> None:
    assert [label_index({"label": label}, "label", ("0", "1")) for label in ("1", 0)] == [1, 0]
    assert label_index({"label": True}, "label", ("False", "True")) == 1
    for label in ("", -1):
        message = f"^label: '{label}' is not one of the labels 0, 1; the split may have no labels$"
        with pytest.raises(ValueError, match=message):
            label_index({"label": label}, "label", ("0", "1"))


def test_target_letter() -> None:
    assert [target_letter(index, "abc") for index in range(3)] == ["A", "B", "C"]
    for index in (-1, 3):
        message = f"^the target {index} is outside the 3 options; the split may have no labels$"
        with pytest.raises(ValueError, match=message):
            target_letter(index, "abc")
