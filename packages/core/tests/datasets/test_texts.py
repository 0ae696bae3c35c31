"""Texts that others published: which forms are read, that no code runs, and what is stored."""

import hashlib

import pytest

from openbench.datasets import bundled_rows, read_text, rows_read
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench_testing import HubServer

PYTHON = '''
import nowhere_to_be_found
raise SystemExit("this must not run")

PLAIN = "Grade it."
BLOCK = """
Grade {question}.
""".strip()
JOINED = "Grade " "it" + ", please.\\n"
TYPED: str = "  Grade it.".lstrip()
TWICE = "first"
TWICE = "second"
NUMBER = 3
MADE = PLAIN.upper()
'''


@pytest.fixture
def source(tmp_path):
    """Make the source of a text in a local file."""

    def make(text):
        path = tmp_path / "prompts.py"
        path.write_text(text, "utf-8")
        return DatasetSource(source=str(path), type="text")

    return make


def error_of(source, variable):
    with pytest.raises(DataError) as error:
        read_text(source, variable=variable)
    return str(error.value)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("PLAIN", "Grade it."),
        ("BLOCK", "Grade {question}."),
        ("JOINED", "Grade it, please.\n"),
        ("TYPED", "Grade it."),
        ("TWICE", "second"),
        (None, PYTHON),
    ],
)
def test_a_text_is_the_whole_file_or_a_string_that_it_assigns(source, variable, text):
    assert read_text(source(PYTHON), variable=variable) == text


def test_what_is_not_a_string_is_an_error_that_names_the_place(source):
    of = source(PYTHON)
    assert error_of(of, "NUMBER") == f"{of.source}, line 13: NUMBER is not a string literal"
    assert error_of(of, "MADE") == f"{of.source}, line 14: MADE is not a string literal"
    assert error_of(of, "LOST") == f"{of.source} does not assign LOST"
    of = source("A = 'x'\nB = (")
    assert error_of(of, "A") == f"{of.source}, line 2: it is not valid Python: '(' was never closed"


def test_a_pinned_text_is_fetched_once_and_recorded_and_sample_rows_do_not_replace_it(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "test.jsonl").write_text('{"question": "?"}\n', "utf-8")
    digest = hashlib.sha256(PYTHON.encode()).hexdigest()
    with HubServer() as hub:
        url = hub.add_file("prompts.py", PYTHON.encode())
        pinned = DatasetSource(source=url, type="text", sha256=digest)
        assert read_text(pinned, variable="PLAIN") == "Grade it."
        with pytest.raises(DataError, match="is not the pinned file"):
            read_text(DatasetSource(source=url, type="text", sha256="0" * 64))
    with rows_read() as read, pytest.raises(DataError, match="does not read its rows"), bundled_rows(tmp_path):
        assert read_text(pinned, variable="BLOCK") == "Grade {question}."  # the server is gone
    assert [rows.source for rows in read] == [pinned]
