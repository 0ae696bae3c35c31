"""MuSR: splits, lists of choices, and questions that share a story."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

import openbench.datasets.rows
import openbench_mcq
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench_mcq import musr
from openbench_mcq.metadata.reasoning import MUSR

SAMPLES = Path(openbench_mcq.__file__).parent / "samples" / "musr"
ROW = {"narrative": "A tale.", "question": "Who?", "choices": "['Ann', \"O'Neil\"]", "answer_index": 1, "domain": "x"}


def test_choices_are_read_as_a_python_list() -> None:
    sample = musr.record_to_mcq_sample(ROW)
    assert str(sample.input).endswith("A tale.\n\nWho?\n\nA) Ann\nB) O'Neil")
    assert sample.target == "B"


@pytest.mark.parametrize("choices", ["open('x')", "('Ann', 'Ben')", "['Ann', 'Ben'", "Ann, Ben"])
def test_choices_that_are_not_a_list_are_named(choices: str) -> None:
    with pytest.raises(DataError, match=r"^row 1 of rows: choices: .* is not a Python list$"):
        load_samples(Rows("rows", [ROW | {"choices": choices}]), musr.record_to_mcq_sample, name="rows")


def test_every_split_is_read_from_the_pinned_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[DatasetSource] = []

    def rows(source: DatasetSource, fetch: Any, options: Any) -> Rows:
        if fetch:
            return Rows("rows", fetch(), source)
        requested.append(source)
        assert not options
        return Rows("rows", [{key: ROW[key] for key in ROW if key != "domain"}], source)

    monkeypatch.setattr(openbench.datasets.rows, "_rows", rows)
    assert [sample.metadata["domain"] for sample in musr.musr().dataset] == [*musr.DOMAINS]
    assert [source.split for source in requested] == [*musr.DOMAINS]
    assert {(source.source, source.revision) for source in requested} == {(MUSR.source, MUSR.revision)}
    assert MUSR.pinned


def test_figures_by_domain_and_clusters_by_story(tmp_path: Path) -> None:
    with bundled_rows(SAMPLES):
        task = musr.musr()
    model = get_model("baseline/constant", answer="Answer: A")
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path))
    figures = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert figures["accuracy"] == pytest.approx(4 / 7)
    assert figures["macro"] == pytest.approx((1 / 2 + 2 / 3 + 1 / 2) / 3)
    assert (figures["object_placements"], figures["clusters"]) == (pytest.approx(2 / 3), 5)


def test_a_domain_is_selected() -> None:
    with bundled_rows(SAMPLES):
        task = musr.musr(domain="team allocation")
    assert {sample.metadata["domain"] for sample in task.dataset} == {"team_allocation"}
    with pytest.raises(UsageError, match=r"^musr: domain: 'heists' does not exist\. Known: murder_mysteries, "):
        musr.musr(domain="heists")
