"""RULER and needles: generated prompts, scores, and the metrics of a run."""

import json
import re
import uuid
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import list_eval_logs, read_eval_log

import openbench_longcontext
from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_longcontext.haystack import Materials, largest, seeded
from openbench_longcontext.niah import niah
from openbench_longcontext.ruler import ruler, string_match_all, string_match_part
from openbench_longcontext.ruler_tasks import TASKS, Problem, Setting
from openbench_longcontext.ruler_wording import OURS, official
from openbench_longcontext.tokens import TokenCounter, token_counter
from openbench_testing import ChatServer

SAMPLES = Path(openbench_longcontext.__file__).parent / "samples"
DATA = {row["kind"]: row["data"] for row in map(json.loads, (SAMPLES / "ruler/test.jsonl").read_text().splitlines())}
WORDS = TokenCounter("words", lambda text: len(text.split()))


def build(function, **arguments):
    with bundled_rows(SAMPLES / function.__name__):
        return function(**arguments)


def make_problem(name, size, length=4096, seed=1) -> Problem:
    setting = Setting(Materials("samples", None, DATA), OURS, token_counter(), length)
    make, most = TASKS[name].maker(setting, 0)
    return make(seeded(seed), size if most is None else min(size, most))


def hidden_needles(prompt):
    """Return the key and value of each needle in a prompt."""
    return re.findall(r"The secret \w+ for (\S+): ([\w-]+)\.", prompt)


NEEDLES = {  # lines or words of the haystack, number of needles, number of requested values
    "niah_single_1": (40, 1, 1),
    "niah_single_2": (400, 1, 1),
    "niah_single_3": (400, 1, 1),
    "niah_multikey_1": (400, 4, 1),
    "niah_multikey_2": (40, 41, 1),
    "niah_multikey_3": (40, 41, 1),
    "niah_multivalue": (400, 4, 4),
    "niah_multiquery": (400, 4, 4),
}


@pytest.mark.parametrize("name", NEEDLES)
@pytest.mark.parametrize("seed", range(5))
def test_needles(name, seed):
    size, needles, requested = NEEDLES[name]
    sample = make_problem(name, size, seed=seed)
    found = hidden_needles(sample.prompt)
    assert len(found) == needles
    assert len(sample.answers) == requested
    question = sample.prompt.rpartition("\n")[2]
    keys = {key for key, value in found if value in sample.answers}
    assert all(key in question for key in keys)
    assert {value for key, value in found if key in keys} == {*sample.answers}
    assert len(keys) == (4 if name == "niah_multiquery" else 1)
    for value in sample.answers:
        assert uuid.UUID(value).version == 4 if name in {"niah_single_3", "niah_multikey_3"} else len(value) == 7
    assert 0 <= sample.depth <= 1


def test_variables_form_one_chain():
    sample = make_problem("vt", 40)
    problem = sample.prompt.rpartition("The text below")[2]
    assigned = re.findall(r"^VAR (\w+) = (?:VAR )?(\w+)$", problem, re.MULTILINE)
    assert [name for name, _ in assigned] == list(sample.answers)
    assert [value for _, value in assigned][1:] == list(sample.answers)[:-1]
    assert f"have the value {assigned[0][1]}?" in problem
    assert len({*sample.answers}) == 5
    example = sample.prompt.rpartition("The text below")[0]
    assert token_counter().count(example) <= 500
    assert len(re.findall(r"^VAR", example, re.MULTILINE)) == 5


@pytest.mark.parametrize(("length", "often", "rarely"), [(1024, 6, 1), (4096, 30, 3)])
def test_common_words(length, often, rarely):
    sample = make_problem("cwe", 60, length)
    listed = Counter(re.findall(r"\d+\. (\S+)", sample.prompt.split("\n\n")[-2]))
    assert listed.most_common(10) == [(word, often) for word, _ in listed.most_common(10)]
    assert {word for word, _ in listed.most_common(10)} == {*sample.answers}
    assert {*listed.values()} == {often, rarely}
    assert len(listed) == 60


def test_frequent_words():
    sample = make_problem("fwe", 2000)
    counted = Counter(sample.prompt.split("\n\n")[1].split())
    assert [word for word, _ in counted.most_common(4)] == ["...", *sample.answers]
    assert [count for _, count in counted.most_common(4)] == [1215, 303, 135, 75]  # size / rank² / zeta(2)


@pytest.mark.parametrize("name", ["qa_1", "qa_2"])
def test_questions_contain_their_documents(name):
    sample = make_problem(name, 4 if name == "qa_1" else 11)
    documents = re.findall(r"^Document (\d+):\n", sample.prompt, re.MULTILINE)
    assert documents == [str(number) for number in range(1, len(documents) + 1)]
    assert len(documents) == (4 if name == "qa_1" else 11)
    assert any(answer in sample.prompt for answer in sample.answers)


def test_a_seed_determines_the_samples():
    first, again, other = (build(ruler, seed=seed) for seed in (1, 1, 2))
    assert [(each.id, each.input) for each in first.dataset] == [(each.id, each.input) for each in again.dataset]
    assert all(a.input != b.input for a, b in zip(first.dataset, other.dataset, strict=True) if "qa" not in a.id)
    part = build(ruler, seed=1, tasks="vt", samples=2).dataset
    assert part[0].input == next(each.input for each in first.dataset if each.id == "vt-1024-0")


def test_prompts_fill_the_length_and_never_exceed_it():
    task = build(ruler, length="1024,2048", samples=3)
    assert len(task.dataset) == 2 * 13 * 3
    for sample in task.dataset:
        name = sample.metadata["task"]
        limit = int(sample.metadata["length"].removeprefix("~")) - TASKS[name].reserved
        tokens = token_counter().count(sample.input)
        assert tokens == sample.metadata["prompt_tokens"] <= limit
        if name not in {"qa_1", "qa_2", "cwe"}:  # the package's own materials are too few for these
            assert tokens > 0.9 * limit, sample.id


def test_needles_are_placed_at_each_depth():
    task = build(niah, length=1024, depths=5, samples=2)
    assert len(task.dataset) == 10
    for sample in task.dataset:
        assert f" is {sample.target}. " in sample.input or f" is {sample.target}.\n" in sample.input
        context = sample.input.split("\n\n")[1]
        depth = context.index(sample.target) / len(context)
        assert abs(depth - int(sample.metadata["depth"][6:-1]) / 100) < 0.06
        assert 0.9 * 1024 < sample.metadata["prompt_tokens"] <= 1024 - 32


CONSTANTS = """
TASKS = {
    'niah': {'tokens_to_generate': 1, 'template': 'Some {type_needle_v} are in {context}. Which are all for {query}?',
             'answer_prefix': ' They are'},
    'variable_tracking': {'template': '{context} {query}', 'answer_prefix': ' {num_v}:'},
    'common_words_extraction': {'template': '{context}', 'answer_prefix': ':'},
    'freq_words_extraction': {'template': '{context}', 'answer_prefix': ':'},
    'qa': {'template': '{context} {query}', 'answer_prefix': ' Answer:'},
}
"""


def test_the_original_templates_are_read_from_its_programs():
    texts = official(CONSTANTS, "needle = '{key}: {value}'\nif x:\n    haystack = f(x)\nelse:\n    haystack = 'Noise.'")
    assert (texts.needle, texts.noise) == ("{key}: {value}", "Noise.")
    assert texts.niah == "Some {type_needle_v} are in {context}. Which are all for {query}? They are"
    assert texts.niah_one == "A {type_needle_v} is in {context}. Which is for {query}? They is"
    assert texts.vt == "{context} {query} {num_v}:"
    with pytest.raises(DataError, match="does not assign a literal to haystack"):
        official(CONSTANTS, "needle = ''")


@given(st.integers(0, 10_000), st.integers(1, 50), st.none() | st.integers(1, 10_000))
def test_the_largest_size_that_fits(limit, least, most):
    found = largest(lambda size: size <= limit, least, most)
    bound = limit if most is None else min(limit, most)
    if least > limit:
        assert found is None
    else:
        assert max(least, bound) - max(1, bound >> 9) <= found <= max(least, bound)


MATCHES = [
    ("12, 34", ["12", "34"], 1.0, 1.0),
    ("ONLY abc", ["Abc", "def"], 0.5, 1.0),
    ("party", ["art"], 1.0, 1.0),
    ("", ["a"], 0.0, 0.0),
]


@pytest.mark.parametrize(("text", "answers", "share", "part"), MATCHES)
def test_matches(text, answers, share, part):
    assert string_match_all(text, answers) == share
    assert string_match_part(text, answers) == part


WRONG = [
    ({"length": 512}, r"length=512: expected whole numbers of 1024 tokens or more"),
    ({"tasks": "niah_single_9"}, r"ruler: tasks: 'niah_single_9' does not exist\. Close: niah_single"),
    ({"prompt": "theirs"}, r"ruler: prompt='theirs': expected one of 'ours', 'official'\."),
    ({"samples": 0}, r"samples=0: expected a whole number of 1 or more\."),
    ({"tokenizer": "mine"}, r"tokenizer='mine': expected 'approximate', 'model', a folder"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_invalid_arguments(arguments, message):
    with pytest.raises(UsageError, match=message):
        build(ruler, **arguments)
    with pytest.raises(UsageError, match=r"depths='many': expected a whole number of 1 or more\."):
        build(niah, depths="many")


def answer(request):
    """Answer questions about a single needle, and no others."""
    found = re.search(r"for (\S+) in the text\? Answer with this", request.prompt)
    keys = dict(hidden_needles(request.prompt))
    return keys[found[1]] if found else "I cannot tell."


def test_a_run_reports_by_task_length_and_depth(bench, tmp_path):
    with ChatServer(answer) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        tasks = "tasks=niah_single_1,niah_single_2,niah_multivalue"
        done = bench("eval", "ruler", "--sample", "-T", tasks, "-T", "length=1024,2048", *options, cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["completed"], result["score"]) == (0, 6, pytest.approx(2 / 3)), done.err
    log = read_eval_log(list_eval_logs(str(tmp_path / "logs"))[0])
    assert log.eval.metadata["tokenizer"] == "approximate"
    figures = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    assert figures["niah_single_1/~2048"] == figures["niah_single_2"] == 1.0
    assert figures["niah_multivalue"] == 0.0
    assert figures["exact"] == pytest.approx(2 / 3)
    assert figures["~1024"] == figures["~2048"] == pytest.approx(2 / 3)
    assert any(name.startswith("depth ") for name in figures)
