"""BIG-Bench Extra Hard: the comparison of answers, and the metrics."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT, SampleScore, Score

import openbench_mcq
from openbench.baselines.reference import reference as reference_solver
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import UsageError
from openbench_mcq import bbeh
from openbench_mcq.metadata import BENCHMARKS
from openbench_mcq.metadata.reasoning import BBEH, BBEH_DIGESTS, BBEH_MINI, bbeh_file

SAMPLES = Path(openbench_mcq.__file__).parent / "samples"


def built(key: str = "bbeh", **arguments: Any) -> Any:
    with bundled_rows(SAMPLES / key):
        return getattr(bbeh, key)(**arguments)


def run(task: Any, directory: Path, model: Any = "baseline/empty", **options: Any) -> dict[str, float]:
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(directory), **options)
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_every_task_has_sample_rows() -> None:
    assert {sample.metadata["task"] for sample in built().dataset} == set(BBEH_DIGESTS)
    assert {sample.metadata["task"] for sample in built(tasks="Linguini, word sorting").dataset} == {
        "linguini",
        "word_sorting",
    }
    assert len(BBEH_DIGESTS) == 23


def test_metrics_of_the_paper(tmp_path: Path) -> None:
    figures = run(built(), tmp_path, solver=reference_solver("openbench_mcq.bbeh:reference"))
    assert {figures[name] for name in ("accuracy", "macro", *BBEH_DIGESTS)} == {1.0}
    assert figures["harmonic"] == pytest.approx(1.01)
    words = run(built(tasks="word_sorting,zebra_puzzles"), tmp_path, get_model("baseline/constant", answer="2"))
    assert (words["word_sorting"], words["zebra_puzzles"], words["macro"]) == (0.5, 1.0, 0.75)
    assert words["harmonic"] == pytest.approx(2 / (1 / 0.51 + 1 / 1.01))
    assert set(run(built("bbeh_mini"), tmp_path)) == {"accuracy", "stderr"}


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=8))
def test_the_harmonic_mean_is_at_most_the_arithmetic_mean(groups: list[list[bool]]) -> None:
    scores = [
        SampleScore(score=Score(value=float(value)), sample_metadata={"task": number})
        for number, group in enumerate(groups)
        for value in group
    ]
    found: Any = bbeh.harmonic_average("task")(scores)
    means = [sum(group) / len(group) for group in groups]
    assert 0.01 - 1e-9 <= min(means) + 0.01 - 1e-9 <= found["harmonic"] <= sum(means) / len(means) + 0.01 + 1e-9


@pytest.mark.parametrize(
    ("completion", "target"),
    [
        ("The answer is: 4", "4.0"),
        ("The final answer is \\boxed{4}.", "4"),
        ("The answer is: $\\boxed{\\text{els lla\u00e7os}}$", "els lla\u00e7os"),
        ("The answer is: **1,372**\nHere is why.", "1372"),
        ("The answer is: Emma, Lily", "[emma, lily]"),
        ("The answer is: [no,yes, unknown].", "no, yes, unknown"),
        ("The answer is: oy abatzi na", "'Oy abatz'i na."),
        ("The answer is: (b)", "B"),
        ("Answer: 90,2", "90, 2"),
        ("So it was the\nsouthern black widow", "southern black widow"),
        ("[]", "[]"),
    ],
)
def test_equal_answers(completion: str, target: str) -> None:
    assert bbeh.score_bbeh(completion, target, {}).value == CORRECT


@pytest.mark.parametrize(
    ("completion", "target"),
    [
        ("The answer is: 4", "3"),
        ("The answer is: 2, 3, 4", "2,3,5"),
        ("The answer is: lily, emma", "[emma, lily]"),
        ("The answer is: [fay]", "[]"),
        ("The answer is: 12", "1, 2"),
        ("The answer is: -7", "7"),
        ("", "No"),
    ],
)
def test_different_answers(completion: str, target: str) -> None:
    assert bbeh.score_bbeh(completion, target, {}).value == INCORRECT


def test_a_target_in_parentheses_is_the_letter_of_an_option() -> None:
    row = {"input": "Which?\n(A) ant\n(B) bee", "target": "(B)", "task": "nycc"}
    sample = bbeh.bbeh_sample(row)
    assert (sample.target, sample.metadata) == ("B", {"task": "nycc", "options": {"A": "ant", "B": "bee"}})
    for completion in ("The answer is: B", "The answer is: (b)", "Answer: (B) bee", "bee"):
        assert bbeh.score_bbeh(completion, "B", sample.metadata["options"]).value == CORRECT, completion


def test_an_unknown_task_is_rejected() -> None:
    with pytest.raises(UsageError) as error:
        bbeh.bbeh(tasks="chess")
    assert str(error.value).startswith("bbeh: tasks: 'chess' does not exist. Known: boardgame_qa, ")


def test_files_are_pinned_by_commit_and_digest() -> None:
    for source in (BBEH_MINI, *map(bbeh_file, BBEH_DIGESTS)):
        assert source.revision == BBEH.revision
        assert source.source.startswith(f"https://raw.githubusercontent.com/google-deepmind/bbeh/{BBEH.revision}/bbeh/")
        assert len(source.sha256 or "") == 64


def real(path: str) -> bytes:
    file = Path(os.environ.get("OPENBENCH_REAL_DATA", ""), "raw", "bbeh", path)
    if not os.environ.get("OPENBENCH_REAL_DATA") or not file.is_file():
        pytest.skip(f"OPENBENCH_REAL_DATA names no directory with raw/bbeh/{path}")
    return file.read_bytes()


def test_every_real_row_becomes_a_sample_whose_reference_is_correct() -> None:
    """Rows as published, in `raw/bbeh`, a copy of the folder `bbeh` of google-deepmind/bbeh."""
    rows = []
    for name, digest in BBEH_DIGESTS.items():
        published = real(f"benchmark_tasks/bbeh_{name}/task.json")
        assert hashlib.sha256(published).hexdigest() == digest
        rows += [{**row, "task": name} for row in json.loads(published)["examples"]]
    mini = real("mini/data.json")
    assert hashlib.sha256(mini).hexdigest() == BBEH_MINI.sha256
    for key, source_rows in (("bbeh", rows), ("bbeh_mini", json.loads(mini)["examples"])):
        samples = list(load_samples(Rows(key, source_rows), bbeh.bbeh_sample, name=key))
        assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS[key].samples
        for sample, row in zip(samples, source_rows, strict=True):
            for completion in (bbeh.reference(sample), f"So it is clear. The answer is: {row['target']}"):
                verdict = bbeh.score_bbeh(completion, str(sample.target), sample.metadata["options"])
                assert verdict.value == CORRECT, (row["target"], completion)
