"""ARC-AGI: samples, attempts, metrics, and the list of puzzle files."""

import json

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from openbench.datasets import bundled_rows
from openbench.errors import UsageError
from openbench.registry.sources import package_folder
from openbench_reasoning import arc_agi
from openbench_reasoning.arc_agi import arc_agi_1, puzzle_samples

PUZZLE = {
    "id": "p",
    "train": [{"input": [[1, 2]], "output": [[2, 1]]}],
    "test": [{"input": [[3, 4]], "output": [[4, 3]]}, {"input": [[5], [6]], "output": [[6], [5]]}],
}
OFFICIAL = "Examples:\n{training_examples}--End--\n{test_input}\nYour response:"


def test_each_input_of_a_puzzle_is_a_sample():
    first, second = puzzle_samples(PUZZLE)
    assert (first.id, second.id) == ("p-1", "p-2")
    assert (first.target, second.target) == ("4 3", "6\n5")
    assert "Input 1:\n1 2\n\nOutput 1:\n2 1\n\nLast input:\n3 4\n" in first.input
    assert second.input.endswith("and nothing after it.")
    assert "6\n5" not in second.input


def test_the_official_prompt():
    first, _ = puzzle_samples(PUZZLE, OFFICIAL)
    assert first.input == (
        "Examples:\n--Example 0-- \n\n INPUT: \n\n[[1, 2]]\n\nOUTPUT: \n\n[[2, 1]]\n\n--End--\n[[3, 4]]\nYour response:"
    )
    with pytest.raises(UsageError, match=r"arc_agi_1: prompt='theirs': expected one of 'ours', 'official'\."):
        arc_agi_1(prompt="theirs")


def test_one_of_two_attempts_suffices_and_puzzles_have_equal_weight(tmp_path):
    # The first input of PUZZLE is solved in the second attempt, and its second input never; `other` is solved at once.
    other = {**PUZZLE, "id": "q", "test": [{"input": [[7, 8]], "output": [[8, 7]]}]}
    (tmp_path / "evaluation.jsonl").write_text(f"{json.dumps(PUZZLE)}\n{json.dumps(other)}\n", "utf-8")
    attempts = {"3 4": ["3 4", "It is\n[[4, 3]]"], "5\n6": ["5\n6", "no idea"], "7 8": ["8 7", "7 8"]}

    def answer(messages, *_):
        grid = messages[-1].text.split("Last input:\n")[1].split("\n\n")[0]
        output = ModelOutput.from_content("mock", attempts[grid].pop(0))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    with bundled_rows(tmp_path):
        task = arc_agi_1()
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1)
    assert log.status == "success", log.error
    figures = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert figures["accuracy"] == pytest.approx(2 / 3)
    assert figures["macro"] == pytest.approx((1 / 2 + 1) / 2)


@pytest.mark.parametrize(("name", "count"), [("arc_agi_1", 400), ("arc_agi_2", 120)])
def test_the_list_of_puzzles(name, count):
    listed = (package_folder(arc_agi.__name__) / f"{name}.txt").read_text("utf-8").split()
    assert len(listed) == len(set(listed)) == count
    assert all(len(puzzle) == 8 and int(puzzle, 16) >= 0 for puzzle in listed)
