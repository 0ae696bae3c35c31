"""GraphWalks and MRCR: answer extraction, scores, and the metrics of a run."""

import json

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from openbench_longcontext.graphwalks import final_nodes, record_to_sample, set_f1
from openbench_longcontext.mrcr import prefixed_ratio
from openbench_longcontext.mrcr import record_to_sample as conversation
from openbench_testing import ChatServer

ANSWERS = [
    ("Final Answer: [ab, cd]", ["ab", "cd"]),
    ("First ab, then cd.\nFinal Answer: [ab, cd]\n", ["ab", "cd"]),
    ("**Final Answer: [ab]**", ["ab"]),
    ("Final Answer:[ 'ab', \"cd\" ]", ["ab", "cd"]),
    ("Final Answer: []", []),
    ("Final Answer: [ab]\nThat is all.", None),
    ("final answer: [ab]", None),
    ("Final Answer: ab", None),
    ("", None),
    ("<think>Final Answer: [xy]</think>Final Answer: [ab]", ["ab"]),
]


@pytest.mark.parametrize(("completion", "nodes"), ANSWERS)
def test_nodes_of_the_last_line(completion, nodes):
    assert final_nodes(completion) == nodes


F1 = [
    (["a", "b"], ["b", "a"], 1.0),
    (["a", "a"], ["a"], 1.0),
    (["a"], ["a", "b", "c"], 0.5),
    (["a", "x"], ["a", "b"], 0.5),
    (["x"], ["a"], 0.0),
    ([], ["a"], 0.0),
    (["a"], [], 0.0),
    ([], [], 1.0),
]


@pytest.mark.parametrize(("nodes", "targets", "value"), F1)
def test_f1_of_sets(nodes, targets, value):
    assert set_f1(nodes, targets) == value


RATIOS = [
    ("k7Xa poem", "k7Xa poem", 1.0),
    ("a poem", "k7Xa poem", 0.0),
    (" k7Xa poem", "k7Xa poem", 0.0),
    ("k7Xpoem", "k7Xa poem", 0.8),
    ("k7X", "k7Xa poem", 0.0),
    ("k7X", "k7X", 1.0),
]


@pytest.mark.parametrize(("completion", "answer", "value"), RATIOS)
def test_the_ratio_requires_the_prefix(completion, answer, value):
    assert prefixed_ratio(completion, answer, "k7X") == value


def test_rows_are_mapped():
    sample = record_to_sample({"prompt": "a -> b", "answer_nodes": ["b"], "problem_type": "BFS"})
    assert (sample.input, sample.target, sample.metadata) == ("a -> b", ["b"], {"operation": "bfs"})
    row = {
        "prompt": json.dumps([{"role": "user", "content": "A poem."}, {"role": "assistant", "content": "La."}]),
        "answer": "k7XLa.",
        "random_string_to_prepend": "k7X",
        "n_needles": 2,
        "desired_msg_index": 3,
        "total_messages": 4,
    }
    sample = conversation(row)
    assert [message.role for message in sample.input] == ["user", "assistant"]
    assert sample.metadata == {"prefix": "k7X", "needles": "2 needles", "depth": "depth 70%"}
    with pytest.raises(ValueError, match=r"^prompt: a message has the role 'tool', expected one of system, user"):
        conversation({**row, "prompt": json.dumps([{"role": "tool", "content": ""}])})


def test_a_run_reports_by_operation_and_length(bench, tmp_path):
    with ChatServer(lambda _: "Final Answer: []") as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        done = bench("eval", "graphwalks", "--sample", "-T", "max_context_size=1000", *options, cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["completed"], result["score"]) == (0, 4, 0.0), done.err
    [path] = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(path)
    assert log.eval.metadata["tokenizer"] == "approximate"
    assert log.eval.metadata["left_out"] == 1
    figures = log.results.scores[0].metrics
    assert {"bfs", "parents", "~0-4096", "~0-4096_count"} <= set(figures)


def test_reasoning_before_the_prefix_is_removed(bench, tmp_path):
    def answer(request):
        last = request.body["messages"][-1]["content"]
        return f"<think>Which one?</think>\n\n{last.split()[2].rstrip(',')}"

    with ChatServer(answer) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        done = bench("eval", "openai_mrcr_2n", "--sample", *options, cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["completed"], result["answered"]) == (0, 3, 1.0), done.err
