"""The lines of a run's files: whatever a line says comes back, and no damage goes unseen."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.errors import LogError
from openbench.run.run_files import line_of, read_lines

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | TEXTS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(TEXTS, parts, max_size=3),
    max_leaves=8,
)
CONTENTS = st.dictionaries(TEXTS.filter(lambda name: name != "crc"), VALUES, min_size=1, max_size=4)


def without_checksum(lines):
    return [{name: value for name, value in line.items() if name != "crc"} for line in lines]


@given(contents=st.lists(CONTENTS, max_size=4))
def test_whatever_is_written_is_read(tmp_path_factory, contents):
    path = tmp_path_factory.mktemp("lines") / "a.0.jsonl"
    path.write_bytes(b"".join(map(line_of, contents)))
    assert without_checksum(read_lines(path)) == contents
    assert path.read_bytes().count(b"\n") == len(contents)
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == list(read_lines(path))


def test_what_json_has_no_word_for(tmp_path):
    path = tmp_path / "a.0.jsonl"
    path.write_bytes(line_of({"nan": math.nan, "most": math.inf, "half": "\ud83d", "what": object()}))
    [line] = without_checksum(read_lines(path))
    assert math.isnan(line["nan"])
    assert (line["most"], line["half"]) == (math.inf, "\\ud83d")  # as inspect writes halves of characters
    assert line["what"] is None


LINES = [line_of({"kind": "sample", "id": f"q{number}", "text": "é\u2028" * number}) for number in range(3)]


@given(length=st.integers(0, sum(map(len, LINES))))
def test_only_the_last_line_can_be_cut(tmp_path_factory, length):
    path = tmp_path_factory.mktemp("lines") / "a.0.jsonl"
    path.write_bytes(b"".join(LINES)[:length])
    told = []
    read = [line["id"] for line in read_lines(path, damage=told.append)]
    ends = [sum(map(len, LINES[: number + 1])) - 1 for number in range(3)]  # a line is whole without its break
    assert read == [f"q{number}" for number, end in enumerate(ends) if length >= end]
    rest = length - sum(map(len, LINES[: len(read)]))
    line = f"{path}, line {len(read) + 1}: cut short by a crash; skipped."
    assert told == ([line] if rest > 0 else [])


@given(position=st.integers(0, sum(map(len, LINES[:2])) - 1), byte=st.integers(0, 255))
def test_no_change_goes_unseen(tmp_path_factory, position, byte):
    path = tmp_path_factory.mktemp("lines") / "a.0.jsonl"
    whole = b"".join(LINES)
    changed = whole[:position] + bytes([byte]) + whole[position + 1 :]
    path.write_bytes(changed)
    if changed == whole:
        assert len(list(read_lines(path))) == 3
        return
    messages = []
    read = [line["id"] for line in read_lines(path, damage=messages.append)]
    damaged = 0 if position < len(LINES[0]) else 1
    assert {"q0", "q1", "q2"} - {f"q{damaged}", f"q{damaged + 1}"} <= set(read) <= {"q0", "q1", "q2"} - {f"q{damaged}"}
    reason = rf"{re.escape(str(path))}, line \d: does not match its checksum; skipped, and its sample runs again."
    assert messages
    assert all(re.fullmatch(reason, message) for message in messages)
    assert path.read_bytes() == changed


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(LogError, match=r"a\.0\.jsonl cannot be read: No such file or directory\.$"):
        list(read_lines(tmp_path / "a.0.jsonl"))
