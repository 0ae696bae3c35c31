"""Every row of the datasets, where a directory with them is given.

OPENBENCH_REAL_DATA names a directory that holds `hub/<dataset>/<config>/<split>.jsonl`. Beside the rows of PubMedQA lie
the ids of its test set, `test_ids.jsonl`.
"""

import os
from pathlib import Path

import pytest

from openbench.datasets import bundled_rows
from openbench_qa import closed_book, pubmedqa, reading
from openbench_qa.build import CHAIN, answered
from openbench_qa.metadata import BENCHMARKS
from openbench_scorers.drop import score_drop
from openbench_scorers.fallback import extractions
from openbench_scorers.macro_f1 import score_label
from openbench_scorers.token_f1 import score_token_f1

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")
FOUND = extractions(CHAIN)


def samples(key, task):
    source = BENCHMARKS[key].dataset
    directory = Path(DIRECTORY, "hub", source.source, source.config or "default")
    if not DIRECTORY or not (directory / f"{source.split}.jsonl").exists():
        pytest.skip(f"OPENBENCH_REAL_DATA names no directory with rows of {source.source}")
    with bundled_rows(directory):
        found = list(task().dataset)
    assert len({sample.id for sample in found}) == len(found)
    return found


def targets(sample):
    return [sample.target] if isinstance(sample.target, str) else sample.target


@pytest.mark.parametrize(
    ("key", "task", "score"),
    [
        (
            "triviaqa",
            closed_book.triviaqa,
            lambda said, right: score_token_f1(said, right, "triviaqa", chain=FOUND),
        ),
        ("nq_open", closed_book.nq_open, lambda said, right: score_token_f1(said, right, "nq", chain=FOUND)),
        (
            "squad_v2",
            reading.squad_v2,
            lambda said, right: score_token_f1(said, right, chain=FOUND, no_answer=reading.NO_ANSWER),
        ),
        ("drop", reading.drop, lambda said, right: score_drop(said, right, chain=FOUND)),
        ("hotpotqa", reading.hotpotqa, lambda said, right: score_token_f1(said, right, "hotpotqa", chain=FOUND)),
    ],
)
def test_every_reference_scores_one(key, task, score):
    found = samples(key, task)
    assert len(found) >= (BENCHMARKS[key].dataset.verified or 0)
    for sample in found:
        right = targets(sample)
        for answer in (answered(sample), *right, *(f"So it is this.\n\n**Answer:** {each}" for each in right)):
            assert score(answer, right).value["exact_match"] == 1.0, (sample, answer)
        assert score("", right).value == {"f1": 0.0, "exact_match": 0.0}, sample


def test_pubmedqa():
    found = samples("pubmedqa", pubmedqa.pubmedqa)
    assert len(found) == BENCHMARKS["pubmedqa"].samples
    for sample in found:
        assert score_label(answered(sample), [sample.target], pubmedqa.LABELS).value == "C"
    assert sum(sample.target == "yes" for sample in found) / len(found) == pytest.approx(0.552)
