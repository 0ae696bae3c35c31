"""MCQEval and MCQSample: the published factory of multiple-choice tasks, parameter by parameter."""

import csv
import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai import Epochs
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from pydantic import ValidationError

from openbench.errors import DataError, UsageError
from openbench.tasks.mcq import shuffled_options
from openbench.utils.mcq import MCQEval, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt
from openbench_testing import ChatServer, HubServer

ROWS = [
    {"q": "First?", "o": ["red", "green", "blue"], "a": "A", "topic": "x"},
    {"q": "Second?", "o": ["one", "two"], "a": "B", "topic": "y"},
    {"q": "Third?", "o": ["up", "down", "left", "right"], "a": "D", "topic": "x"},
]


def to_sample(row):
    prompt = create_dynamic_multiple_choice_prompt(row["q"], row["o"])
    return MCQSample(id=row.get("id"), input=prompt, target=row["a"], metadata={"topic": row.get("topic")})


def csv_sample(row):
    return to_sample({**row, "o": row["o"].split("|")})


@pytest.fixture
def rows(tmp_path):
    """Write rows as JSON Lines and return the path."""

    def write(rows=ROWS):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return write


def build(path, **arguments):
    return MCQEval(
        **{"name": "quiz", "dataset_type": "json", "record_to_mcq_sample": to_sample, **arguments}, dataset_path=path
    )


def test_the_signature_is_the_published_one():
    required = inspect.Parameter.empty
    parameters = inspect.signature(MCQEval).parameters
    assert [(name, p.default) for name, p in parameters.items()] == [
        ("name", required),
        ("dataset_type", "hf"),
        ("dataset_path", required),
        ("record_to_mcq_sample", required),
        ("split", None),
        ("auto_id", True),
        ("subset_name", None),
        ("group_keys", None),
        ("additional_metrics", None),
        ("prompt_template", None),
        ("config", None),
        ("epochs", None),
        ("dataset_kwargs", None),
        ("style", "letters"),  # ours
        ("language", "English"),  # likewise
    ]
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}


# --- samples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", " ", "\n\t ", []])
def test_a_blank_input_is_refused(value):
    with pytest.raises(ValidationError, match="the input must be a text that is not blank, or a list of messages"):
        MCQSample(input=value, target="A")


@pytest.mark.parametrize(
    "target", ["", "a", "AB", "É", "\N{GREEK CAPITAL LETTER ALPHA}", "1", " A", "A ", "ß", ["A", "B"], None]
)
def test_a_target_that_is_no_letter_is_refused(target):
    with pytest.raises(ValidationError):
        MCQSample(input="Which?", target=target)


@pytest.mark.parametrize("target", ["A", "Z"])
def test_a_sample_of_messages(target):
    sample = MCQSample(input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="?")], target=target)
    assert (sample.target, len(sample.input)) == (target, 2)


# --- sources --------------------------------------------------------------------------------------------------------


def test_json_lines_and_a_json_array_are_the_same(rows, tmp_path):
    array = tmp_path / "rows.json"
    array.write_text(json.dumps(ROWS, indent=1), "utf-8")
    lines = build(rows())
    assert [s.model_dump(mode="json") for s in build(str(array)).dataset] == [
        s.model_dump(mode="json") for s in lines.dataset
    ]
    assert [sample.target for sample in lines.dataset] == ["A", "B", "D"]
    assert lines.name == "quiz"


def test_csv(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-16") as file:
        writer = csv.DictWriter(file, ["q", "o", "a"], delimiter=";")
        writer.writeheader()
        writer.writerows([{"q": 'Say "hi"; twice?\nWell?', "o": "red|green", "a": "B"}])
    task = build(
        str(path),
        dataset_type="csv",
        record_to_mcq_sample=csv_sample,
        dataset_kwargs={"delimiter": ";", "encoding": "utf-16", "cached": True, "name": "colours"},
    )
    assert (task.name, task.dataset.name) == ("quiz", "colours")
    [sample] = task.dataset
    assert sample.input == create_dynamic_multiple_choice_prompt('Say "hi"; twice?\nWell?', ["red", "green"])


def test_an_unknown_dataset_type(rows):
    with pytest.raises(
        UsageError, match=r"^quiz: the dataset type 'parquet' is unknown. Known: hf, csv, json, text, file.$"
    ):
        build(rows(), dataset_type="parquet")


def test_a_hub_dataset_needs_a_split():
    with pytest.raises(UsageError, match=r"^quiz: a dataset of the Hub needs a split \(split='test'\).$"):
        build("org/quiz", dataset_type="hf")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"none\.jsonl cannot be read: FileNotFoundError"):
        build(str(tmp_path / "none.jsonl"))


def test_a_wrong_digest(rows):
    path = rows()
    with pytest.raises(DataError, match=f"^{re.escape(path)} is not the pinned file: its sha256 is "):
        build(path, dataset_kwargs={"sha256": "0" * 64})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"foo": 1}, "{path}: a json file has no option 'foo'. Options: encoding, fs_options."),
        ({"delimiter": ";"}, "{path}: a json file has no option 'delimiter'. Options: encoding, fs_options."),
        ({"limit": 0}, "quiz: limit=0: expected a whole number of 1 or more, or none for all samples."),
        ({"limit": "3"}, "quiz: limit='3': expected a whole number of 1 or more, or none for all samples."),
    ],
)
def test_options_that_a_file_does_not_have(rows, arguments, message):
    path = rows()
    with pytest.raises(UsageError) as error:
        build(path, dataset_kwargs=arguments)
    assert str(error.value) == message.format(path=path)


def test_no_rows(rows):
    path = rows([])
    with pytest.raises(DataError, match=f"^{re.escape(path)} has no rows$"):
        build(path)


def test_a_row_may_give_several_samples_or_none(rows):
    def twice(row):
        return [to_sample(row), to_sample({**row, "q": "Again: " + row["q"]})] if row["a"] != "B" else []

    samples = list(build(rows(), record_to_mcq_sample=twice).dataset)
    assert [sample.target for sample in samples] == ["A", "A", "D", "D"]
    assert len({sample.id for sample in samples}) == 4


# --- ids ------------------------------------------------------------------------------------------------------------


def test_auto_id_fills_missing_ids_only(rows):
    path = rows([{**ROWS[0], "id": "mine"}, ROWS[1], {**ROWS[2], "id": 7}, ROWS[1]])
    ids = [sample.id for sample in build(path).dataset]
    assert (ids[0], ids[2]) == ("mine", 7)
    assert re.fullmatch("[0-9a-f]{16}", ids[1])
    assert ids[3] == f"{ids[1]}-2"  # an identical row


def test_ids_depend_on_the_row_and_not_on_its_place(rows):
    forwards = {sample.input: sample.id for sample in build(rows()).dataset}
    backwards = {sample.input: sample.id for sample in build(rows(ROWS[::-1])).dataset}
    assert forwards == backwards


def test_without_auto_id_nothing_is_filled(rows):
    path = rows([{**ROWS[0], "id": "mine"}, ROWS[1]])
    assert [sample.id for sample in build(path, auto_id=False).dataset] == ["mine", None]


def test_explicit_ids_may_not_clash(rows):
    path = rows([{**ROWS[0], "id": "q"}, ROWS[1], {**ROWS[2], "id": "q"}])
    with pytest.raises(DataError, match=f"^rows 1 and 3 of {re.escape(path)} have the same id 'q'$"):
        build(path)


# --- rows that do not fit -------------------------------------------------------------------------------------------


def test_a_column_is_missing(rows):
    path = rows([ROWS[0], {"q": "Second?", "a": "B"}])
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == (
        f"row 2 of {path} has no 'o' (columns: q, a). Check the mapping of its columns, or pin the revision."
    )


def test_a_target_that_is_no_letter(rows):
    path = rows([{**ROWS[0], "a": "a"}])
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == (
        f"row 1 of {path}: target: the target must be a single upper-case letter, A to Z (received 'a')"
    )


def test_a_target_outside_the_options(rows):
    path = rows([ROWS[0], {**ROWS[1], "a": "C", "id": "s2"}])
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == f"row 2 of {path}: the target is 'C', but the options are A, B"


def test_a_target_outside_the_choices(rows):
    def with_choices(row):
        return MCQSample(id="c", input=row["q"], choices=row["o"], target="Z")

    with pytest.raises(DataError, match=r"the target is 'Z', but the options are A, B, C$"):
        build(rows(ROWS[:1]), record_to_mcq_sample=with_choices)


def test_a_prompt_without_options_is_not_checked(rows):
    def plain(row):
        return MCQSample(input=row["q"], target="Z")

    assert [sample.target for sample in build(rows(), record_to_mcq_sample=plain).dataset] == ["Z"] * 3


def test_more_than_26_options(rows):
    assert len(build(rows([{**ROWS[0], "o": [str(n) for n in range(26)], "a": "Z"}])).dataset) == 1
    path = rows([ROWS[0], {**ROWS[1], "o": [str(n) for n in range(27)]}])
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == f"row 2 of {path}: 27 options, but letters for 26 at most"


def test_a_sample_without_a_group(rows):
    path = rows([{**ROWS[0], "id": "first"}])
    with pytest.raises(DataError) as caught:
        build(path, group_keys=["topic", "level"])
    assert str(caught.value) == "quiz: the sample 'first' has no 'level' in its metadata, which group_keys asks for"


# --- what the task is made of ---------------------------------------------------------------------------------------


def test_config_and_epochs(rows):
    task = build(rows(), config=GenerateConfig(temperature=0.5, max_tokens=9), epochs=Epochs(3, "max"))
    assert (task.config.temperature, task.config.max_tokens) == (0.5, 9)
    assert (task.epochs, len(task.epochs_reducer)) == (3, 1)
    assert build(rows()).config == GenerateConfig()


def test_limit_and_seeded_shuffle(rows):
    path = rows([{**ROWS[0], "q": f"{number}?", "id": number} for number in range(20)])

    def ids(**arguments):
        return [sample.id for sample in build(path, dataset_kwargs=arguments).dataset]

    assert ids(limit=3) == [0, 1, 2]
    assert ids(limit=99) == ids() == list(range(20))
    assert ids(shuffle=True) == ids(shuffle=True, seed=0)
    assert ids(shuffle=True) != ids(shuffle=True, seed=1)
    assert sorted(ids(shuffle=True)) == list(range(20))


def test_shuffled_choices_keep_their_target(rows):
    def with_choices(row):
        return MCQSample(input=row["q"], choices=row["o"], target=row["a"])

    path = rows([{**ROWS[2], "q": f"{number}?"} for number in range(30)])
    samples = build(path, record_to_mcq_sample=with_choices, dataset_kwargs={"shuffle_choices": 1}).dataset
    assert {sample.choices["ABCD".index(sample.target)] for sample in samples} == {"right"}
    assert len({sample.target for sample in samples}) == 4


# --- the whole, run -------------------------------------------------------------------------------------------------

FULL = """
from pathlib import Path

from inspect_ai import Epochs, Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore, metric, value_to_float
from openbench.utils import BenchmarkMetadata
from openbench.utils.mcq import MCQEval, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt

__metadata__ = BenchmarkMetadata("Full", "All parameters.", "knowledge", [], __name__, "full")


@metric
def worst():
    def compute(scores: list[SampleScore]) -> float:
        return min(map(value_to_float(), (score.score.value for score in scores)))

    return compute


@task
def full() -> Task:
    return MCQEval(
        name="full",
        dataset_type="json",
        dataset_path=str(Path(__file__).with_name("rows.jsonl")),
        record_to_mcq_sample=lambda row: MCQSample(
            input=create_dynamic_multiple_choice_prompt(row["q"], row["o"]), target=row["a"], metadata=row
        ),
        group_keys=["topic"],
        additional_metrics=[worst()],
        prompt_template="Think of {nothing} in braces.",
        config=GenerateConfig(temperature=0.25, max_tokens=33),
        epochs=Epochs(2, "max"),
    )
"""


def test_every_parameter_reaches_the_run(bench, rows, tmp_path):
    rows()
    (tmp_path / "full.py").write_text(FULL, "utf-8")
    asked = Counter()

    def answer(request):  # the second epoch knows better
        asked[request.prompt] += 1
        return "Answer: B" if "Second" in request.prompt and asked[request.prompt] > 1 else "Answer: A"

    with ChatServer(answer) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        done = bench("eval", "full.py", *options, "--json", cwd=tmp_path)
        requests = server.requests
    assert done.code == 0, done.err
    assert len(requests) == 6
    assert {request.system for request in requests} == {"Think of {nothing} in braces."}
    assert {(r.body["temperature"], r.body["max_tokens"]) for r in requests} == {(0.25, 33)}
    [result] = done.json()
    metrics = result["metrics"]["mcq_scorer"]
    assert (next(iter(metrics)), result["metric"]) == ("accuracy", "accuracy max")
    assert set(metrics) == {"accuracy", "stderr", "std", "x", "y", "x_stderr", "y_stderr", "worst"}
    # With the better of two epochs: A right, B right the second time, D wrong.
    assert (metrics["accuracy"], metrics["x"], metrics["y"], metrics["worst"]) == (pytest.approx(2 / 3), 0.5, 1, 0)


# The guide's example, pasted: its function and its task; it leaves out the imports and the registration.
GUIDE = '''
from inspect_ai import Task, task
from openbench.utils import BenchmarkMetadata
from openbench.utils.mcq import MCQEval, MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt

__metadata__ = BenchmarkMetadata("OpenBookQA", "Science.", "knowledge", [], __name__, "openbookqa")


def record_to_mcq_sample(record) -> MCQSample:
    """Convert an OpenBookQA record to an openbench MCQSample."""

    question = record["question_stem"]
    options = [choice for choice in record["choices"]["text"]]
    prompt = create_dynamic_multiple_choice_prompt(question, options)

    return MCQSample(
        input=prompt,
        target=record["answerKey"],
        id=record.get("id"),
        metadata={"choice_labels": record["choices"]["label"]},
    )


@task
def openbookqa(split: str = "validation") -> Task:
    """OpenBookQA multiple choice science question evaluation (MCQ Abstracted)."""

    valid_splits = ["train", "validation", "test"]
    if split not in valid_splits:
        raise ValueError(f"Invalid split '{split}'. Must be one of {valid_splits}")

    return MCQEval(
        # required fields
        name="openbookqa",
        dataset_path="allenai/openbookqa",
        record_to_mcq_sample=record_to_mcq_sample,
        split=split,
    )
'''


def test_the_guides_example(fresh_bench, bench, tmp_path):
    (tmp_path / "openbookqa.py").write_text(GUIDE, "utf-8")
    choices = {"label": ["A", "B", "C", "D"], "text": ["the sun", "a rock", "the moon", "a shoe"]}
    records = [
        {"id": f"7-{n}", "question_stem": f"What shines? ({n})", "choices": choices, "answerKey": "ABCD"[n % 4]}
        for n in range(8)
    ]
    with HubServer() as hub, ChatServer("So it is the sun.\nAnswer: A") as server:
        for split, part in (("validation", records), ("test", records[:4])):
            hub.add("allenai/openbookqa", part, split=split)
        variables = hub.environment(tmp_path)
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        done = fresh_bench("eval", "openbookqa.py", *options, cwd=tmp_path, **variables)
        assert done.code == 0, done.err
        [result] = done.json()
        assert (result["score"], result["completed"], result["answered"]) == (0.25, 8, 1.0)
        assert len(server.requests) == 8
    wrong = bench("eval", "openbookqa.py", "-T", "split=dev", "--baseline", "random", cwd=tmp_path)
    assert (wrong.code, wrong.err) == (
        2,
        "bench: openbookqa: Invalid split 'dev'. Must be one of ['train', 'validation', 'test']\n",
    )


HUB = """
import sys
from openbench.utils.mcq import MCQEval, MCQSample

def sample(row):
    return MCQSample(input=row["q"], target=row["a"])

def load(**more):
    return MCQEval(name="quiz", dataset_path="org/quiz", record_to_mcq_sample=sample, **more).dataset

print([s.input for s in load(split="test", subset_name="small", dataset_kwargs={"revision": sys.argv[1]})])
print([s.input for s in load(split="train[:1]", subset_name="small", dataset_kwargs={"trust": True})])
try:
    load(split="nowhere", subset_name="small")
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0][:60])
"""


def test_a_hub_dataset_with_configuration_and_revision(tmp_path):
    with HubServer() as hub:
        old = hub.add("org/quiz", [{"q": "old", "a": "A"}], config="small", split="test")
        hub.add("org/quiz", [{"q": "new", "a": "A"}], config="small", split="test")
        hub.add("org/quiz", [{"q": "one", "a": "A"}, {"q": "two", "a": "B"}], config="small", split="train")
        done = subprocess.run(
            [sys.executable, "-c", HUB, old],
            env={**os.environ, **hub.environment(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    assert done.returncode == 0, done.stderr
    pinned, part, error = done.stdout.splitlines()
    assert (pinned, part) == ("['old']", "['one']")
    assert error.startswith("DataError org/quiz small nowhere cannot be loaded: ")


# --- helpers of benchmarks ------------------------------------------------------------------------------------------


def test_shuffled_options_are_stable_in_every_process():
    options = ["right", "b", "c", "d"]
    code = (
        "from openbench.tasks.mcq import shuffled_options;"
        "print([shuffled_options(['right', 'b', 'c', 'd'], 0, key=f'Q{n}') for n in range(5)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == str([shuffled_options(options, 0, key=f"Q{n}") for n in range(5)])


def test_shuffled_options_spread_the_target():
    options = ["right", "b", "c", "d"]
    made = [shuffled_options(options, 0, key=f"Question {n}?") for n in range(2000)]
    assert all(order[index] == "right" and sorted(order) == sorted(options) for order, index in made)
    counts = Counter(index for _, index in made)
    assert set(counts) == {0, 1, 2, 3}
    assert max(abs(count - 500) for count in counts.values()) < 90  # four and a half standard deviations


def test_shuffled_options_follow_the_target_among_equal_texts():
    order, index = shuffled_options(["same", "same", "other"], 1, key="k")
    assert order[index] == "same"


def test_the_published_import_path_of_a_local_neighbour(tmp_path):
    from openbench.utils.imports import import_module_from_same_dir

    (tmp_path / "helper.py").write_text("VALUE = 3", "utf-8")
    assert import_module_from_same_dir(str(tmp_path / "eval.py"), "helper").VALUE == 3
    with pytest.raises(ImportError, match=re.escape(f"{Path(tmp_path, 'other.py')} does not exist")):
        import_module_from_same_dir(str(tmp_path / "eval.py"), "other")
