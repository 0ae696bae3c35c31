"""From the published columns to samples."""

import pytest

from openbench.datasets import Rows, load_samples
from openbench.errors import DataError
from openbench_simpleqa.dataset import record_to_sample

ROW = {
    "metadata": "{'topic': 'Art', 'answer_type': 'Person', 'urls': ['https://example.org/a']}",
    "problem": "Who wrote it?",
    "answer": "Nobody",
}


def load(*rows):
    return list(load_samples(Rows("rows", rows), record_to_sample, name="simpleqa"))


def test_a_row_becomes_a_sample():
    (sample,) = load(ROW)
    assert (sample.input, sample.target) == ("Who wrote it?", "Nobody")
    assert sample.metadata == {"topic": "Art", "answer_type": "Person", "urls": ["https://example.org/a"]}


@pytest.mark.parametrize("metadata", [None, ""])
def test_metadata_may_be_missing(metadata):
    assert load({**ROW, "metadata": metadata})[0].metadata == {}


def test_metadata_is_never_evaluated():
    with pytest.raises(DataError) as error:
        load(ROW, {**ROW, "metadata": "__import__('os').getcwd()"})
    assert str(error.value) == "row 2 of rows: 'metadata' is not a Python literal: \"__import__('os').getcwd()\""


def test_a_missing_column_is_named():
    with pytest.raises(DataError) as error:
        load({"metadata": "", "problem": "Who?"})
    assert str(error.value) == (
        "row 1 of rows has no 'answer' (columns: metadata, problem). "
        "Check the mapping of its columns, or pin the revision."
    )


def test_repeated_questions_have_ids_of_their_own():
    first, second = load(ROW, ROW)
    assert second.id == f"{first.id}-2"
