"""Members of a family by the names that a user gives."""

from collections.abc import Sequence
from typing import Any

import pytest

from openbench.datasets import Rows
from openbench.datasets.selection import selected_names, selected_rows
from openbench.errors import UsageError


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
