"""Declarations: what they may say, what is wrong with them, and what a base passes on."""

import copy
import pickle
import re
import runpy
from pathlib import Path

import pytest

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench_authoring import BenchmarkConfig, benchmark_metadata, create_benchmark, load_config, toml_metadata
from openbench_authoring.declarative.toml import load_files, resolve

ROWS = {"data_type": "jsonl", "data_source": "rows.jsonl"}


def complaint(call, *arguments, **given):
    with pytest.raises(UsageError) as error:
        call(*arguments, **given)
    return str(error.value)


def declared(**given):
    return BenchmarkConfig(**{**ROWS, **given})


@pytest.fixture
def write(tmp_path):
    def file(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return file


# --- defaults ---------------------------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_multiple_choice():
    config = declared()
    assert (config.solver, config.scorer, config.answer_format) == ("multiple_choice", "choice", "index_0")
    assert (config.field_mapping, config.system_message, config.base, config.split) == ({}, None, None, None)
    assert (config.limit, config.shuffle, config.seed) == (None, False, 0)
    assert config.given == {"data_type", "data_source"}


def test_it_never_changes_and_travels_whole():
    config = declared(limit=3)
    with pytest.raises(AttributeError):
        config.limit = 4
    for other in (copy.deepcopy(config), pickle.loads(pickle.dumps(config))):  # noqa: S301 - our own
        assert (other, other.given) == (config, config.given)


def test_paths_start_beside_the_module_that_makes_the_declaration(write, tmp_path, monkeypatch):
    write("acme_quiz/rows.jsonl", '{"input": "Sky?", "target": "blue"}\n')
    write("acme_quiz/base.toml", 'data_type = "jsonl"\ndata_source = "rows.jsonl"\n')
    code = (
        "from openbench_authoring import BenchmarkConfig\n"
        "FREE = {'solver': 'generate', 'scorer': 'exact', 'answer_format': 'identity'}\n"
        "QUIZ = BenchmarkConfig(data_type='jsonl', data_source='rows.jsonl', **FREE)\n"
        "VARIANT = BenchmarkConfig(base=QUIZ, limit=1)\n"
        "OF_A_FILE = BenchmarkConfig(base='base.toml', **FREE)\n"
    )
    monkeypatch.chdir(tmp_path)
    module = runpy.run_path(str(write("acme_quiz/declared.py", code)))
    for config in (module["QUIZ"], module["VARIANT"], module["OF_A_FILE"], copy.copy(module["QUIZ"])):
        assert [sample.input for sample in create_benchmark("quiz", config).dataset] == ["Sky?"]
    assert declared().folder == Path(__file__).parent
    assert declared(folder=tmp_path).folder == tmp_path


def test_a_path_may_start_at_home(write, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    row = '{"input": "Sky?", "choices": ["red", "blue"], "target": 1}\n'
    write("rows.jsonl", row)
    write("shots.jsonl", row.replace("Sky", "Sea"))
    text = 'data_type = "jsonl"\ndata_source = "~/rows.jsonl"\nfew_shot = { count = 1, source = "~/shots.jsonl" }\n'
    task = create_benchmark("quiz", load_config(write("there/quiz.toml", text)))
    example, _, question = task.dataset[0].input
    assert ("Sea?" in example.text, question.text) == (True, "Sky?")


def test_outside_of_files_paths_start_in_the_working_directory(write, tmp_path, monkeypatch):
    write("rows.jsonl", '{"input": "Sky?", "choices": ["red", "blue"], "target": 1}\n')
    monkeypatch.chdir(tmp_path)
    config = eval("BenchmarkConfig(**rows)", {"BenchmarkConfig": BenchmarkConfig, "rows": ROWS})  # noqa: S307
    assert config.folder is None
    assert [sample.input for sample in create_benchmark("quiz", config).dataset] == ["Sky?"]


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"answer_format": "index0"},
            "one of identity, index_0, index_1, text, letter, to_string, boolean is expected. Did you mean 'index_0'?",
        ),
        (
            {"data_type": "parquet"},
            "data_type is 'parquet', where one of jsonl, json, csv, hf, weave is expected.",
        ),
        ({"sampling": "balance", "sampling_by": "x"}, "Did you mean 'balanced'?"),
        ({"limit": 0}, "limit is 0, where a whole number above 0 is expected."),
        ({"limit": True}, "limit is True, where a whole number above 0 is expected."),
        ({"shuffle": "yes"}, "shuffle is 'yes', where true or false is expected."),
        ({"seed": 1.5}, "seed is 1.5, where a whole number is expected."),
        (
            {"system_message": 'as {"a": 1}'},
            "where a template with {name} for what samples say in their metadata, and {{",
        ),
        ({"system_message": "as {}"}, "where a template with {name} for what samples say in their metadata, and {{"),
        ({"system_message": "a {"}, "where a template with {name} for what samples say in their metadata, and {{"),
        ({"solver": " "}, "solver is ' ', where a name, or in Python a function is expected."),
        ({"field_mapping": {"input": []}}, "where a table of columns, or of lists of columns is expected."),
        ({"field_mapping": {"input": 3}}, "where a table of columns, or of lists of columns is expected."),
        ({"sha256": "ABC"}, "sha256 is 'ABC', where the 64 hex digits of a SHA-256 is expected."),
        ({"base": 3}, "base is 3, where a declaration, a name or the path of a .toml file is expected."),
        ({"metadata": {"tags": "quiz"}}, "metadata.tags is 'quiz', where a list of texts is expected."),
        ({"metadata": {"langauges": ["en"]}}, "unknown field metadata.langauges. Did you mean 'languages'?"),
        ({"metadata": {"module_path": "acme"}}, "unknown field metadata.module_path."),
        ({"few_shot": {"count": 1, "as": "turn"}}, "few_shot.as is 'turn', where one of turns, message is expected."),
        ({"few_shot": {"examples": []}}, "few_shot.examples is [], where a list of rows is expected."),
    ],
)
def test_a_value_that_cannot_be(given, message):
    raised = complaint(declared, **given)
    assert raised.startswith("BenchmarkConfig: ")
    assert message in raised


def test_a_misspelt_field_is_refused_with_those_that_there_are():
    assert re.fullmatch(
        r"BenchmarkConfig: unknown field anwser_format\. Did you mean 'answer_format'\? Fields: data_type, .*, "
        r"metadata, folder\.",
        complaint(declared, anwser_format="text"),
    )


def test_all_faults_are_told_at_once():
    raised = complaint(declared, answer_format="A", limit=-1, shufle=True, sed=1, metadata={"nam": "x"}).splitlines()
    assert raised[0] == "BenchmarkConfig has 5 faults:"
    assert [line.split()[1] for line in raised[1:]] == ["answer_format", "limit", "unknown", "unknown", "unknown"]
    assert raised[3] == "- unknown field shufle. Did you mean 'shuffle'?"
    assert raised[4].startswith("- unknown field sed. Did you mean 'seed'? Fields: data_type, ")
    assert raised[5].startswith("- unknown field metadata.nam. Did you mean 'name'? Fields: name, ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"data_type": "hf"}, "split is needed for a dataset of the Hub."),
        (
            {"data_type": "hf", "split": "test", "data_source": "a.parquet"},
            "data_source is 'a.parquet', a file of a type",
        ),
        ({"data_source": "https://example.org/a.XLSX"}, "that cannot be read; jsonl, json and csv can be."),
        ({"config": "en"}, "config is for datasets of the Hub only."),
        ({"revision": "a" * 40}, "revision is for datasets of the Hub only; sha256 pins a file."),
        (
            {"data_type": "hf", "split": "test", "sha256": "a" * 64},
            "sha256 is for files only; revision pins a dataset of the Hub.",
        ),
        (
            {"data_type": "weave"},
            "data_source is 'rows.jsonl', where weave:///entity/project/object/Name:version is expected.",
        ),
        ({"sampling": "balanced"}, "sampling needs sampling_by, the column that holds the category."),
        ({"sampling_by": "topic"}, "sampling_by needs sampling, which is balanced or stratified."),
        ({"few_shot": {"seed": 3}}, "few_shot needs count, or examples."),
        ({"few_shot": {"count": 3, "split": "dev"}}, "few_shot.split is for datasets of the Hub only; "),
        ({"few_shot": {"count": 1, "examples": [{}]}}, "few_shot.count and few_shot.examples exclude each other."),
        (
            {"few_shot": {"examples": [{}], "by": "x"}},
            "few_shot.examples are shown as they are; leave out few_shot.by.",
        ),
    ],
)
def test_fields_that_do_not_go_together(given, message):
    assert message in complaint(declared, **given)


def test_what_is_needed_is_needed():
    assert complaint(BenchmarkConfig) == (
        "BenchmarkConfig has 2 faults:\n"
        "- data_type is needed: jsonl, json, csv, hf or weave.\n"
        "- data_source is needed: a file, a Hub dataset id or a weave URI."
    )


# --- bases ------------------------------------------------------------------------------------------------------------


def over(base, **given):
    return resolve(BenchmarkConfig(base=base, **given), {}, where="quiz")


def test_a_base_passes_on_what_is_not_given():
    base = declared(limit=3, shuffle=True, system_message="Think.")
    config = over(base, limit=5, shuffle=False, system_message=None)
    assert (config.data_source, config.limit, config.shuffle, config.system_message) == ("rows.jsonl", 5, False, None)
    assert config.base is None


def test_tables_are_merged_and_few_shot_is_one_whole():
    base = declared(
        field_mapping={"input": "question", "target": "answer"},
        metadata={"name": "Base", "tags": ["a"]},
        few_shot={"count": 3, "seed": 1},
    )
    config = over(
        base,
        field_mapping={"target": "label", "choices": "options"},
        metadata={"tags": ["b"]},
        few_shot={"examples": [{"input": "?"}]},
    )
    assert config.field_mapping == {"input": "question", "target": "label", "choices": "options"}
    assert config.metadata == {"name": "Base", "tags": ["b"]}
    assert config.few_shot == {"examples": [{"input": "?"}]}
    assert over(base, few_shot={}).few_shot == {}


def test_a_pin_falls_with_its_source_and_arguments_with_what_takes_them():
    base = declared(sha256="a" * 64, scorer="exact", scorer_args={"casefold": True}, folder=Path("/data"))
    moved = over(base, data_source="others.jsonl")
    assert (moved.sha256, moved.folder) == (None, Path(__file__).parent)
    kept = over(base, scorer_args={"strip": False}, folder=Path("/elsewhere"))
    assert (kept.sha256, kept.folder) == ("a" * 64, Path("/data"))
    assert kept.scorer_args == {"casefold": True, "strip": False}
    assert over(base, scorer="includes").scorer_args == {}


def test_what_comes_of_a_base_is_checked():
    assert complaint(over, declared(), data_type="hf") == "quiz: split is needed for a dataset of the Hub."


def test_files_are_based_on_files_in_other_folders(write, tmp_path):
    write("shared/base.toml", 'data_type = "jsonl"\ndata_source = "rows.jsonl"\nscorer = "own.py@mine"\nlimit = 3')
    write("shared/middle.toml", 'base = "base.toml"\nlimit = 4\n[few_shot]\ncount = 1\nsource = "shots.jsonl"')
    path = write("top.toml", 'base = "shared/middle.toml"\nshuffle = true')
    config, files = load_files(path)
    assert (config.limit, config.shuffle, config.folder) == (4, True, tmp_path / "shared")
    assert config.scorer == f"{tmp_path / 'shared' / 'own.py'}@mine"
    assert config.few_shot["source"] == str(tmp_path / "shared" / "shots.jsonl")
    assert [file.name for file in files] == ["top.toml", "middle.toml", "base.toml"]


def test_a_base_of_the_same_package_goes_before_an_installed_one_and_its_own_name_means_that():
    siblings = {"easy": declared(limit=3), "hard": BenchmarkConfig(base="easy", limit=9)}
    assert resolve(siblings["hard"], siblings, where="hard").data_source == "rows.jsonl"
    own = resolve(BenchmarkConfig(base="easy"), siblings | {"easy": BenchmarkConfig(base="easy", limit=1)}, where="x")
    assert (own.base, own.limit) == ("easy", 1)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_circles_of_files_are_refused(write, tmp_path, length):
    for number in range(length):
        write(f"{number}.toml", f'base = "{(number + 1) % length}.toml"')
    raised = complaint(load_config, tmp_path / "0.toml")
    names = [str(tmp_path / f"{number % length}.toml") for number in range(length + 1)]
    assert raised == f"{' -> '.join(names)}: each is based on the next. Break the circle."


def test_circles_of_names_are_refused():
    siblings = {"a": BenchmarkConfig(base="b"), "b": BenchmarkConfig(base="a")}
    assert complaint(create_benchmark, "a", siblings) == "a -> b -> a: each is based on the next. Break the circle."


def test_an_unknown_name_of_a_package_suggests():
    siblings = {"capitals": declared(), "rivers": declared()}
    raised = complaint(create_benchmark, "capital", siblings)
    assert raised == "capital: no such benchmark. Did you mean 'capitals'? Known: capitals, rivers."


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_toml_is_named_with_the_place(write):
    path = write("broken.toml", 'data_type = "jsonl"\nlimit 5\n')
    assert complaint(load_config, path) == (
        f"{path} is not valid TOML: Expected '=' after a key in a key/value pair (at line 2, column 7)."
    )


def test_a_byte_order_mark_is_no_part_of_a_file(write):
    assert load_config(write("quiz.toml", '\ufeffdata_type = "csv"\ndata_source = "r.csv"\n')).data_type == "csv"


def test_a_file_that_cannot_be_read(tmp_path):
    assert complaint(load_config, tmp_path / "no.toml") == (
        f"{tmp_path / 'no.toml'} cannot be read: No such file or directory."
    )
    (tmp_path / "latin.toml").write_bytes(b'split = "\xe9"')
    assert complaint(load_config, tmp_path / "latin.toml").startswith(
        f"{tmp_path / 'latin.toml'} is not valid TOML: 'utf-8'"
    )


def test_faults_of_a_file_name_it(write):
    path = write("quiz.toml", 'data_type = "jsonl"\ndata_source = "x"\nfolder = "y"\nlimt = 3')
    raised = complaint(load_config, path).splitlines()
    assert raised[0] == f"{path} has 2 faults:"
    assert raised[1].startswith("- unknown field folder. ")
    assert raised[2].startswith("- unknown field limt. Did you mean 'limit'? ")
    assert complaint(load_config, write("less.toml", 'data_type = "jsonl"')) == (
        f"{path.with_name('less.toml')}: data_source is needed: a file, a Hub dataset id or a weave URI."
    )


# --- metadata ---------------------------------------------------------------------------------------------------------


def test_metadata_of_a_file(write, tmp_path):
    path = write(
        "my-quiz.toml",
        f'data_type = "jsonl"\ndata_source = "rows.jsonl"\nsplit = "test"\nsha256 = "{"a" * 64}"\n'
        '[metadata]\nname = "Quiz"\ndescription = "Questions."\ncategory = "acme"\ntags = ["quiz"]\n'
        'languages = ["ko"]\n'
        'samples = 3\nlicence = "MIT"\nprimary_metric = "f1"',
    )
    assert toml_metadata(path, module_path="acme.task") == BenchmarkMetadata(
        "Quiz",
        "Questions.",
        "acme",
        ["quiz"],
        "acme.task",
        "my_quiz",
        dataset=DatasetSource(
            source=str(tmp_path / "rows.jsonl"), type="json", split="test", sha256="a" * 64, licence="MIT"
        ),
        languages=["ko"],
        samples=3,
        primary_metric="f1",
    )


def test_metadata_of_the_hub_and_of_weave():
    hub = BenchmarkConfig(data_type="hf", data_source="acme/quiz", split="test", config="en", revision="b" * 40)
    found = benchmark_metadata(hub, "quiz", module_path="acme.task").dataset
    assert found == DatasetSource(source="acme/quiz", config="en", split="test", revision="b" * 40)
    weave = BenchmarkConfig(data_type="weave", data_source="weave:///acme/quiz/object/Rows:v3")
    assert benchmark_metadata(weave, "quiz", module_path="acme.task").dataset.source == weave.data_source


def test_metadata_of_a_variant_is_that_of_its_base(write):
    base = declared(metadata={"description": "Its.", "tags": ["quiz"]})
    path = write("base.toml", 'data_type = "csv"\ndata_source = "r.csv"\nmetadata = { description = "Its." }\n')
    for named in (base, str(path), "quiz"):
        found = benchmark_metadata(
            BenchmarkConfig(base=named, metadata={"name": "Hard"}), "hard", module_path="a.b", benchmarks={"quiz": base}
        )
        assert (found.name, found.description, found.function_name) == ("Hard", "Its.", "hard")
        assert Path(found.dataset.source).name in {"rows.jsonl", "r.csv"}


def test_metadata_of_what_has_an_installed_base_is_that_of_the_base():
    base = BenchmarkMetadata("Base", "Its.", "acme", ["a"], "acme.task", "base", primary_metric="f1", builtin=True)
    config = BenchmarkConfig(base="base", metadata={"description": "Ours."})
    found = benchmark_metadata(config, "hard", module_path="here", inherited=base)
    assert (found.name, found.description, found.category, found.primary_metric) == ("hard", "Ours.", "acme", "f1")
    assert (found.builtin, found.module_path, found.function_name) == (False, "here", "hard")
