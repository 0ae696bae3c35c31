"""The prompt of MMLU's authors: its wording is read from their code, pinned by its digest."""

import hashlib
import os
import re
from pathlib import Path

import pytest

import openbench
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import read_options
from openbench.tasks.provenance import Provenance
from openbench_mmlu import official
from openbench_mmlu.mmlu import mmlu
from openbench_testing import HubServer

# Of our own making, in the form of the original's code; running it would fail.
PUBLISHED = """
import nowhere

def format_example(df, idx, include_answer=True):
    prompt = df.iloc[idx, 0]
    prompt += "\\n{}: {}".format("".join(df), 1)
    prompt += "\\nYour answer:"
    return prompt + " {}!\\n\\n".format(2)

def gen_prompt(train_df, subject, k=-1):
    return "Now some questions on{}.\\n\\n".format(subject)
""".replace('"".join(df)', "df")


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Publish a code in the place of the original's."""
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    with HubServer() as hub:

        def publish(code=PUBLISHED):
            sha256 = hashlib.sha256(code.encode()).hexdigest()
            source = DatasetSource(source=hub.add_file("evaluate.py", code.encode()), type="text", sha256=sha256)
            monkeypatch.setattr(official, "OFFICIAL", source)
            return source

        yield publish


def test_the_wording_is_read_and_five_examples_precede_the_question(published, sample_task):
    published()
    sample = sample_task(mmlu, prompt="official").dataset[0]
    head, *examples, question = str(sample.input).split("\n\n")
    assert head == "Now some questions on astronomy."
    assert len(examples) == 5
    assert all(re.search(r"\nD: .*\nYour answer: [A-D]!$", example) for example in examples)
    asked = "Which planet of the solar system has the shortest year?"
    assert question == f"{asked}\nA: Venus\nB: Mars\nC: Mercury\nD: Neptune\nYour answer:"
    assert sample.target == "C"


def test_the_topic_has_a_space_before_each_word_and_examples_may_be_fewer(published, sample_task):
    published()
    sample = sample_task(mmlu, prompt="official", fewshot=0, subjects="elementary_mathematics").dataset[0]
    assert str(sample.input).startswith("Now some questions on elementary mathematics.\n\n")
    assert str(sample.input).count("Your answer:") == 1


def test_the_log_names_the_prompt_and_its_source(published, tmp_path):
    source = published()
    options = {"display": "none", "log_dir": str(tmp_path / "logs"), "task_args": {"prompt": "official"}}
    [log] = openbench.eval("mmlu", baseline="constant", sample=True, **options)
    sources = {each["source"]: each.get("file_sha256") for each in Provenance.of(log).further_datasets}
    assert sources[source.source] == source.sha256
    assert log.eval.task_args["prompt"] == "official"


@pytest.mark.parametrize("code", ["", PUBLISHED.replace("gen_prompt", "prompt_of"), PUBLISHED.replace(" {}!", " !")])
def test_other_code_is_refused(published, sample_task, code):
    source = published(code)
    with pytest.raises(DataError) as error:
        sample_task(mmlu, prompt="official")
    assert str(error.value) == f"{source.source}: the wording of the prompt was not found where expected"


def test_a_prompt_that_does_not_exist_is_refused():
    with pytest.raises(UsageError) as error:
        mmlu(prompt="theirs")
    assert str(error.value) == "mmlu: prompt='theirs': expected one of ours, official."


def test_the_code_is_pinned_in_a_commit():
    assert official.OFFICIAL.pinned
    assert re.search(r"/hendrycks/test/[0-9a-f]{40}/evaluate\.py$", official.OFFICIAL.source)


def test_the_real_wording(published, sample_task):
    """The authors' file, as `raw/hendrycks_test/evaluate.py`."""
    file = Path(os.environ.get("OPENBENCH_REAL_DATA", ""), "raw", "hendrycks_test", "evaluate.py")
    if not os.environ.get("OPENBENCH_REAL_DATA") or not file.is_file():
        pytest.skip("OPENBENCH_REAL_DATA names no directory with raw/hendrycks_test/evaluate.py")
    pinned = official.OFFICIAL.sha256
    assert published(file.read_text("utf-8")).sha256 == pinned
    sample = sample_task(mmlu, prompt="official").dataset[0]
    # The digest of what the authors' own functions give for this row.
    digest = "1321deebf984db5355ee085f933beba7385042a0cb5c6911adcc9e9e5f8eeab8"
    assert hashlib.sha256(str(sample.input).encode()).hexdigest() == digest
    assert list(read_options(str(sample.input)).values()) == ["Venus", "Mars", "Mercury", "Neptune"]
